// Cuts long reductions with few results into pieces that can run in parallel.
#include "compiler/Transforms/Passes.h"
#include "compiler/Transforms/Sweeps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace quernel {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;
using numerics::pieceLength, numerics::rowsOfPiece;

namespace {

constexpr int64_t enoughResults = 64; // with more results than this they are the parallelism
constexpr int64_t manyRows = 1024;
constexpr int64_t enoughPieces = 16;   // keep all threads busy
constexpr int64_t assumedExtent = 256; // of an axis whose size isn't known, beside another one

// A device has threads for more pieces than a CPU. What a mask chooses of a piece is stored by one of them.
constexpr int64_t deviceLength = 2048, chosenLength = 256;

bool fewResults(ArrayRef<Dim> shape) {
  int64_t count = 1;
  for (Dim dim : shape) {
    auto constant = constantDim(dim);
    if (!constant)
      return false;
    count *= *constant;
  }
  return count > 0 && count < enoughResults;
}

/// A size that isn't known counts as long, unless it may be another in every turn of a loop, as that of `x[:i]` is.
bool isAtLeast(Dim extent, int64_t least, Operation *op) {
  auto constant = constantDim(extent);
  return constant ? *constant >= least : !op->getParentOfType<LoopLikeOpInterface>();
}

bool isLong(Dim extent, int64_t length, Operation *op) { return isAtLeast(extent, 2 * length, op); }

/// Whether the result depends on the order in which elements are combined.
bool isRounded(ReduceOp op) { return op.getKind() == "sum" && !getElementTypeOrSelf(op.getResult()).isInteger(); }

bool mayRegroup(ReduceOp op) {
  Type dtype = getElementTypeOrSelf(op.getResult());
  return ScalarBuilder::mayRegroup(ScalarBuilder::loopKind(op.getKind(), dtype), dtype);
}

/// Whether a sum counts what a mask chooses, which is stored in the pieces that have been counted.
bool countsWhatIsChosen(ReduceOp op) {
  auto cast = op.getX().getDefiningOp<CastOp>();
  return cast && op.getKind() == "sum" && llvm::any_of(cast.getX().getUsers(), llvm::IsaPred<CompressOp>);
}

/// The elements of a piece. No machine changes where a rounded sum is cut.
int64_t lengthOfPieces(ReduceOp op) {
  if (targetOf(op).kind == TargetKind::cpu || isRounded(op))
    return pieceLength;
  return countsWhatIsChosen(op) ? chosenLength : deviceLength;
}

/// A reduction down long columns of long rows: its pieces are short, since they are added into rows of partial results.
bool reducesColumns(ReduceOp op, ShapeAnalysis &shapes) {
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  return op.getAxes().size() == 1 && op.getAxes()[0] + 1 < static_cast<int64_t>(shape.size()) &&
         isAtLeast(shape.back(), enoughResults, op) && isAtLeast(shape[op.getAxes()[0]], manyRows, op);
}

RankedTensorType withPieces(ShapeAnalysis &shapes, Value result, Dim extent, int64_t length) {
  ArrayInfo info{Shape(shapes.shape(result)), cast<RankedTensorType>(result.getType()).getElementType()};
  info.shape.insert(info.shape.begin(), extent.ceilDiv(length));
  return tensorType(info);
}

/// Whether an operation stands in a loop and works on sizes that only the loop knows: too little for pieces.
bool isInnermost(Operation *op, ArrayRef<Dim> shape) {
  auto function = op->getParentOfType<func::FuncOp>();
  unsigned arguments = llvm::count_if(function.getArgumentTypes(), [](Type type) { return type.isIndex(); });
  return op->getParentOp() != function &&
         llvm::any_of(shape, [&](Dim dim) { return lastSymbol(dim) >= static_cast<int64_t>(arguments); });
}

/// Whether a size is one that a loop hands on from turn to turn: how much an array has at its beginning that is made
/// anew in each turn, as where a mask keeps choosing of what it has left.
bool isHandedOn(Dim dim, func::FuncOp function) {
  auto symbol = dyn_cast<AffineSymbolExpr>(dim);
  bool found = false;
  if (symbol)
    function.walk([&](SymbolOp op) {
      auto argument = dyn_cast<BlockArgument>(op.getValue());
      found |= op.getNumber() == symbol.getPosition() && argument && !argument.getType().isIndex();
    });
  return found;
}

/// Whether a sum counts what a mask chooses of such an array: then its pieces are also those in which that is stored.
bool countsWhatIsLeft(ReduceOp op, ArrayRef<Dim> shape) {
  return shape.size() == 1 && countsWhatIsChosen(op) && isHandedOn(shape[0], op->getParentOfType<func::FuncOp>());
}

/// Which of the axes that are reduced to few results is cut, and after how many of its elements.
struct Cut {
  size_t axis;
  int64_t length;
};

/// An axis that is long by itself, or the outermost one that makes enough pieces of about the same number of elements.
/// All the axes that are reduced have to be known then, or not to differ from turn to turn. `ofPiece` is what a piece
/// has.
std::optional<Cut> cutOf(ReduceOp op, ArrayRef<Dim> shape, int64_t ofPiece) {
  ArrayRef<int64_t> axes = op.getAxes();
  // Many long rows are cut as for sums of columns, so that both can go through the rows in one sweep.
  bool inLoop = op->getParentOfType<LoopLikeOpInterface>();
  bool isKnown = llvm::all_of(shape, [](Dim dim) { return constantDim(dim).has_value(); });
  if (const auto *rows = llvm::find(axes, 0);
      rows != axes.end() && (isKnown || !inLoop) && hasLongRows(shape) && isAtLeast(shape[0], manyRows, op))
    return Cut{static_cast<size_t>(rows - axes.begin()), rowsOfPiece};
  int64_t unknown = llvm::count_if(axes, [&](int64_t axis) { return !constantDim(shape[axis]); });
  for (auto [i, axis] : llvm::enumerate(axes))
    if (isLong(shape[axis], ofPiece, op) && (constantDim(shape[axis]) || unknown == 1))
      return Cut{i, ofPiece};
  if (unknown > 0 && op->getParentOfType<LoopLikeOpInterface>())
    return std::nullopt;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    double others = 1;
    for (int64_t other : axes)
      others *= other == axis ? 1 : constantDim(shape[other]).value_or(assumedExtent);
    int64_t length = std::max<int64_t>(1, static_cast<int64_t>(ofPiece / std::max(1.0, others)));
    auto extent = constantDim(shape[axis]);
    if (!extent || (*extent >= enoughPieces * length && *extent * others >= 2 * ofPiece))
      return Cut{i, length};
  }
  return std::nullopt;
}

