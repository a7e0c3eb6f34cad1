// Rewrites the body of a loop so that one run does the work of several iterations, one per vector lane.
#ifndef QUERNEL_LOWERING_WIDENER_H
#define QUERNEL_LOWERING_WIDENER_H

#include "compiler/Lowering/LowBits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {

/// Widens operations one by one. A value is *uniform* (the same in every lane; cloned as it is), *linear* (an index
/// that grows by a fixed step from lane to lane; kept as the first lane's scalar) or *varying* (a vector).
class Widener {
public:
  Widener(mlir::OpBuilder &builder, int64_t lanes) : builder(builder), lanes(lanes) {}

  /// Only the first `count` lanes, one at least, have iterations of their own; each of the others repeats the first
  /// one, so that it touches no other memory and sets no other flag of the processor.
  void setCount(mlir::Location loc, mlir::Value count);

  /// Whether every operation in the block has a wide form.
  static bool canWiden(mlir::Block &block, mlir::Value variable);

  /// Declares the loop variable: lane i has `base + i`.
  void setVariable(mlir::Value old, mlir::Value base);
  /// Declares a value that has a vector already.
  void setVarying(mlir::Value old, mlir::Value vector);
  /// Widens all operations but the terminator at the builder's insertion point.
  void widenBlock(mlir::Block &block);
  /// The vector of a value, built where it is needed.
  mlir::Value vectorOf(mlir::Value old);
  mlir::VectorType vectorType(mlir::Type scalar) const { return mlir::VectorType::get({lanes}, scalar); }

private:
  bool isUniform(mlir::Value old) const { return !linear.contains(old) && !varying.contains(old); }
  bool isUniform(mlir::Operation *op) const;
  mlir::Value scalarOf(mlir::Value old) const { return mapping.lookupOrDefault(old); }

  void widen(mlir::Operation *op);
  bool widenLinear(mlir::Operation *op);
  bool widenDivision(mlir::Operation *op);
  void widenElementwise(mlir::Operation *op);
  void widenLoop(mlir::scf::ForOp loop);
  void widenBranch(mlir::scf::IfOp branch);
  void widenLoad(mlir::Operation *op);
  void widenStore(mlir::Operation *op);
  bool widenPairOfLoads(mlir::Operation *op);
  bool widenPairOfStores(mlir::Operation *op);
  bool isContiguous(mlir::Value index) const;
  bool isEverySecond(mlir::Value index) const;
  mlir::Value laneOffsets(mlir::Location loc, mlir::OpFoldResult step);
  mlir::Value constantIndex(mlir::Location loc, int64_t value);
  mlir::Value allLanes(mlir::Location loc);

  mlir::OpBuilder &builder;
  int64_t lanes;
  mlir::Value laneNumbers;                                // of `setCount`: the iteration of each lane
  mlir::IRMapping mapping;                                // uniform values, and the first lane of linear ones
  llvm::DenseMap<mlir::Value, mlir::OpFoldResult> linear; // the step from lane to lane
  llvm::DenseMap<mlir::Value, mlir::Value> varying;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> firstOf; // of a pair of stores, by the second
  LowBitsAnalysis lowBits;                                      // of the first lane's indices
};

} // namespace quernel

#endif
