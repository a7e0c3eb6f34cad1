#include "compiler/Transforms/IndexFunction.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

/// The size that a bound of a counted loop is.
static Dim sizeOf(Value bound) {
  APInt constant;
  if (matchPattern(bound, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), bound.getContext());
  auto size = bound.getDefiningOp<SizeOp>();
  return size ? size.getDim().getResult(0) : Dim();
}

SmallVector<SymbolBounds> quernel::symbolBoundsOf(Operation *function) {
  SmallVector<SymbolBounds> bounds;
  auto program = cast<func::FuncOp>(function);
  for (BlockArgument argument : program.getArguments())
    if (argument.getType().isIndex())
      bounds.push_back(
          {getAffineConstantExpr(leastOf(program, argument.getArgNumber()), function->getContext()), Dim()});
  function->walk([&](SymbolOp symbol) {
    bounds.resize(std::max<size_t>(bounds.size(), symbol.getNumber() + 1));
    auto known = [](std::optional<AffineMap> map) { return map ? map->getResult(0) : Dim(); };
    SymbolBounds &own = bounds[symbol.getNumber()] = {known(symbol.getLower()), known(symbol.getUpper())};
    auto counter = dyn_cast<BlockArgument>(symbol.getValue());
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || counter != loop.getInductionVar())
      return;
    Dim lower = sizeOf(loop.getLowerBound()), upper = sizeOf(loop.getUpperBound());
    own.lower = own.lower ? own.lower : lower;
    own.upper = own.upper || !upper ? own.upper : upper - 1;
  });
  return bounds;
}

AffineMap quernel::mapOf(ArrayRef<Dim> dims, MLIRContext *context) {
  int64_t last = -1;
  for (Dim dim : dims)
    last = std::max(last, lastSymbol(dim));
  return AffineMap::get(0, last + 1, dims, context);
}

SymbolSizes::SymbolSizes(Operation *function) : bounds(symbolBoundsOf(function)) {
  for (BlockArgument argument : cast<func::FuncOp>(function).getArguments())
    if (argument.getType().isIndex())
      symbols.push_back(argument);
}

Value SymbolSizes::value(OpBuilder &builder, Location loc, Dim dim) const {
  if (auto constant = constantDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, *constant);
  return affine::expandAffineExpr(builder, loc, dim, {}, symbols);
}

OpFoldResult SymbolSizes::folded(OpBuilder &builder, Location loc, Dim dim) const {
  if (auto constant = constantDim(dim))
    return builder.getIndexAttr(*constant);
  return value(builder, loc, dim);
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

bool SymbolSizes::isPositive(Dim dim) const { return isNonNegative(dim - 1, bounds); }

IndexFunction::IndexFunction(ShapeAnalysis &shapes, const SymbolSizes &sizes, const StoredArrays &stored,
                             const FlatArguments &flatArguments, Block *block)
    : shapes(shapes), sizes(sizes), stored(stored), flatArguments(flatArguments) {
  scopes.push_back({block, nullptr, {}});
}

// Placement

int IndexFunction::levelOf(Value value) const {
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

int IndexFunction::outermost() const {
  int level = scopes.size() - 1;
  while (level > 0 && !isa<scf::IfOp>(scopes[level].owner))
    --level;
  return level;
}

Value IndexFunction::outward(Value value) {
  int level = outermost();
  if (matchPattern(value, m_Constant()) && levelOf(value) > level)
    value.getDefiningOp()->moveBefore(scopes[level + 1].owner);
  return value;
}

OpBuilder IndexFunction::at(int level) {
  level = std::max(level, outermost());
  if (level + 1 < static_cast<int>(scopes.size()))
    return OpBuilder(scopes[level + 1].owner);
  Block *block = scopes[level].block;
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    return OpBuilder(&block->back());
  return OpBuilder::atBlockEnd(block);
}

void IndexFunction::atLevel(int level, function_ref<void()> build) {
  level = std::max(level, outermost());
  SmallVector<Scope> deeper;
  while (static_cast<int>(scopes.size()) > level + 1)
    deeper.push_back(scopes.pop_back_val());
  if (deeper.empty())
    return build();
  // The loop that is open at this level is its block's last operation; what is built goes before it.
  Operation *open = deeper.back().owner;
  build();
  for (Operation *next; (next = open->getNextNode()) && !next->hasTrait<OpTrait::IsTerminator>();)
    next->moveBefore(open);
  while (!deeper.empty())
    scopes.push_back(deeper.pop_back_val());
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

/// What stands for an index where elements are remembered: constants, of which each use has its own, by their value.
static void *nameOf(Value index) {
  Attribute constant;
  return matchPattern(index, m_Constant(&constant)) ? const_cast<void *>(constant.getAsOpaquePointer())
                                                    : index.getAsOpaquePointer();
}

Value IndexFunction::element(Value array, ValueRange indices) {
  std::pair<void *, SmallVector<void *>> key{array.getAsOpaquePointer(), {}};
  for (Value index : indices)
    key.second.push_back(nameOf(index));
  for (Scope &scope : scopes)
    if (auto found = scope.known.find(key); found != scope.known.end())
      return found->second;
  Value scalar = outward(compute(array, indices));
  scopes[std::max({levelOf(indices), levelOf(scalar), outermost()})].known[key] = scalar;
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
