// Shape and type rules of the operations that aren't ufuncs.
#include "compiler/Dialect/ComplexFunctions.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace quernel;

#define GET_OP_CLASSES
#include "compiler/Dialect/QuernelOps.cpp.inc"

using Results = SmallVectorImpl<ArrayInfo>;

static bool isBool(Type type) { return type.isInteger(1); }

static Type dtypeAttr(const InferInput &input) { return input.attributes.getAs<TypeAttr>("dtype").getValue(); }

// Elementwise

LogicalResult CastOp::inferResults(const InferInput &input, Results &results) {
  results.push_back({input.operands[0].shape, dtypeAttr(input)});
  return success();
}

Value CastOp::lowerScalar(ScalarBuilder &s, ValueRange x) { return s.cast(x[0], getDtype()); }
int64_t CastOp::scalarCost() { return 1; }

LogicalResult BitcastOp::inferResults(const InferInput &input, Results &results) {
  Type from = input.operands[0].element, to = dtypeAttr(input);
  bool hasNumbers = from.isIntOrFloat() && to.isIntOrFloat() && !::isBool(from) && !::isBool(to);
  if (!hasNumbers || elementBytes(from) != elementBytes(to))
    return input.fail("the bytes of " + dtypeName(from) + " are none of " + dtypeName(to));
  results.push_back({input.operands[0].shape, to});
  return success();
}

Value BitcastOp::lowerScalar(ScalarBuilder &s, ValueRange x) { return s.bitcast(x[0], getDtype()); }
int64_t BitcastOp::scalarCost() { return 1; }

LogicalResult WhereOp::inferResults(const InferInput &input, Results &results) {
  if (!::isBool(input.operands[0].element))
    return input.fail("condition must be bool");
  if (input.operands[1].element != input.operands[2].element)
    return input.fail("both branches need one dtype");
  Shape shape;
  if (failed(broadcastOperands(input, shape)))
    return failure();
  results.push_back({shape, input.operands[1].element});
  return success();
}

Value WhereOp::lowerScalar(ScalarBuilder &s, ValueRange x) { return s.select(x[0], x[1], x[2]); }
int64_t WhereOp::scalarCost() { return 1; }

// Reductions

static LogicalResult checkChunk(const InferInput &input) {
  auto chunk = input.attributes.getAs<IntegerAttr>("chunk");
  return chunk && chunk.getInt() < 1 ? input.fail("chunk must be positive") : success();
}

static LogicalResult checkAxis(const InferInput &input, int64_t axis) {
  int64_t rank = input.operands[0].shape.size();
  if (axis < 0 || axis >= rank)
    return input.fail("axis " + Twine(axis) + " is out of bounds for array of dimension " + Twine(rank));
  return success();
}

/// The operand's shape without `axes`; with `chunk`, led by the number of pieces of the first of them.
static Shape reducedShape(const InferInput &input, ArrayRef<int64_t> axes) {
  ArrayRef<Dim> shape = input.operands[0].shape;
  Shape result;
  if (auto chunk = input.attributes.getAs<IntegerAttr>("chunk")) {
    Dim extent = shape[axes.front()];
    result.push_back(extent ? extent.ceilDiv(chunk.getInt()) : extent);
  }
  for (auto [axis, dim] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(dim);
  return result;
}

LogicalResult ReduceOp::inferResults(const InferInput &input, Results &results) {
  Type element = input.operands[0].element;
  StringRef kind = input.string("kind");
  ArrayRef<int64_t> axes = input.integers("axes");
  if (!combines(kind, element))
    return input.fail("no reduction '" + kind + "' of this dtype");
  if (axes.empty())
    return input.fail("needs an axis to reduce");
  if (failed(checkChunk(input)))
    return failure();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(checkAxis(input, axis)))
      return failure();
    if (llvm::is_contained(axes.take_front(i), axis))
      return input.fail("duplicate value in 'axis'");
  }
  results.push_back({reducedShape(input, axes), element});
  return success();
}

