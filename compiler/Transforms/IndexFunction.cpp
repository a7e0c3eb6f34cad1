#include "compiler/Transforms/IndexFunction.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

SymbolSizes::SymbolSizes(Operation *function) {
  for (BlockArgument argument : cast<func::FuncOp>(function).getArguments())
    if (argument.getType().isIndex())
      symbols.push_back(argument);
}

Value SymbolSizes::value(OpBuilder &builder, Location loc, Dim dim) const {
  if (auto constant = constantDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, *constant);
  return affine::expandAffineExpr(builder, loc, dim, {}, symbols);
}

Value SymbolSizes::count(OpBuilder &builder, Location loc, ArrayRef<Dim> shape) const {
  Value product = arith::ConstantIndexOp::create(builder, loc, 1);
  for (Dim dim : shape)
    product = builder.createOrFold<arith::MulIOp>(loc, product, value(builder, loc, dim));
  return product;
}

void SymbolSizes::define(unsigned symbol, Value value) {
  if (symbols.size() <= symbol)
    symbols.resize(symbol + 1);
  symbols[symbol] = value;
}

IndexFunction::IndexFunction(ShapeAnalysis &shapes, const SymbolSizes &sizes, const StoredArrays &stored,
                             const FlatArguments &flatArguments, Block *block)
    : shapes(shapes), sizes(sizes), stored(stored), flatArguments(flatArguments) {
  scopes.push_back({block, nullptr, {}});
}

// Placement

int IndexFunction::levelOf(Value value) const {
  if (matchPattern(value, m_Constant()))
    return 0;
  Block *block = value.getParentBlock();
  for (int level = scopes.size() - 1; level > 0; --level)
    if (scopes[level].block == block)
      return level;
  return 0;
}

int IndexFunction::levelOf(ValueRange values) const {
  int level = 0;
  for (Value value : values)
    level = std::max(level, levelOf(value));
  return level;
}

OpBuilder IndexFunction::at(int level) {
  if (level + 1 < static_cast<int>(scopes.size()))
    return OpBuilder(scopes[level + 1].loop);
  Block *block = scopes[level].block;
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    return OpBuilder(&block->back());
  return OpBuilder::atBlockEnd(block);
}

void IndexFunction::atLevel(int level, function_ref<void()> build) {
  SmallVector<Scope> deeper;
  while (static_cast<int>(scopes.size()) > level + 1)
    deeper.push_back(scopes.pop_back_val());
  if (deeper.empty())
    return build();
  // The loop that is open at this level is its block's last operation; what is built goes before it.
  Operation *open = deeper.back().loop;
  build();
  for (Operation *next; (next = open->getNextNode()) && !next->hasTrait<OpTrait::IsTerminator>();)
    next->moveBefore(open);
  while (!deeper.empty())
    scopes.push_back(deeper.pop_back_val());
}

template <typename Op> Value IndexFunction::arith(Location loc, Value x, Value y) {
  return at(std::max(levelOf(x), levelOf(y))).createOrFold<Op>(loc, x, y);
}

