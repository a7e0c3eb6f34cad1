// The functions of math that are calls in the text.
#ifndef QUERNEL_COMPILER_EMIT_MATHEMATICS_H
#define QUERNEL_COMPILER_EMIT_MATHEMATICS_H

#include "mlir/IR/Operation.h"

namespace quernel {

struct MathFunction {
  /// Its name in C, and in the text.
  llvm::StringRef name;
  unsigned arity;
  /// SLEEF's accuracy, like "_u10"; empty for functions that processors have.
  llvm::StringRef accuracy;
  /// The end of `__builtin_elementwise_…`, if there is one.
  llvm::StringRef elementwise;
};

/// The function of that C name, or null.
const MathFunction *findMathFunction(llvm::StringRef name);

/// The function that the op computes, or null.
const MathFunction *mathFunctionOf(mlir::Operation *op);

/// Every function's C name.
llvm::ArrayRef<MathFunction> mathFunctions();

} // namespace quernel

#endif
