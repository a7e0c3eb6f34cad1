// What a matrix product reads, so that the library reads operands where they are.
#include "compiler/Transforms/FusionPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quernel;

/// Whether a value is an array in memory, whatever the plan.
static bool isInMemory(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !isa<ShapeRuleOpInterface>(op) || isa<AssumeShapeOp, UpdateSliceOp, ScatterOp>(op);
}

/// What is computed before a loop and read by a product inside is stored once.
static bool isStoredBefore(Value array, Operation *loop) {
  Operation *op = array.getDefiningOp();
  return op && isa<ScalarOpInterface>(op) && !loop->isAncestor(op);
}

MatmulOperand::MatmulOperand(Value operand, ShapeAnalysis &shapes) : source(operand) {
  permutation = llvm::to_vector(llvm::seq<int64_t>(0, shapes.shape(operand).size()));
  if (auto transpose = source.getDefiningOp<TransposeOp>()) {
    permutation.assign(transpose.getPermutation().begin(), transpose.getPermutation().end());
    source = transpose.getX();
  }
  Operation *loop = operand.getParentBlock()->getParentOp();
  if (isa<scf::ForOp, scf::WhileOp>(loop))
    findSlice(loop);
  if (!slice)
    findJoined(shapes);
}

/// A slice of an array in memory, inside of a loop: copying it in every turn would cost as much as the product.
void MatmulOperand::findSlice(Operation *loop) {
  Value whole = source;
  auto reshape = whole.getDefiningOp<ReshapeOp>();
  if (reshape)
    whole = reshape.getX();
  auto cut = whole.getDefiningOp<SliceOp>();
  if (!cut || !(isInMemory(cut.getX()) || isStoredBefore(cut.getX(), loop)))
    return;
  auto isUnit = [](Dim size) { return constantDim(size) == 1; };
  auto strides = cut.getStrides().getResults(), sizes = cut.getSizes().getResults();
  if (llvm::any_of(strides, [](Dim stride) { return constantDim(stride).value_or(-1) < 1; }))
    return;
  if (reshape) {
    SmallVector<Dim> kept;
    llvm::copy_if(sizes, std::back_inserter(kept), [&](Dim size) { return !isUnit(size); });
    if (reshape.getShape().getResults() != ArrayRef(kept))
      return;
    dropsUnitAxes = true;
  }
  slice = cut;
  source = cut.getX();
}

/// A reshape of which each axis is some of the array's axes, one behind the other.
void MatmulOperand::findJoined(ShapeAnalysis &shapes) {
  auto reshape = source.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return;
  ArrayRef<Dim> from = shapes.shape(reshape.getX()), to = shapes.shape(source);
  SmallVector<ReassociationIndices> groups;
  for (const AxisGroup &group : reshapeGroups(from, to)) {
    if (group.toEnd - group.toBegin != 1 || group.fromBegin == group.fromEnd)
      return;
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(group.fromBegin, group.fromEnd)));
  }
  if (groups.empty())
    return;
  joined = std::move(groups);
  source = reshape.getX();
}
