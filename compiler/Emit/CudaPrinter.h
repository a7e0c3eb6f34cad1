// CUDA C++ for NVRTC: kernels, whose threads share the turns of a parallel loop.
#ifndef QUERNEL_COMPILER_EMIT_CUDAPRINTER_H
#define QUERNEL_COMPILER_EMIT_CUDAPRINTER_H

#include "compiler/Emit/Checks.h"
#include "compiler/Emit/StatementPrinter.h"
#include "compiler/Lowering/Grid.h"

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
  unsigned mostAxes() const override { return mostGridAxes; }
  void printParallel(mlir::scf::ParallelOp loop) override;
  /// A loop for each axis from that of the number on.
  void printAxes(mlir::scf::ParallelOp loop, unsigned number);
  void printCall(mlir::func::CallOp call) override;
  void printResource(mlir::Operation *op) override;
  void printLanes(mlir::Operation *op) override;
  void printTeams(mlir::Operation *op) override;
  void printAtomic(mlir::memref::AtomicRMWOp update) override;
  void printPacks(mlir::Operation *op) override;
  void printPragma(mlir::Operation *loop) override;
  void printScratch(mlir::memref::AllocaOp scratch) override;

  /// The exceptions of the module's checks.
  std::vector<ErrorSite> errors;
  /// Whether a check stands in a kernel: then each kernel gets `first_failure`.
  const bool mayFail;
  /// The loops whose turns the grid shares out; the kernel's others run in one thread.
  std::optional<Grid> grid;
};

/// Whether a check stands in a kernel, so that kernels are given the memory in which they say that one has failed.
bool hasKernelChecks(mlir::ModuleOp module);

/// The kernels that the routines need besides which the program calls and a device's libraries may have: those of
/// RoutineKernels.def, in its order.
llvm::SmallVector<llvm::StringRef> routineKernels(mlir::ModuleOp module);

/// Whether a function of the role reads a constant.
bool readsGlobal(mlir::ModuleOp module, FunctionRole role, mlir::memref::GlobalOp global);

} // namespace quernel

#endif
