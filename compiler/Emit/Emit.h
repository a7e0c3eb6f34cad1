// Text of a lowered module: C++ with OpenMP, or CUDA C++. docs/architecture.md lists the IR that these accept.
#ifndef QUERNEL_COMPILER_EMIT_EMIT_H
#define QUERNEL_COMPILER_EMIT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace quernel {

struct EmitOptions {
  /// Bytes of a vector register; constants and scratch arrays are aligned to it.
  unsigned vectorBytes = 64;
  /// SLEEF's instruction set: "avx512f", "avx2" or "sse4"; empty calls the scalar functions of libm.
  std::string mathIsa;
  /// Calls NumPy's functions of math where `libquernel_math.so` has them (runtime/VectorMath); with "avx512f" alone.
  bool svml = false;
  /// What the text is for, as a compiler's -march names it: vectors in calls have another ABI without. Empty says
  /// nothing.
  std::string machine;
};

/// Prints kernels, programs and shapes functions as C++17 that includes nothing. Reports what it can't print on its op.
mlir::LogicalResult emitCpp(mlir::ModuleOp module, llvm::raw_ostream &os, const EmitOptions &options = {});

/// Prints the kernels as CUDA C++ for NVRTC, and the program that launches them, and shapes functions, as C++ for the
/// host.
mlir::LogicalResult emitCuda(mlir::ModuleOp module, llvm::raw_ostream &os, const EmitOptions &options = {});

} // namespace quernel

#endif
