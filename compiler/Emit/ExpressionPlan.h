// Decides which values become part of a bigger expression and which get a variable.
//
//   %a = arith.subf %x, %m          const double a = x - m;     used twice: a variable
//   %q = arith.mulf %a, %a          sum += a * a;               used once: inside the expression of its user
//   %t = arith.addf %sum, %q
#ifndef QUERNEL_COMPILER_EMIT_EXPRESSIONPLAN_H
#define QUERNEL_COMPILER_EMIT_EXPRESSIONPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace quernel {

/// True for ops whose text is that of an operand or a literal, so that they never deserve a variable.
bool isTransparent(mlir::Operation *op);

/// True if the op, or an op inside it, may change memory.
bool mayWrite(mlir::Operation *op);

/// True for ops that read memory and print as expressions.
bool isLoad(mlir::Operation *op);

class ExpressionPlan {
public:
  explicit ExpressionPlan(mlir::func::FuncOp function);

  /// The op prints inside the expression of its user (or, if it is dead, nowhere).
  bool isInlined(mlir::Operation *op) const { return inlined.contains(op); }

private:
  void planBlock(mlir::Block &block);
  void planOp(mlir::Operation *op);
  void limitCosts(mlir::Block &block);

  /// Inlined ops, each with the op whose statement prints it.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> inlined;
  llvm::DenseMap<mlir::Operation *, unsigned> costs;
  /// Inlined ops that a loop's condition evaluates.
  llvm::DenseSet<mlir::Operation *> inBounds;
  /// Values that a strided access names, so they need a variable.
  llvm::DenseSet<mlir::Value> pinned;
};

} // namespace quernel

#endif
