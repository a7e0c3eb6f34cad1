// What a matrix product reads, so that the library reads slices and transpositions where they are.
#include "compiler/Transforms/FusionPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quernel;

/// Whether a value is an array in memory, whatever the plan.
static bool isInMemory(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !isa<ShapeRuleOpInterface>(op) || isa<AssumeShapeOp, UpdateSliceOp, ScatterOp>(op);
}

static bool swapsLastAxes(TransposeOp transpose) {
  int64_t rank = transpose.getPermutation().size();
  if (rank < 2)
    return false;
  auto swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  return llvm::equal(swapped, transpose.getPermutation());
}

/// What is computed before a loop and read by a product inside is stored once.
static bool isStoredBefore(Value array, Operation *loop) {
  Operation *op = array.getDefiningOp();
  return op && isa<ScalarOpInterface>(op) && !loop->isAncestor(op);
}

MatmulOperand::MatmulOperand(Value operand) : source(operand) {
  if (auto transpose = source.getDefiningOp<TransposeOp>(); transpose && swapsLastAxes(transpose)) {
    transposed = true;
    source = transpose.getX();
  }
  // A slice of an array in memory, inside of a loop: copying it in every turn would cost as much as the product.
  Operation *loop = operand.getParentBlock()->getParentOp();
  if (!isa<scf::ForOp, scf::WhileOp>(loop))
    return;
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
