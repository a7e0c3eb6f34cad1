// On which loops of a kernel a value depends.
#ifndef QUERNEL_LOWERING_LOOPDEPENDENCE_H
#define QUERNEL_LOWERING_LOOPDEPENDENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {

/// A loop, and which of its counters.
using LoopAxis = std::pair<mlir::Operation *, unsigned>;
using LoopSet = llvm::SmallSetVector<LoopAxis, 4>;

/// The axis that a value counts the turns of.
std::optional<LoopAxis> axisOf(mlir::Value value);

class LoopDependence {
public:
  explicit LoopDependence(mlir::func::FuncOp kernel);

  /// The loops in which the value may differ from turn to turn.
  const LoopSet &of(mlir::Value value);
  /// The loops whose turns have an operation do its work again.
  LoopSet ofOperation(mlir::Operation *op);
  /// The loops around an operation.
  static LoopSet around(mlir::Operation *op);
  /// Whether the kernel stores to the array.
  bool isWritten(mlir::Value buffer) const { return written.contains(rootOf(buffer)); }
  static mlir::Value rootOf(mlir::Value buffer);

private:
  LoopSet compute(mlir::Value value);
  LoopSet ofRegions(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, LoopSet> known;
  llvm::DenseSet<mlir::Value> written;
};

} // namespace quernel

#endif
