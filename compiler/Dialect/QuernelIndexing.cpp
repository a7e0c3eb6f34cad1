// Shape rules of indexing by arrays, and of scans.
#include "compiler/Dialect/Quernel.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace quernel;

using Results = SmallVectorImpl<ArrayInfo>;

/// The shape of a gather: that of the indices, then the axes that aren't indexed.
static LogicalResult gatheredShape(const InferInput &input, const ArrayInfo &array, ArrayRef<ArrayInfo> indices,
                                   Shape &result) {
  ArrayRef<int64_t> axes = input.integers("axes");
  if (indices.empty() || indices.size() != axes.size())
    return input.fail("needs one index array for each of its axes");
  for (auto [k, axis] : llvm::enumerate(axes))
    if (axis < 0 || axis >= static_cast<int64_t>(array.shape.size()) || (k && axis <= axes[k - 1]))
      return input.fail("axes must ascend and be axes of the array");
  for (const ArrayInfo &index : indices) {
    if (!index.element.isInteger(64))
      return input.fail("indices must be int64");
    if (!agree(index.shape, indices.front().shape))
      return input.fail("indices need one shape");
  }
  result = indices.front().shape;
  for (auto [axis, dim] : llvm::enumerate(array.shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(dim);
  return success();
}

LogicalResult GatherOp::inferResults(const InferInput &input, Results &results) {
  Shape shape;
  if (failed(gatheredShape(input, input.operands[0], input.operands.drop_front(), shape)))
    return failure();
  results.push_back({shape, input.operands[0].element});
  return success();
}

LogicalResult ScatterOp::inferResults(const InferInput &input, Results &results) {
  if (input.operands.size() < 2)
    return input.fail("needs a base and a value");
  Shape shape;
  if (failed(gatheredShape(input, input.operands[0], input.operands.drop_front(2), shape)))
    return failure();
  if (input.operands[0].element != input.operands[1].element)
    return input.fail("value needs the dtype of the base");
  if (!agree(input.operands[1].shape, shape))
    return input.fail("value has shape " + shapeText(input.operands[1].shape) + ", the indices select " +
                      shapeText(shape));
  if (StringRef kind = input.string("kind"); kind != "set" && !combines(kind, input.operands[0].element))
    return input.fail("no scatter '" + kind + "' of this dtype");
  results.push_back(input.operands[0]);
  return success();
}

LogicalResult CompressOp::inferResults(const InferInput &input, Results &results) {
  ArrayRef<Dim> x = input.operands[0].shape, mask = input.operands[1].shape;
  if (!input.operands[1].element.isInteger(1))
    return input.fail("mask must be bool");
  if (mask.empty() || mask.size() > x.size() || !agree(mask, x.take_front(mask.size())))
    return input.fail("mask of shape " + shapeText(mask) + " doesn't match array of shape " + shapeText(x));
  if (input.dims("size").size() != 1)
    return input.fail("needs exactly one size");
  Shape shape = input.dims("size");
  llvm::append_range(shape, x.drop_front(mask.size()));
  results.push_back({shape, input.operands[0].element});
  return success();
}

LogicalResult ScanOp::inferResults(const InferInput &input, Results &results) {
  int64_t axis = input.integer("axis"), rank = input.operands[0].shape.size();
  if (StringRef kind = input.string("kind"); !combines(kind, input.operands[0].element))
    return input.fail("no scan '" + kind + "' of this dtype");
  if (axis < 0 || axis >= rank)
    return input.fail("axis " + Twine(axis) + " is out of bounds for array of dimension " + Twine(rank));
  results.push_back(input.operands[0]);
  return success();
}
