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
static bool isStoredBefore(Value array, Operation *around) {
  Operation *op = array.getDefiningOp();
  return isa<scf::ForOp, scf::WhileOp>(around) && isa_and_nonnull<ScalarOpInterface>(op) && !around->isAncestor(op);
}

/// Whether a part of a computed array is most of it: storing the array takes little more than storing the part.
static bool isMostOfComputed(SliceOp cut, ShapeAnalysis &shapes) {
  auto count = [&](Value array) {
    double elements = 1;
    for (Dim dim : shapes.shape(array))
      elements *= static_cast<double>(constantDim(dim).value_or(0));
    return elements;
  };
  return isa_and_nonnull<ScalarOpInterface>(cut.getX().getDefiningOp()) &&
         2 * count(cut.getResult()) > count(cut.getX());
}

MatmulOperand::MatmulOperand(MatmulOp product, unsigned side, ShapeAnalysis &shapes)
    : source(product->getOperand(side)) {
  Value operand = source;
  permutation = llvm::to_vector(llvm::seq<int64_t>(0, shapes.shape(operand).size()));
  if (auto transpose = source.getDefiningOp<TransposeOp>()) {
    permutation.assign(transpose.getPermutation().begin(), transpose.getPermutation().end());
    source = transpose.getX();
  }
  findSlice(operand.getParentBlock()->getParentOp(), shapes);
  // Somebody has to have the axis that is summed.
  const size_t rank = permutation.size(), summed = side == 0 || rank == 1 ? rank - 1 : rank - 2;
  if (!slice && constantDim(shapes.shape(operand)[summed]) != 1)
    findJoined(shapes);
}

/// A slice of an array in memory, in a loop of one that is stored before it, or most of a computed one: copying it may
/// cost as much as the product.
void MatmulOperand::findSlice(Operation *around, ShapeAnalysis &shapes) {
  Value whole = source;
  auto reshape = whole.getDefiningOp<ReshapeOp>();
  if (reshape)
    whole = reshape.getX();
  auto cut = whole.getDefiningOp<SliceOp>();
  if (!cut || !(isInMemory(cut.getX()) || isStoredBefore(cut.getX(), around) || isMostOfComputed(cut, shapes)))
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

/// A reshape of which each axis is some of the array's axes, one behind the other, or has size 1: such an axis is none
/// of the memory.
void MatmulOperand::findJoined(ShapeAnalysis &shapes) {
  auto reshape = source.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return;
  ArrayRef<Dim> from = shapes.shape(reshape.getX()), to = shapes.shape(source);
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> axes(to.size(), -1);
  int64_t next = 0; // axes of size 1 that no axis is made of are joined to the next one
  for (const AxisGroup &group : reshapeGroups(from, to)) {
    bool isFound = false;
    for (size_t axis = group.toBegin; axis < group.toEnd; ++axis) {
      if (constantDim(to[axis]) == 1)
        continue;
      if (isFound)
        return;
      isFound = true;
      axes[axis] = groups.size();
    }
    if (!isFound)
      continue;
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(next, group.fromEnd)));
    next = group.fromEnd;
  }
  if (groups.empty())
    return;
  while (next < static_cast<int64_t>(from.size()))
    groups.back().push_back(next++);
  for (int64_t &axis : permutation)
    axis = axes[axis];
  joined = std::move(groups);
  source = reshape.getX();
}