LogicalResult ArgReduceOp::inferResults(const InferInput &input, Results &results) {
  StringRef kind = input.string("kind");
  if (kind != "argmin" && kind != "argmax")
    return input.fail("unknown search '" + kind + "'");
  int64_t axis = input.integer("axis");
  if (failed(checkAxis(input, axis)) || failed(checkChunk(input)))
    return failure();
  if (input.operands.size() > 1 && !input.operands[1].element.isInteger(64))
    return input.fail("payload must be int64");
  Shape shape = reducedShape(input, axis);
  results.push_back({shape, input.operands[0].element});
  results.push_back({shape, IntegerType::get(input.context, 64)});
  return success();
}

// Views

/// The product of all sizes; null where a size is unknown.
static Dim elementCount(MLIRContext *context, ArrayRef<Dim> shape) {
  Dim count = getAffineConstantExpr(1, context);
  for (Dim dim : shape) {
    if (!dim)
      return Dim();
    if (constantDim(dim) == 0)
      return dim;
    count = count * dim;
  }
  return canonicalDim(count);
}

/// Drops the sizes that both shapes have, since a product of two symbols isn't affine.
static void dropCommonDims(Shape &a, Shape &b) {
  for (auto *it = a.begin(); it != a.end();) {
    auto *found = llvm::find(b, *it);
    if (found == b.end() || constantDim(*it)) {
      ++it;
      continue;
    }
    b.erase(found);
    it = a.erase(it);
  }
}

LogicalResult ReshapeOp::inferResults(const InferInput &input, Results &results) {
  Shape target = input.dims("shape"), from = input.operands[0].shape, to = target;
  dropCommonDims(from, to);
  Dim before = elementCount(input.context, from), after = elementCount(input.context, to);
  if (before && after && constantDim(before - after).value_or(0) != 0)
    return input.fail("cannot reshape array of shape " + shapeText(input.operands[0].shape) + " into shape " +
                      shapeText(target));
  results.push_back({target, input.operands[0].element});
  return success();
}

LogicalResult TransposeOp::inferResults(const InferInput &input, Results &results) {
  ArrayRef<int64_t> permutation = input.integers("permutation");
  ArrayRef<Dim> shape = input.operands[0].shape;
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, shape.size())))
    return input.fail("axes don't match array");
  results.push_back(
      {llvm::map_to_vector<4>(permutation, [&](int64_t axis) { return shape[axis]; }), input.operands[0].element});
  return success();
}

LogicalResult BroadcastToOp::inferResults(const InferInput &input, Results &results) {
  Shape target = input.dims("shape"), joined;
  ArrayRef<Dim> from = input.operands[0].shape;
  if (from.size() > target.size() || failed(broadcastShapes(input, from, target, joined)) || joined != target)
    return input.fail("could not broadcast array of shape " + shapeText(from) + " to shape " + shapeText(target));
  results.push_back({target, input.operands[0].element});
  return success();
}

static LogicalResult checkRegion(const InferInput &input) {
  size_t rank = input.operands[0].shape.size();
  for (StringRef name : {"offsets", "sizes", "strides"})
    if (input.dims(name).size() != rank)
      return input.fail("'" + name + "' needs one entry for each of the " + Twine(rank) + " axes");
  for (auto [size, offset, sizeExpr, stride] :
       llvm::zip(input.operands[0].shape, input.dims("offsets"), input.dims("sizes"), input.dims("strides"))) {
    auto extent = constantDim(size), first = constantDim(offset), count = constantDim(sizeExpr),
         step = constantDim(stride);
    if (!extent || !first || !count || !step || *count == 0)
      continue;
    int64_t last = *first + (*count - 1) * *step;
    if (*count < 0 || *first < 0 || *first >= *extent || last < 0 || last >= *extent)
      return input.fail("region leaves an axis of size " + Twine(*extent));
  }
  return success();
}

LogicalResult SliceOp::inferResults(const InferInput &input, Results &results) {
  if (failed(checkRegion(input)))
    return failure();
  results.push_back({input.dims("sizes"), input.operands[0].element});
  return success();
}

