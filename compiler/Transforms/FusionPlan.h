// The one decision of fusion: which arrays to store, and which stores share a kernel.
#ifndef QUERNEL_TRANSFORMS_FUSIONPLAN_H
#define QUERNEL_TRANSFORMS_FUSIONPLAN_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {

/// Chooses the stored arrays of a function.
///
/// Stored are: results; what a library call or an in-place update reads and writes whole; reductions that would run
/// again for every element of an inner axis; and values that cost more to compute again than to load. All other values
/// live in their consumers.
class FusionPlan {
public:
  FusionPlan(mlir::func::FuncOp function, ShapeAnalysis &shapes);

  bool isStored(mlir::Value value) const { return stored.contains(value); }
  /// Stored values, producers first.
  llvm::ArrayRef<mlir::Value> values() const { return stored.getArrayRef(); }
  /// Values that may not lose their shape, because something reads them whole.
  bool needsShape(mlir::Value value) const { return shaped.contains(value); }

private:
  void require(mlir::Value value, bool keepsShape);
  bool worthStoring(mlir::Value value);
  bool repeats(mlir::Value value, bool isReduction);
  bool feedsSeveralKernels(mlir::Value value);
  double recomputeCost(mlir::Value value);
  bool isLeaf(mlir::Value value) const;
  double extent(Dim dim) const;
  double elements(mlir::Value value) const;

  ShapeAnalysis &shapes;
  llvm::SetVector<mlir::Value> stored;
  llvm::DenseSet<mlir::Value> required, shaped;
  llvm::DenseMap<mlir::Value, double> costs;
};

/// What a matrix product reads for an operand: the array behind a transposition of the last two axes, which BLAS does
/// itself.
mlir::Value matmulSource(mlir::Value operand);

} // namespace quernel

#endif
