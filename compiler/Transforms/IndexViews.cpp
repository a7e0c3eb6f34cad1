// Views in an index function: arithmetic on indices, and the guards of what may be empty.
#include "compiler/Transforms/IndexFunction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

/// Where the elements of some axes are among those of others that hold as many, in order: the position in the former,
/// split by the sizes of the latter. Axes of size 1 need no arithmetic, nor do a single axis on both sides.
void IndexFunction::regroup(Location loc, ArrayRef<Dim> to, ValueRange indices, ArrayRef<Dim> from, Indices &result) {
  auto isUnit = [](Dim dim) { return constantDim(dim) == 1; };
  SmallVector<Dim> extents;
  Indices kept;
  for (auto [dim, i] : llvm::zip_equal(to, indices))
    if (!isUnit(dim)) {
      extents.push_back(dim);
      kept.push_back(i);
    }
  size_t left = llvm::count_if(from, [&](Dim dim) { return !isUnit(dim); });
  Value position = left == 0 ? index(loc, 0) : linearize(loc, extents, kept);
  Indices reversed;
  for (Dim dim : llvm::reverse(from)) {
    if (isUnit(dim)) {
      reversed.push_back(index(loc, 0));
    } else if (--left == 0) {
      reversed.push_back(position);
    } else {
      Value extent = size(loc, dim);
      reversed.push_back(arith<arith::RemUIOp>(loc, position, extent));
      position = arith<arith::DivUIOp>(loc, position, extent);
    }
  }
  result.append(reversed.rbegin(), reversed.rend());
}

Value IndexFunction::reshape(ReshapeOp op, ValueRange indices) {
  ArrayRef<Dim> from = shapes.shape(op.getX()), to = shapes.shape(op.getResult());
  Indices result;
  for (const AxisGroup &group : reshapeGroups(from, to))
    regroup(op.getLoc(), to.slice(group.toBegin, group.toEnd - group.toBegin),
            indices.slice(group.toBegin, group.toEnd - group.toBegin),
            from.slice(group.fromBegin, group.fromEnd - group.fromBegin), result);
  return element(op.getX(), result);
}

Value IndexFunction::slice(SliceOp op, ValueRange indices) {
  Location loc = op.getLoc();
  Indices from;
  for (auto [i, offset, stride] :
       llvm::zip_equal(indices, op.getOffsets().getResults(), op.getStrides().getResults())) {
    Value scaled = arith<arith::MulIOp>(loc, i, size(loc, stride));
    from.push_back(arith<arith::AddIOp>(loc, scaled, size(loc, offset)));
  }
  return element(op.getX(), from);
}

/// So many sums, choices and comparisons a position may consist of, one inside of the other.
static constexpr int mostSums = 6;
/// Sums of so few numbers of this size and of counters can't wrap.
static constexpr int64_t largestTerm = int64_t(1) << 40;

/// Whether an index is a counter, a size, or a sum of such.
static bool isCounter(Value index, int depth = mostSums) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return !loop || argument == loop.getInductionVar();
  }
  Operation *op = index.getDefiningOp();
  if (isa<linalg::IndexOp, arith::ConstantIndexOp>(op))
    return true;
  return depth > 0 && isa<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isCounter(operand, depth - 1); });
}

Value IndexFunction::counted(Value integer, int depth) {
  Location loc = integer.getLoc();
  if (auto constant = getConstantIntValue(integer))
    return std::abs(*constant) <= largestTerm ? index(loc, *constant) : Value();
  Operation *op = integer.getDefiningOp();
  if (!op || !integer.getType().isInteger(64) || depth == 0)
    return {};
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return isCounter(cast.getIn()) ? cast.getIn() : Value();
  auto with = [&](auto build) {
    Value left = counted(op->getOperand(0), depth - 1), right = left ? counted(op->getOperand(1), depth - 1) : Value();
    return right ? build(left, right) : Value();
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp>(
          [&](auto sum) { return with([&](Value x, Value y) { return arith<decltype(sum)>(loc, x, y); }); })
      .Case<arith::SelectOp>([&](auto choice) {
        Value condition = countedCondition(choice.getCondition(), depth - 1);
        Value yes = condition ? counted(choice.getTrueValue(), depth - 1) : Value();
        Value no = yes ? counted(choice.getFalseValue(), depth - 1) : Value();
        return no ? at(levelOf({condition, yes, no})).createOrFold<arith::SelectOp>(loc, condition, yes, no) : Value();
      })
      .Default([](Operation *) { return Value(); });
}

Value IndexFunction::countedCondition(Value condition, int depth) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  Value left = compare ? counted(compare.getLhs(), depth) : Value();
  Value right = left ? counted(compare.getRhs(), depth) : Value();
  if (!right)
    return {};
  return at(levelOf({left, right})).createOrFold<arith::CmpIOp>(compare.getLoc(), compare.getPredicate(), left, right);
}

