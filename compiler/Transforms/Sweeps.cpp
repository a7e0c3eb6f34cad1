#include "compiler/Transforms/Sweeps.h"
#include <set>

using namespace mlir;
using namespace quernel;

static constexpr int64_t longRow = 64;         // elements; shorter rows are computed by vectors across rows
static constexpr int64_t fewRows = 16;         // fewer don't keep threads busy
static constexpr int64_t largeArray = 1 << 15; // elements that leave a second-level cache
static constexpr int64_t assumedExtent = 1024; // of an axis whose size isn't known

static int64_t elementsFrom(ArrayRef<Dim> shape, size_t first) {
  int64_t count = 1;
  for (Dim dim : shape.drop_front(std::min(first, shape.size())))
    count *= constantDim(dim).value_or(assumedExtent);
  return count;
}

bool quernel::hasLongRows(ArrayRef<Dim> shape) { return shape.size() >= 2 && elementsFrom(shape, 1) >= longRow; }

bool quernel::isLarge(ArrayRef<Dim> shape) { return elementsFrom(shape, 0) >= largeArray; }

std::optional<RowSpace> quernel::rowSpaceOf(Value value, ShapeAnalysis &shapes) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  auto search = value.getDefiningOp<ArgReduceOp>();
  bool isCut = reduce && reduce.getChunk();
  if ((isCut && reduce.getAxes()[0] != 0) || (search && search.getChunk()))
    return std::nullopt;
  ArrayRef<Dim> shape = shapes.shape(isCut ? reduce.getX() : value);
  if (shape.empty())
    return std::nullopt;
  // Of a piece's rows none are taken apart; others may have several axes.
  const int64_t rows = isCut ? constantDim(shape[0]).value_or(fewRows) : elementsFrom(shape, 0);
  if (rows < fewRows)
    return std::nullopt;
  return RowSpace{shape[0], isCut ? std::optional<int64_t>(*reduce.getChunk()) : std::nullopt};
}

/// The place of axis `axis` of the result in an operand that is broadcast to it.
static std::optional<int64_t> broadcastAxis(Value operand, Value result, int64_t axis, ShapeAnalysis &shapes) {
  ArrayRef<Dim> from = shapes.shape(operand), to = shapes.shape(result);
  int64_t place = axis - (static_cast<int64_t>(to.size()) - static_cast<int64_t>(from.size()));
  return place >= 0 && from[place] == to[axis] ? std::optional(place) : std::nullopt;
}

/// The place of an axis behind a reshape that adds and drops axes of size 1 alone.
static std::optional<int64_t> reshapedAxis(ArrayRef<Dim> from, ArrayRef<Dim> to, int64_t axis) {
  auto longAxes = [](ArrayRef<Dim> shape) {
    SmallVector<int64_t> axes;
    for (auto [i, dim] : llvm::enumerate(shape))
      if (constantDim(dim) != 1)
        axes.push_back(i);
    return axes;
  };
  SmallVector<int64_t> before = longAxes(from), after = longAxes(to);
  auto *place = llvm::find(before, axis);
  if (before.size() != after.size() || place == before.end())
    return std::nullopt;
  for (auto [a, b] : llvm::zip_equal(before, after))
    if (from[a] != to[b])
      return std::nullopt;
  return after[place - before.begin()];
}

/// Whether a slice leaves an axis as it is.
static bool keepsAxis(SliceOp slice, int64_t axis, ShapeAnalysis &shapes) {
  return constantDim(slice.getOffsets().getResult(axis)) == 0 && constantDim(slice.getStrides().getResult(axis)) == 1 &&
         shapes.shape(slice.getX())[axis] == shapes.shape(slice.getResult())[axis];
}

static ArrayRef<int64_t> reducedAxes(Operation *op, int64_t &single) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getAxes();
  single = cast<ArgReduceOp>(op).getAxis();
  return ArrayRef<int64_t>(single);
}

/// The axis of an operand along which an operation's results go with their rows; nothing where there is none.
static std::optional<int64_t> rowAxisBefore(Operation *op, Value operand, int64_t axis, ShapeAnalysis &shapes) {
  Value result = op->getResult(0);
  if (isa<ScalarOpInterface, BroadcastToOp>(op))
    return broadcastAxis(operand, result, axis, shapes);
  if (isa<ReshapeOp>(op))
    return reshapedAxis(shapes.shape(result), shapes.shape(operand), axis);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getPermutation()[axis];
  if (auto slice = dyn_cast<SliceOp>(op))
    return keepsAxis(slice, axis, shapes) ? std::optional(axis) : std::nullopt;
  if (isa<ReduceOp, ArgReduceOp>(op) && operand == op->getOperand(0) && !op->hasAttr("chunk")) {
    int64_t single, place = -1;
    ArrayRef<int64_t> reduced = reducedAxes(op, single);
    for (int64_t kept = -1; kept < axis;)
      kept += !llvm::is_contained(reduced, ++place);
    return place;
  }
  return std::nullopt;
}

SmallVector<RowRead> quernel::rowReadsOf(Value value, ShapeAnalysis &shapes, function_ref<bool(Value)> isStored) {
  constexpr int64_t elsewhere = -1;
  SmallVector<RowRead> reads;
  std::set<std::pair<void *, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> work;
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (reduce && reduce.getChunk())
    work.push_back({reduce.getX(), 0});
  else
    work.push_back({value, 0});
  while (!work.empty()) {
    auto [array, axis] = work.pop_back_val();
    if (!seen.insert({array.getAsOpaquePointer(), axis}).second)
      continue;
    Operation *op = array.getDefiningOp();
    bool isLeaf = !op || !isa<ShapeRuleOpInterface>(op);
    if (isLeaf || (array != value && isStored(array))) {
      reads.push_back({array, axis == 0});
      continue;
    }
    for (Value operand : op->getOperands()) {
      auto before = axis == elsewhere ? std::nullopt : rowAxisBefore(op, operand, axis, shapes);
      work.push_back({operand, before.value_or(elsewhere)});
    }
  }
  return reads;
}