Value IndexFunction::index(Location loc, int64_t value) {
  OpBuilder builder = at(0);
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexFunction::size(Location loc, Dim dim) {
  OpBuilder builder = at(0);
  return sizes.value(builder, loc, dim);
}

// Elements

Value IndexFunction::element(Value array, ValueRange indices) {
  std::pair<void *, SmallVector<void *>> key{array.getAsOpaquePointer(), {}};
  for (Value index : indices)
    key.second.push_back(index.getAsOpaquePointer());
  for (Scope &scope : scopes)
    if (auto found = scope.known.find(key); found != scope.known.end())
      return found->second;
  Value scalar = compute(array, indices);
  scopes[std::max(levelOf(indices), levelOf(scalar))].known[key] = scalar;
  return scalar;
}

Value IndexFunction::load(Location loc, Value tensor, ValueRange indices) {
  OpBuilder builder = at(levelOf(indices));
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return tensor::ExtractOp::create(builder, loc, signless(element), tensor, indices);
}

Value IndexFunction::loadFlat(Location loc, const StoredArray &array, Value value, ValueRange indices) {
  auto type = dyn_cast<RankedTensorType>(array.tensor.getType());
  if (!type)
    return array.tensor;
  if (array.flat)
    return load(loc, array.tensor, linearize(loc, shapes.shape(value), indices));
  if (type.getRank() != static_cast<int64_t>(indices.size())) // a stored scalar has one axis
    return load(loc, array.tensor, index(loc, 0));
  return load(loc, array.tensor, indices);
}

Value IndexFunction::compute(Value array, ValueRange indices) {
  Location loc = array.getLoc();
  if (auto found = stored.find(array); found != stored.end())
    return loadFlat(loc, found->second, array, indices);
  Operation *op = array.getDefiningOp();
  if (!op)
    return load(loc, array, indices);
  if (isa<ScalarOpInterface>(op))
    return elementwise(op,
                       [&](Value operand) { return element(operand, broadcast(loc, shapes.shape(operand), indices)); });
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ReshapeOp>([&](auto view) { return reshape(view, indices); })
      .Case<SliceOp>([&](auto view) { return slice(view, indices); })
      .Case<ConcatenateOp>([&](auto view) { return concatenate(view, indices); })
      .Case<ReduceOp>([&](auto reduction) { return reduce(reduction, indices); })
      .Case<ArgReduceOp>([&](auto search) { return argreduce(search, cast<OpResult>(array), indices); })
      .Case<TransposeOp>([&](auto view) {
        Indices from(indices.size());
        for (auto [i, axis] : llvm::enumerate(view.getPermutation()))
          from[axis] = indices[i];
        return element(view.getX(), from);
      })
      .Case<BroadcastToOp>(
          [&](auto view) { return element(view.getX(), broadcast(loc, shapes.shape(view.getX()), indices)); })
      .Case<GatherOp>([&](auto selection) { return gather(selection, indices); })
      .Case<AssumeShapeOp, CopyOp>([&](auto same) { return element(same.getX(), indices); })
      .Case<EmptyOp>([&](auto op) -> Value {
        OpBuilder builder = at(0);
        Type type = signless(cast<RankedTensorType>(op.getType()).getElementType());
        return ScalarBuilder(builder, loc).constant(type, 0);
      })
      .Case<FullOp>([&](auto full) { return element(full.getValue(), {}); })
      .Case<IotaOp>([&](auto iota) {
        Value position = indices[iota.getAxis()];
        OpBuilder builder = at(levelOf(position));
        ScalarBuilder scalars(builder, loc);
        Value integer = builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), position);
        return scalars.cast(integer, iota.getDtype());
      })
      .Case<DimOp>([&](auto dim) {
        OpBuilder builder = at(0);
        Value value = sizes.value(builder, loc, dim.getDim().getResult(0));
        return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), value);
      })
      .Case<ConstantOp>([&](auto constant) -> Value {
        auto elements = signless(cast<DenseElementsAttr>(constant.getValue()));
        OpBuilder builder = at(0);
        ScalarBuilder scalars(builder, loc);
        if (elements.empty()) // never asked for; a table of nothing can't be loaded from
          return scalars.constant(elements.getElementType(), 0);
        if (elements.isSplat())
          return scalars.constant(elements.getElementType(), elements.template getSplatValue<Attribute>());
        Value table = arith::ConstantOp::create(builder, loc, elements);
        return load(loc, table, indices);
      })
      .Default([&](Operation *) { return load(loc, array, indices); });
}

Value IndexFunction::elementwise(Operation *op, function_ref<Value(Value)> operand) {
  SmallVector<Value> scalars;
  for (Value value : op->getOperands())
    scalars.push_back(operand(value));
  OpBuilder builder = at(levelOf(scalars));
  ScalarBuilder scalar(builder, op->getLoc(), op->getOperand(0).getType());
  return cast<ScalarOpInterface>(op).lowerScalar(scalar, scalars);
}

IndexFunction::Indices IndexFunction::broadcast(Location loc, ArrayRef<Dim> shape, ValueRange indices) {
  Indices result;
  for (auto [dim, i] : llvm::zip_equal(shape, indices.take_back(shape.size())))
    result.push_back(constantDim(dim) == 1 ? index(loc, 0) : i);
  return result;
}