Value IndexFunction::position(Value indexArray, ValueRange indices, Dim extent) {
  Location loc = indexArray.getLoc();
  Value integer = element(indexArray, indices);
  Value position = counted(integer, mostSums);
  if (!position)
    position =
        at(levelOf(integer)).createOrFold<arith::IndexCastOp>(loc, IndexType::get(integer.getContext()), integer);
  // What is outside was refused before; a kernel that goes on until its end stays inside of the array.
  Value last = arith<arith::SubIOp>(loc, size(loc, extent), index(loc, 1));
  return arith<arith::MinUIOp>(loc, position, last);
}

Value IndexFunction::gather(GatherOp op, ValueRange indices) {
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  size_t selected = shapes.shape(op.getIndices().front()).size();
  Indices from(shape.size());
  for (auto [axis, array] : llvm::zip_equal(op.getAxes(), op.getIndices()))
    from[axis] = position(array, indices.take_front(selected), shape[axis]);
  size_t rest = selected;
  for (Value &i : from)
    if (!i)
      i = indices[rest++];
  auto extents = llvm::map_to_vector(op.getAxes(), [&](int64_t axis) { return shape[axis]; });
  return elementUnlessEmpty(op.getX(), from, extents);
}

Value IndexFunction::elementUnlessEmpty(Value array, ValueRange indices, ArrayRef<Dim> extents) {
  Location loc = array.getLoc();
  Value filled;
  for (Dim extent : extents) {
    if (sizes.isPositive(extent))
      continue;
    Value zero = index(loc, 0), length = size(loc, extent);
    Value isFilled = at(0).createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, length, zero);
    filled = filled ? arith<arith::AndIOp>(loc, filled, isFilled) : isFilled;
  }
  if (!filled)
    return element(array, indices);
  Type type = signless(cast<RankedTensorType>(array.getType()).getElementType());
  Value result;
  atLevel(levelOf(indices), [&] {
    OpBuilder builder = at(scopes.size() - 1);
    auto branch = scf::IfOp::create(builder, loc, type, filled, /*withElseRegion=*/true);
    scopes.push_back({branch.thenBlock(), branch, {}});
    Value scalar = element(array, indices);
    OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
    scf::YieldOp::create(inside, loc, scalar);
    scopes.pop_back();
    OpBuilder otherwise = OpBuilder::atBlockEnd(branch.elseBlock());
    scf::YieldOp::create(otherwise, loc, ScalarBuilder(otherwise, loc).constant(type, 0));
    result = branch.getResult(0);
  });
  return result;
}

Value IndexFunction::concatenate(ConcatenateOp op, ValueRange indices) {
  Location loc = op.getLoc();
  int64_t axis = op.getAxis();
  Value position = indices[axis], start = index(loc, 0), result;
  for (Value array : op.getArrays()) {
    Dim extent = shapes.shape(array)[axis];
    if (constantDim(extent) == 0)
      continue;
    // The index is clamped into this piece, so that the load is legal where another piece is selected.
    Value local = arith<arith::SubIOp>(loc, position, start);
    Value last = arith<arith::SubIOp>(loc, size(loc, extent), index(loc, 1));
    Value inside = arith<arith::MinSIOp>(loc, arith<arith::MaxSIOp>(loc, local, index(loc, 0)), last);
    Indices at_(indices);
    at_[axis] = inside;
    Value scalar = elementUnlessEmpty(array, at_, extent);
    if (!result) {
      result = scalar;
    } else {
      OpBuilder builder = at(levelOf({position, start, scalar, result}));
      Value here = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, position, start);
      result = builder.createOrFold<arith::SelectOp>(loc, here, scalar, result);
    }
    start = arith<arith::AddIOp>(loc, start, size(loc, extent));
  }
  return result ? result : element(op.getArrays().front(), indices);
}