LogicalResult ConcatenateOp::inferResults(const InferInput &input, Results &results) {
  if (input.operands.empty())
    return input.fail("need at least one array to concatenate");
  int64_t axis = input.integer("axis");
  if (failed(checkAxis(input, axis)))
    return failure();
  Shape shape = input.operands[0].shape;
  for (const ArrayInfo &next : input.operands.drop_front()) {
    if (next.element != input.operands[0].element)
      return input.fail("operands need one dtype");
    if (next.shape.size() != shape.size())
      return input.fail("all the input arrays must have same number of dimensions");
    for (size_t i = 0; i < shape.size(); ++i) {
      if (static_cast<int64_t>(i) == axis)
        shape[i] = shape[i] && next.shape[i] ? shape[i] + next.shape[i] : Dim();
      else if (shape[i] && next.shape[i] && shape[i] != next.shape[i])
        return input.fail("all the input array dimensions except for the concatenation axis must match exactly");
    }
  }
  results.push_back({shape, input.operands[0].element});
  return success();
}

// Creation

LogicalResult FullOp::inferResults(const InferInput &input, Results &results) {
  if (!input.operands[0].shape.empty())
    return input.fail("fill value must have no axes");
  results.push_back({input.dims("shape"), input.operands[0].element});
  return success();
}

LogicalResult EmptyOp::inferResults(const InferInput &input, Results &results) {
  results.push_back({input.dims("shape"), dtypeAttr(input)});
  return success();
}

LogicalResult IotaOp::inferResults(const InferInput &input, Results &results) {
  Shape shape = input.dims("shape");
  int64_t axis = input.integer("axis");
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return input.fail("axis " + Twine(axis) + " is out of bounds for array of dimension " + Twine(shape.size()));
  results.push_back({shape, dtypeAttr(input)});
  return success();
}

LogicalResult DimOp::inferResults(const InferInput &input, Results &results) {
  if (input.dims("dim").size() != 1)
    return input.fail("needs exactly one size");
  results.push_back({{}, IntegerType::get(input.context, 64)});
  return success();
}

LogicalResult ConstantOp::inferResults(const InferInput &input, Results &results) {
  auto type = cast<RankedTensorType>(input.attributes.getAs<ElementsAttr>("value").getType());
  Shape shape =
      llvm::map_to_vector<4>(type.getShape(), [&](int64_t size) { return getAffineConstantExpr(size, input.context); });
  results.push_back({shape, type.getElementType()});
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// Products and stores

LogicalResult MatmulOp::inferResults(const InferInput &input, Results &results) {
  Shape a = input.operands[0].shape, b = input.operands[1].shape;
  if (input.operands[0].element != input.operands[1].element)
    return input.fail("operands need one dtype");
  if (a.empty() || b.empty())
    return input.fail("matmul: Input operand does not have enough dimensions");
  bool vectorA = a.size() == 1, vectorB = b.size() == 1;
  Dim innerA = a.back(), innerB = vectorB ? b[0] : b[b.size() - 2];
  if (innerA && innerB && innerA != innerB)
    return input.fail("matmul: Input operand 1 has a mismatch in its core dimension 0");
  Shape shape;
  if (failed(broadcastShapes(input, ArrayRef(a).drop_back(vectorA ? 1 : 2), ArrayRef(b).drop_back(vectorB ? 1 : 2),
                             shape)))
    return failure();
  if (!vectorA)
    shape.push_back(a[a.size() - 2]);
  if (!vectorB)
    shape.push_back(b.back());
  results.push_back({shape, input.operands[0].element});
  return success();
}

LogicalResult UpdateSliceOp::inferResults(const InferInput &input, Results &results) {
  if (failed(checkRegion(input)))
    return failure();
  if (input.operands[0].element != input.operands[1].element)
    return input.fail("value needs the dtype of the base");
  Shape sizes = input.dims("sizes"), joined;
  if (failed(broadcastShapes(input, sizes, input.operands[1].shape, joined)) || joined != sizes)
    return input.fail("could not broadcast input array from shape " + shapeText(input.operands[1].shape) +
                      " into shape " + shapeText(sizes));
  results.push_back({input.operands[0].shape, input.operands[0].element});
  return success();
}