/// Splits a reduction and, on a device, that of the pieces' results where these are many.
void split(ReduceOp op, ShapeAnalysis &shapes, SmallVectorImpl<Operation *> &finished) {
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  const bool isCount = countsWhatIsLeft(op, shape);
  if (op.getChunk() || !mayRegroup(op) || (isInnermost(op, shape) && !isCount))
    return;
  SmallVector<int64_t> axes(op.getAxes());
  int64_t length = lengthOfPieces(op);
  if (reducesColumns(op, shapes)) {
    length = rowsOfPiece;
  } else if (!isCount) {
    auto cut = fewResults(shapes.shape(op.getResult())) ? cutOf(op, shape, length) : std::nullopt;
    if (!cut)
      return;
    length = cut->length;
    std::rotate(axes.begin(), axes.begin() + cut->axis, axes.begin() + cut->axis + 1);
  }
  OpBuilder builder(op);
  auto pieces =
      ReduceOp::create(builder, op.getLoc(), withPieces(shapes, op.getResult(), shape[axes[0]], length), op.getX(),
                       op.getKindAttr(), builder.getDenseI64ArrayAttr(axes), builder.getI64IntegerAttr(length));
  auto whole = ReduceOp::create(builder, op.getLoc(), op.getType(), pieces, op.getKindAttr(),
                                builder.getDenseI64ArrayAttr({0}), IntegerAttr());
  op.replaceAllUsesWith(whole.getResult());
  finished.push_back(op);
  if (lengthOfPieces(op) < pieceLength && constantDim(shapes.shape(pieces.getResult())[0]))
    split(whole, shapes, finished);
}

void split(ArgReduceOp op, ShapeAnalysis &shapes, SmallVectorImpl<Operation *> &finished) {
  Dim extent = shapes.shape(op.getX())[op.getAxis()];
  const int64_t length = targetOf(op).kind == TargetKind::cpu ? pieceLength : deviceLength;
  if (op.getChunk() || op.getPayload() || isInnermost(op, shapes.shape(op.getX())) || !isLong(extent, length, op) ||
      !fewResults(shapes.shape(op.getIndex())))
    return;
  OpBuilder builder(op);
  auto pieces = ArgReduceOp::create(builder, op.getLoc(), withPieces(shapes, op.getValue(), extent, length),
                                    withPieces(shapes, op.getIndex(), extent, length), op.getX(), Value(),
                                    op.getKindAttr(), op.getAxisAttr(), builder.getI64IntegerAttr(length));
  auto whole =
      ArgReduceOp::create(builder, op.getLoc(), op.getValue().getType(), op.getIndex().getType(), pieces.getValue(),
                          pieces.getIndex(), op.getKindAttr(), builder.getI64IntegerAttr(0), IntegerAttr());
  op->replaceAllUsesWith(whole);
  finished.push_back(op);
}

struct SplitReductions : quernel::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    ShapeAnalysis shapes(getOperation());
    // What was replaced is erased last: the analysis knows values by address, which a new operation could get.
    SmallVector<Operation *> work, finished;
    getOperation().walk([&](Operation *op) { work.push_back(op); });
    for (Operation *op : work) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        split(reduce, shapes, finished);
      else if (auto search = dyn_cast<ArgReduceOp>(op))
        split(search, shapes, finished);
    }
    for (Operation *op : finished)
      op->erase();
  }
};

} // namespace
