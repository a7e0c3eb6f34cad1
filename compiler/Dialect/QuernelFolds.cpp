// Folders and canonicalisation: views of views become one view, views that change nothing disappear.
#include "compiler/Dialect/Quernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

/// The operand where its type is the result's and static, so that the view changes nothing.
static OpFoldResult foldSameStaticType(Value x, Value result) {
  auto type = cast<RankedTensorType>(x.getType());
  return type == result.getType() && type.hasStaticShape() ? x : OpFoldResult();
}

/// Bytes that are seen as another dtype and back are the bytes themselves.
OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<BitcastOp>();
  return inner && inner.getX().getType() == getType() ? inner.getX() : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

OpFoldResult CountOp::fold(FoldAdaptor adaptor) {
  if (getSizes().size() == 1)
    return getSizes().front();
  int64_t product = 1;
  for (Attribute size : adaptor.getSizes()) {
    auto known = dyn_cast_or_null<IntegerAttr>(size);
    if (!known)
      return {};
    if (llvm::MulOverflow(product, known.getInt(), product))
      product = std::numeric_limits<int64_t>::max();
  }
  return IntegerAttr::get(getType(), product);
}

/// A constant that can't be what NumPy warns of is itself.
OpFoldResult DivisorOp::fold(FoldAdaptor adaptor) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getDivisor());
  Attribute attribute = elements && elements.isSplat() ? elements.getSplatValue<Attribute>() : adaptor.getDivisor();
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  bool isTold = !number || number.getValue().isZero() || (!getDividend().empty() && number.getValue().isAllOnes());
  return isTold ? OpFoldResult() : OpFoldResult(getDivisor());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return foldSameStaticType(getX(), getResult()); }

OpFoldResult BroadcastToOp::fold(FoldAdaptor) { return foldSameStaticType(getX(), getResult()); }

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool isIdentity = llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size()));
  return isIdentity && getX().getType() == getType() ? getX() : OpFoldResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getX().getType());
  bool all = type.hasStaticShape() && type == getType();
  for (auto [offset, stride] : llvm::zip(getOffsets().getResults(), getStrides().getResults()))
    all &= constantDim(offset) == 0 && constantDim(stride) == 1;
  return all ? getX() : OpFoldResult();
}

/// A region without elements, which may lie behind the end of the array, changes nothing.
OpFoldResult UpdateSliceOp::fold(FoldAdaptor) {
  auto isNone = [](Dim size) { return constantDim(size) == 0; };
  ArrayRef<int64_t> base = cast<RankedTensorType>(getBase().getType()).getShape();
  return llvm::is_contained(base, 0) || llvm::any_of(getSizes().getResults(), isNone) ? getBase() : OpFoldResult();
}

namespace {
/// reshape(reshape(x)) → reshape(x)
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(inner.getX()); });
    return success();
  }
};

/// transpose(transpose(x)) → transpose(x)
struct TransposeOfTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    auto joined = llvm::map_to_vector(op.getPermutation(), [&](int64_t axis) { return inner.getPermutation()[axis]; });
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getX(), rewriter.getDenseI64ArrayAttr(joined));
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeOfReshape>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TransposeOfTranspose>(context);
}
