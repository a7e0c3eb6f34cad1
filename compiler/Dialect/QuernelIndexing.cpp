// Shape rules of indexing by arrays, scans and library routines.
#include "compiler/Dialect/LinalgRoutines.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace quernel;

using Results = SmallVectorImpl<ArrayInfo>;

/// Whether two shapes may be the same; unknown sizes agree with all.
static bool agree(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           return !x || !y || x == y;
         });
}

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
  if (input.string("kind") != "set" && input.string("kind") != "add")
    return input.fail("kind must be 'set' or 'add'");
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
  if (!llvm::is_contained({"sum", "prod", "min", "max"}, input.string("kind")))
    return input.fail("unknown scan '" + input.string("kind") + "'");
  if (axis < 0 || axis >= rank)
    return input.fail("axis " + Twine(axis) + " is out of bounds for array of dimension " + Twine(rank));
  results.push_back(input.operands[0]);
  return success();
}

/// The last two axes of square matrices.
static LogicalResult checkMatrices(const InferInput &input, ArrayRef<Dim> shape, bool areSquare) {
  if (shape.size() < 2)
    return input.fail("needs arrays of at least two dimensions");
  Dim rows = shape[shape.size() - 2], columns = shape.back();
  if (areSquare && rows && columns && rows != columns)
    return input.fail("last 2 dimensions of the array must be square");
  return success();
}

static Type realOf(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

LogicalResult SortOp::inferResults(const InferInput &input, Results &results) {
  StringRef kind = input.string("kind");
  bool isPartition = kind == "partition";
  if (!isPartition && !llvm::is_contained({"sort", "sort_stable", "argsort", "argsort_stable"}, kind))
    return input.fail("unknown kind '" + kind + "'");
  if (input.operands.size() != (isPartition ? 2 : 1))
    return input.fail("'" + kind + "' takes " + (isPartition ? "an array and positions" : "one array"));
  if (isPartition && (!input.operands[1].element.isSignlessInteger(64) || input.operands[1].shape.size() != 2))
    return input.fail("needs positions in a row of int64");
  const ArrayInfo &x = input.operands[0];
  if (x.shape.size() != 2)
    return input.fail("needs an array of two dimensions");
  Type places = IntegerType::get(x.element.getContext(), 64);
  results.push_back({x.shape, kind.starts_with("arg") ? places : x.element});
  return success();
}

static LogicalResult inferSolution(const InferInput &input, Results &results) {
  const ArrayInfo &a = input.operands[0], &b = input.operands[1];
  if (b.element != a.element || b.shape.size() != a.shape.size())
    return input.fail("'solve' needs right-hand sides of the matrix's dtype and rank");
  if (!agree(ArrayRef(a.shape).drop_back(), ArrayRef(b.shape).drop_back()))
    return input.fail("'solve' needs right-hand sides with the matrix's rows");
  results.push_back(b);
  return success();
}

/// The shape of an output: the batch axes, then those that the routine gives it.
static LogicalResult routineShape(const InferInput &input, StringRef roles, ArrayRef<Dim> matrix, Shape &shape) {
  shape.assign(matrix.begin(), matrix.end() - 2);
  Dim rows = matrix[matrix.size() - 2], columns = matrix.back();
  for (char role : roles) {
    if (role != 'k') {
      shape.push_back(role == 'i' ? rows : columns);
      continue;
    }
    auto constantOf = [](Dim dim) { return dim ? constantDim(dim) : std::nullopt; };
    std::optional<int64_t> m = constantOf(rows), n = constantOf(columns);
    if (!m || !n)
      return input.fail("needs matrices of known sizes");
    shape.push_back(getAffineConstantExpr(std::min(*m, *n), input.context));
  }
  return success();
}

LogicalResult LinalgOp::inferResults(const InferInput &input, Results &results) {
  StringRef kind = input.string("kind");
  const LinalgRoutine *routine = findLinalgRoutine(kind);
  if (!routine)
    return input.fail("unknown routine '" + kind + "'");
  size_t expected = routine->inputs.size();
  if (input.operands.size() != expected)
    return input.fail("'" + kind + "' takes " + Twine(expected) + (expected == 1 ? " array" : " arrays"));
  const ArrayInfo &a = input.operands[0];
  if (!isa<FloatType>(realOf(a.element)))
    return input.fail("dtype isn't supported by this operation");
  if (failed(checkMatrices(input, a.shape, routine->isSquare)))
    return failure();
  if (expected == 2)
    return inferSolution(input, results);
  for (auto [k, roles] : llvm::enumerate(routine->outputs)) {
    Shape shape;
    if (failed(routineShape(input, roles, a.shape, shape)))
      return failure();
    results.push_back({shape, static_cast<int>(k) == routine->realOutput ? realOf(a.element) : a.element});
  }
  return success();
}
