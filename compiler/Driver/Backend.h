// What turns a lowered module into machine code, for each kind of target.
#ifndef QUERNEL_DRIVER_BACKEND_H
#define QUERNEL_DRIVER_BACKEND_H

#include "compiler/Driver/Driver.h"
#include "compiler/Driver/Stopwatch.h"
#include "compiler/Toolchain/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace quernel {

/// The passes of a target are the pipeline's for its `info`; the runtime loads what comes out.
class Backend {
public:
  virtual ~Backend() = default;
  /// The backend for a target's name; an error for names that nothing is known of.
  /// `userTexts` are those whose functions the program calls.
  static llvm::Expected<std::unique_ptr<Backend>> of(llvm::StringRef target, const DriverOptions &options,
                                                     llvm::ArrayRef<UserText> userTexts = {});
  /// The backend that has a stage such as `ptx` or `asm`: that of the target, or of the usual target of the other kind.
  static llvm::Expected<std::unique_ptr<Backend>> withStage(llvm::StringRef stage, llvm::StringRef target,
                                                            const DriverOptions &options,
                                                            llvm::ArrayRef<UserText> userTexts = {});

  const TargetInfo &info() const { return target.info; }
  /// The names of the stages that this backend has behind the loops: the source text, and what the machine reads of it.
  virtual llvm::StringRef textStage() const = 0;
  virtual llvm::StringRef assemblyStage() const = 0;

  /// Whether the target can run such a program; if not, `error` says what stands in the way.
  virtual bool supports(mlir::ModuleOp module, DriverError &error) const { return true; }
  /// Source text of a module at the last stage; diagnostics say what went wrong.
  virtual mlir::LogicalResult emit(mlir::ModuleOp module, llvm::raw_ostream &out) const = 0;
  /// What the runtime loads, of a program that has this name.
  virtual llvm::Expected<std::string> compile(llvm::StringRef source, llvm::StringRef program,
                                              Stopwatch &stopwatch) const = 0;
  virtual llvm::Expected<std::string> assembly(llvm::StringRef source) const = 0;

protected:
  Backend(Target target, const DriverOptions &options, llvm::ArrayRef<UserText> texts, bool isCuda)
      : target(std::move(target)), options(options) {
    llvm::copy_if(texts, std::back_inserter(userTexts), [=](const UserText &text) { return text.isCuda() == isCuda; });
  }

  /// Whether a program calls functions of these texts alone; if not, `error` says that one is `other`, and `why` it
  /// can't be called.
  bool hasOwnCallsAlone(mlir::ModuleOp module, llvm::StringRef other, llvm::StringRef why, DriverError &error) const;

  Target target;
  const DriverOptions &options;
  /// Those of the user's texts that are for such targets.
  std::vector<UserText> userTexts;
};

} // namespace quernel

#endif
