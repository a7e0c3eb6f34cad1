// Builds the scalar at an index of an array from the operations that make the array.
#ifndef QUERNEL_TRANSFORMS_INDEXFUNCTION_H
#define QUERNEL_TRANSFORMS_INDEXFUNCTION_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <map>

namespace quernel {

/// What is known of a function's symbols: sizes of arguments are at least 2, counters stay in their loops' ranges.
llvm::SmallVector<SymbolBounds> symbolBoundsOf(mlir::Operation *function);

/// Sizes as an attribute of an operation.
mlir::AffineMap mapOf(llvm::ArrayRef<Dim> dims, mlir::MLIRContext *context);

/// Sizes as SSA values: symbol k is the function's k-th `index` argument, or what was defined as it.
class SymbolSizes {
public:
  explicit SymbolSizes(mlir::Operation *function);
  /// The value of a size at the builder's insertion point.
  mlir::Value value(mlir::OpBuilder &builder, mlir::Location loc, Dim dim) const;
  /// The same, as a constant where it is one.
  mlir::OpFoldResult folded(mlir::OpBuilder &builder, mlir::Location loc, Dim dim) const;
  /// The number of elements of a shape.
  mlir::Value count(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<Dim> shape) const;
  /// Gives a symbol its value: the counter of a loop, or a size that depends on data.
  void define(unsigned symbol, mlir::Value value);
  /// Whether a size is proven not to be 0.
  bool isPositive(Dim dim) const;

private:
  llvm::SmallVector<mlir::Value> symbols;
  llvm::SmallVector<SymbolBounds> bounds;
};

/// A stored array, or the scalar of an array without axes. `flat` arrays have one axis that holds all elements in C
/// order.
struct StoredArray {
  mlir::Value tensor;
  bool flat = false;
};
using StoredArrays = llvm::DenseMap<mlir::Value, StoredArray>;

/// Contiguous arguments with all axes joined to one.
using FlatArguments = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Builds the scalar at an index of any value of a quernel function, inside one block and the loops it opens there.
///
/// Every operation is placed in the outermost loop that its operands allow, and found again there: a value that doesn't
/// depend on a loop is computed before it. No element is loaded that an array doesn't have, also where its value isn't
/// used in the end: what is asked of an array that may be empty stands in a branch, which nothing leaves.
class IndexFunction {
public:
  IndexFunction(ShapeAnalysis &shapes, const SymbolSizes &sizes, const StoredArrays &stored,
                const FlatArguments &flatArguments, mlir::Block *block);

  /// The scalar of `array` at `indices`, one per axis.
  mlir::Value element(mlir::Value array, mlir::ValueRange indices);
  /// The scalar of `array` at a position in C order. Needs isFlat(array).
  mlir::Value flatElement(mlir::Value array, mlir::Value position);
  /// The element of an index array, as an index that is inside of an axis.
  mlir::Value position(mlir::Value indexArray, mlir::ValueRange indices, Dim extent);
  /// A size, at the outermost level.
  mlir::Value size(mlir::Location loc, Dim dim);

private:
  /// A loop's body, or the branch that guards a question.
  struct Scope {
    mlir::Block *block;
    mlir::Operation *owner;
    std::map<std::pair<void *, llvm::SmallVector<void *>>, mlir::Value> known;
  };
  using Indices = llvm::SmallVector<mlir::Value, 4>;

  int levelOf(mlir::Value value) const;
  int levelOf(mlir::ValueRange values) const;
  /// The level of the innermost branch, which nothing that is built inside may leave.
  int outermost() const;
  /// The value; a constant that a fold left in a loop is moved before all loops that it may leave.
  mlir::Value outward(mlir::Value value);
  mlir::OpBuilder at(int level);
  mlir::Value compute(mlir::Value array, mlir::ValueRange indices);
  mlir::Value load(mlir::Location loc, mlir::Value tensor, mlir::ValueRange indices);
  mlir::Value loadFlat(mlir::Location loc, const StoredArray &stored, mlir::Value array, mlir::ValueRange indices);
  mlir::Value elementwise(mlir::Operation *op, llvm::function_ref<mlir::Value(mlir::Value)> operand);
  Indices broadcast(mlir::Location loc, llvm::ArrayRef<Dim> shape, mlir::ValueRange indices);
  mlir::Value linearize(mlir::Location loc, llvm::ArrayRef<Dim> shape, mlir::ValueRange indices);

  mlir::Value reshape(ReshapeOp op, mlir::ValueRange indices);
  void regroup(mlir::Location loc, llvm::ArrayRef<Dim> to, mlir::ValueRange indices, llvm::ArrayRef<Dim> from,
               Indices &result);
  mlir::Value slice(SliceOp op, mlir::ValueRange indices);
  /// A number that counters, sizes and constants alone say, in index arithmetic; null where there is more to it, or it
  /// may wrap.
  mlir::Value counted(mlir::Value integer, int depth);
  mlir::Value countedCondition(mlir::Value condition, int depth);
  /// The element of an array at indices that are inside if none of the extents is 0; anything where one is.
  mlir::Value elementUnlessEmpty(mlir::Value array, mlir::ValueRange indices, llvm::ArrayRef<Dim> extents);
  mlir::Value concatenate(ConcatenateOp op, mlir::ValueRange indices);
  mlir::Value gather(GatherOp op, mlir::ValueRange indices);
  mlir::Value reduce(ReduceOp op, mlir::ValueRange indices);
  mlir::Value argreduce(ArgReduceOp op, mlir::OpResult result, mlir::ValueRange indices);

  struct LoopBounds {
    mlir::Value lower, upper;
  };
  LoopBounds reductionBounds(mlir::Location loc, Dim extent, mlir::IntegerAttr chunk, mlir::Value piece);
  /// Runs `build` at `level`, as if the deeper loops weren't open.
  void atLevel(int level, llvm::function_ref<void()> build);
  mlir::scf::ForOp openLoop(mlir::Location loc, LoopBounds bounds, mlir::ValueRange init,
                            llvm::ArrayRef<ReductionKind> kinds);
  void closeLoop(mlir::Location loc, mlir::ValueRange next);

  template <typename Op> mlir::Value arith(mlir::Location loc, mlir::Value x, mlir::Value y);
  mlir::Value index(mlir::Location loc, int64_t value);

  ShapeAnalysis &shapes;
  const SymbolSizes &sizes;
  const StoredArrays &stored;
  const FlatArguments &flatArguments;
  llvm::SmallVector<Scope> scopes;
};

template <typename Op> mlir::Value IndexFunction::arith(mlir::Location loc, mlir::Value x, mlir::Value y) {
  return outward(at(std::max(levelOf(x), levelOf(y))).createOrFold<Op>(loc, x, y));
}

/// Whether every element of `array` depends on the same position of contiguous arrays of as many elements, or on
/// scalars, so that all its axes can be walked as one.
bool isFlat(mlir::Value array, ShapeAnalysis &shapes, const StoredArrays &stored, const FlatArguments &flatArguments);

} // namespace quernel

#endif
