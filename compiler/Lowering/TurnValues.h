// What turns of several loops over one range compute of the same.
#ifndef QUERNEL_LOWERING_TURNVALUES_H
#define QUERNEL_LOWERING_TURNVALUES_H

#include "compiler/Lowering/LoopDependence.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

namespace quernel {

/// Additions; less is computed again sooner than it is stored and loaded.
constexpr int64_t worthKeeping = 12;

/// Numbers for values of loops over one range: values with the same number are equal in the same turn.
class TurnValues {
public:
  explicit TurnValues(LoopDependence &dependence) : dependence(dependence) {}

  void addBody(mlir::scf::ForOp loop);
  unsigned of(mlir::Value value);
  /// The values that a loop's body computes, and that equal this one in the same turn.
  llvm::SmallVector<mlir::Value> equalIn(mlir::scf::ForOp loop, mlir::Value value);

private:
  bool readsWhatNobodyWrites(mlir::Operation *op);
  unsigned ofOperation(mlir::Operation &op);

  static constexpr unsigned turn = 0;
  unsigned next = 1;
  LoopDependence &dependence;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::map<llvm::SmallVector<const void *>, unsigned> operations;
};

/// The work of a value within the body of its loop.
int64_t workOf(mlir::Value value, mlir::Block *body);

} // namespace quernel

#endif
