// CUDA C++ for NVRTC: kernels, one element of the parallel loop a thread.
#ifndef QUERNEL_COMPILER_EMIT_CUDAPRINTER_H
#define QUERNEL_COMPILER_EMIT_CUDAPRINTER_H

#include "compiler/Emit/StatementPrinter.h"

namespace quernel {

class CudaPrinter : public StatementPrinter {
public:
  CudaPrinter(mlir::ModuleOp module, const EmitOptions &options) : StatementPrinter(module, options, "__device__") {}

private:
  bool hasVectors() const override { return false; }
  std::string specialFloat(const llvm::APFloat &value) override;
  void requireMath(const MathFunction &, mlir::Type) override {}
  llvm::StringRef constantQualifier() const override { return "static __device__"; }
  llvm::StringRef restrictQualifier() const override { return "__restrict__"; }

  void printHead(llvm::raw_ostream &os) override;
  void printFunction(mlir::func::FuncOp function) override;
  void printParallel(mlir::scf::ParallelOp loop) override;
  void printLaunches(mlir::func::FuncOp program);
  void printCall(mlir::func::CallOp call) override;

  /// The loop whose iterations the grid shares out; the kernel's others run in one thread.
  mlir::scf::ParallelOp gridLoop;
};

} // namespace quernel

#endif