Value IndexFunction::linearize(Location loc, ArrayRef<Dim> shape, ValueRange indices) {
  Value position = index(loc, 0);
  for (auto [dim, i] : llvm::zip_equal(shape, indices)) {
    position = arith<arith::MulIOp>(loc, position, size(loc, dim));
    position = arith<arith::AddIOp>(loc, position, i);
  }
  return position;
}

// Views

Value IndexFunction::reshape(ReshapeOp op, ValueRange indices) {
  Location loc = op.getLoc();
  ArrayRef<Dim> from = shapes.shape(op.getX()), to = shapes.shape(op.getResult());
  auto isUnit = [](Dim dim) { return constantDim(dim) == 1; };
  // Leading axes that both shapes share, and axes of size 1, need no arithmetic.
  Indices result;
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && isUnit(from[i])) {
      result.push_back(index(loc, 0));
      ++i;
    }
    while (j < to.size() && isUnit(to[j]))
      ++j;
    if (i == from.size() || j == to.size() || from[i] != to[j])
      break;
    result.push_back(indices[j++]);
    ++i;
  }
  if (i == from.size())
    return element(op.getX(), result);
  Value position = linearize(loc, to.drop_front(j), indices.drop_front(j));
  Indices rest;
  for (size_t axis = from.size(); axis-- > i;) {
    if (axis == i) {
      rest.push_back(position);
      break;
    }
    Value extent = size(loc, from[axis]);
    rest.push_back(arith<arith::RemUIOp>(loc, position, extent));
    position = arith<arith::DivUIOp>(loc, position, extent);
  }
  result.append(rest.rbegin(), rest.rend());
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

Value IndexFunction::position(Value indexArray, ValueRange indices, Dim extent) {
  Location loc = indexArray.getLoc();
  Value integer = element(indexArray, indices);
  OpBuilder builder = at(levelOf(integer));
  Value position = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), integer);
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
  return element(op.getX(), from);
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
    Value scalar = element(array, at_);
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

// Flat arrays

static bool isScalar(ArrayRef<Dim> shape) {
  return llvm::all_of(shape, [](Dim dim) { return constantDim(dim) == 1; });
}

bool quernel::isFlat(Value array, ShapeAnalysis &shapes, const StoredArrays &stored,
                     const FlatArguments &flatArguments) {
  if (isScalar(shapes.shape(array)))
    return true;
  if (auto found = stored.find(array); found != stored.end())
    return found->second.flat || shapes.shape(array).size() == 1;
  Operation *op = array.getDefiningOp();
  if (!op)
    return flatArguments.count(array) || shapes.shape(array).size() == 1;
  if (isa<FullOp>(op))
    return true;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isFlat(reshape.getX(), shapes, stored, flatArguments);
  if (isa<IotaOp>(op))
    return shapes.shape(array).size() == 1;
  if (!isa<ScalarOpInterface>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    bool same = shapes.shape(operand) == shapes.shape(array);
    return (same || isScalar(shapes.shape(operand))) && isFlat(operand, shapes, stored, flatArguments);
  });
}

Value IndexFunction::flatElement(Value array, Value position) {
  Location loc = array.getLoc();
  ArrayRef<Dim> shape = shapes.shape(array);
  if (isScalar(shape))
    return element(array, Indices(shape.size(), index(loc, 0)));
  Operation *op = array.getDefiningOp();
  if (auto found = stored.find(array); found != stored.end())
    return load(loc, found->second.tensor, position);
  if (auto found = flatArguments.find(array); found != flatArguments.end())
    return load(loc, found->second, position);
  if (shape.size() == 1 && !isa_and_nonnull<ReshapeOp>(op))
    return element(array, position);
  std::pair<void *, SmallVector<void *>> key{array.getAsOpaquePointer(), {position.getAsOpaquePointer()}};
  if (auto known = scopes[0].known.find(key); known != scopes[0].known.end())
    return known->second;
  Value scalar;
  if (auto full = dyn_cast<FullOp>(op))
    scalar = element(full.getValue(), {});
  else if (auto reshape = dyn_cast<ReshapeOp>(op))
    scalar = flatElement(reshape.getX(), position);
  else
    scalar = elementwise(op, [&](Value operand) { return flatElement(operand, position); });
  return scopes[0].known[key] = scalar;
}
