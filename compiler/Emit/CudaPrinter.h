// CUDA C++ for NVRTC: kernels, one element of the parallel loop a thread.
#ifndef QUERNEL_COMPILER_EMIT_CUDAPRINTER_H
#define QUERNEL_COMPILER_EMIT_CUDAPRINTER_H

#include "compiler/Emit/Checks.h"
#include "compiler/Emit/StatementPrinter.h"

namespace quernel {

class CudaPrinter : public StatementPrinter {
public:
  CudaPrinter(mlir::ModuleOp module, const EmitOptions &options);

private:
  bool hasVectors() const override { return false; }
  std::string halfName() override;
  std::string specialFloat(const llvm::APFloat &value) override;
  void requireMath(const MathFunction &, mlir::Type) override {}
  llvm::StringRef constantQualifier() const override { return "static __device__"; }
  llvm::StringRef restrictQualifier() const override { return "__restrict__"; }
  bool printsGlobal(mlir::memref::GlobalOp global) override;

  void nameMore() override;
  void printHead(llvm::raw_ostream &) override {}
  void printFunction(mlir::func::FuncOp function) override;
  void printParallel(mlir::scf::ParallelOp loop) override;
  void printCall(mlir::func::CallOp call) override;
  void printResource(mlir::Operation *op) override;
  void printLanes(mlir::Operation *op) override;
  void printAtomic(mlir::memref::AtomicRMWOp update) override;
  void printScratch(mlir::memref::AllocaOp scratch) override;

  /// The exceptions of the module's checks.
  std::vector<ErrorSite> errors;
  /// Whether a check stands in a kernel: then each kernel gets `first_failure`.
  const bool mayFail;
  /// The loop whose iterations the grid shares out; the kernel's others run in one thread.
  mlir::scf::ParallelOp gridLoop;
};

/// Whether a check stands in a kernel, so that kernels are given the memory in which they say that one has failed.
bool hasKernelChecks(mlir::ModuleOp module);

/// Whether the program calls routines that libraries of a device may have, which need kernels besides.
bool callsDeviceLibraries(mlir::ModuleOp module);

/// Whether a function of the role reads a constant.
bool readsGlobal(mlir::ModuleOp module, FunctionRole role, mlir::memref::GlobalOp global);

} // namespace quernel

#endif
