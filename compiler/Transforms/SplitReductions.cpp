// Cuts long reductions with few results into pieces that can run in parallel.
#include "compiler/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace quernel {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t pieceLength = 16384; // 128 KiB of doubles: stays in the second-level cache
constexpr int64_t enoughResults = 64;  // with more results than this they are the parallelism

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

bool isLong(Dim extent) {
  auto constant = constantDim(extent);
  return !constant || *constant >= 2 * pieceLength;
}

RankedTensorType withPieces(ShapeAnalysis &shapes, Value result, Dim extent) {
  ArrayInfo info{Shape(shapes.shape(result)), cast<RankedTensorType>(result.getType()).getElementType()};
  info.shape.insert(info.shape.begin(), extent.ceilDiv(pieceLength));
  return tensorType(info);
}

void split(ReduceOp op, ShapeAnalysis &shapes) {
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  SmallVector<int64_t> axes(op.getAxes());
  auto *longest = llvm::find_if(axes, [&](int64_t axis) { return isLong(shape[axis]); });
  if (op.getChunk() || longest == axes.end() || !fewResults(shapes.shape(op.getResult())))
    return;
  std::rotate(axes.begin(), longest, longest + 1);
  OpBuilder builder(op);
  auto pieces = ReduceOp::create(builder, op.getLoc(), withPieces(shapes, op.getResult(), shape[axes[0]]), op.getX(),
                                 op.getKindAttr(), builder.getDenseI64ArrayAttr(axes),
                                 builder.getI64IntegerAttr(pieceLength));
  auto whole = ReduceOp::create(builder, op.getLoc(), op.getType(), pieces, op.getKindAttr(),
                                builder.getDenseI64ArrayAttr({0}), IntegerAttr());
  op.replaceAllUsesWith(whole.getResult());
  op.erase();
}

void split(ArgReduceOp op, ShapeAnalysis &shapes) {
  Dim extent = shapes.shape(op.getX())[op.getAxis()];
  if (op.getChunk() || op.getPayload() || !isLong(extent) || !fewResults(shapes.shape(op.getIndex())))
    return;
  OpBuilder builder(op);
  auto pieces = ArgReduceOp::create(builder, op.getLoc(), withPieces(shapes, op.getValue(), extent),
                                    withPieces(shapes, op.getIndex(), extent), op.getX(), Value(), op.getKindAttr(),
                                    op.getAxisAttr(), builder.getI64IntegerAttr(pieceLength));
  auto whole = ArgReduceOp::create(builder, op.getLoc(), op.getValue().getType(), op.getIndex().getType(),
                                   pieces.getValue(), pieces.getIndex(), op.getKindAttr(),
                                   builder.getI64IntegerAttr(0), IntegerAttr());
  op->replaceAllUsesWith(whole);
  op.erase();
}

struct SplitReductions : quernel::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    ShapeAnalysis shapes(getOperation());
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) { work.push_back(op); });
    for (Operation *op : work) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        split(reduce, shapes);
      else if (auto search = dyn_cast<ArgReduceOp>(op))
        split(search, shapes);
    }
  }
};

} // namespace
