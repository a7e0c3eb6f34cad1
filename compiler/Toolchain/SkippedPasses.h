// The passes of LLVM's that the generated text doesn't need.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_SKIPPEDPASSES_H
#define QUERNEL_COMPILER_TOOLCHAIN_SKIPPEDPASSES_H

#include "llvm/IR/OptBisect.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace quernel {

/// Has the optimizer leave out passes, or some of the times that a pass runs for a function. The result is right for
/// any program, and as fast for what our printers print.
void skipPasses(llvm::PassBuilder &builder);

/// The same for the code generator: the gate of a context whose module is compiled. The optimizer, which asks the gate,
/// too, is done when `begin` is called.
class CodeGenerationGate : public llvm::OptPassGate {
public:
  void begin() { begun = true; }

  bool isEnabled() const override { return begun; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override;

private:
  bool begun = false;
};

} // namespace quernel

#endif
