// Routines of Library.def that kernels of ours compute on a device: they are part of the text of a program that calls
// them, beside the function that launches them.
#ifndef QUERNEL_COMPILER_EMIT_DEVICETEXTS_H
#define QUERNEL_COMPILER_EMIT_DEVICETEXTS_H

#include "compiler/Dialect/Routines.h"
#include "compiler/Emit/Names.h"
#include "compiler/Emit/Prelude.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quernel {

/// Kernels that are printed together, and the function of the host's that launches them.
struct DeviceText {
  llvm::StringRef name;
  /// The preludes of either.
  llvm::StringRef kernelPrelude, hostPrelude;
  /// The kernels' names in their prelude.
  llvm::ArrayRef<llvm::StringRef> kernels;
  /// What stands for other words of the kernels' prelude.
  llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> words;
  /// Whether there are kernels for each type of elements, which stands for TYPE. The host's function gets the bytes of
  /// an element then.
  bool isTyped;
};

/// The text for a routine's call and the function that computes it; the text is null where the runtime computes it.
struct DeviceTextUse {
  const DeviceText *text = nullptr;
  llvm::StringRef function;

  explicit operator bool() const { return text; }
};
DeviceTextUse deviceTextOf(mlir::func::CallOp call);

/// The texts that the programs of a module call, each once for a type.
class DeviceTexts {
public:
  /// Takes the kernels' names.
  DeviceTexts(mlir::ModuleOp module, Names &names);

  /// All kernels, in the order of their numbers.
  llvm::SmallVector<std::string> kernels() const;
  /// The number among them of the first kernel of a call's text.
  unsigned firstKernel(mlir::func::CallOp call) const;
  /// Adds the kernels to a prelude.
  void requireKernels(Prelude &prelude) const;

private:
  struct Printed {
    const DeviceText *text;
    llvm::StringRef type; ///< of elements, as RoutineFunction has it; empty where the text has none
    llvm::SmallVector<std::string> kernels;
  };

  const Printed *find(const DeviceText *text, llvm::StringRef type) const;

  std::vector<Printed> printed;
};

} // namespace quernel

#endif
