// Reductions of index functions: loops with their accumulators as iteration arguments.
#include "compiler/Transforms/IndexFunction.h"

using namespace mlir;
using namespace quernel;

IndexFunction::LoopBounds IndexFunction::reductionBounds(Location loc, Dim extent, IntegerAttr chunk, Value piece) {
  Value all = size(loc, extent);
  if (!chunk)
    return {index(loc, 0), all};
  Value step = index(loc, chunk.getInt());
  OpBuilder builder = at(levelOf(piece));
  Value lower = builder.createOrFold<arith::MulIOp>(loc, piece, step);
  Value upper = builder.createOrFold<arith::AddIOp>(loc, lower, step);
  return {lower, builder.createOrFold<arith::MinSIOp>(loc, upper, all)};
}

/// What the generated code calls an accumulator.
static StringRef accumulatorName(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::prod:
    return "product";
  case ReductionKind::min:
  case ReductionKind::umin:
    return "least";
  case ReductionKind::max:
  case ReductionKind::umax:
    return "greatest";
  case ReductionKind::argmin:
  case ReductionKind::argmax:
  case ReductionKind::uargmin:
  case ReductionKind::uargmax:
    return "best";
  case ReductionKind::index:
    return "best_index";
  default:
    return stringifyReductionKind(kind);
  }
}

scf::ForOp IndexFunction::openLoop(Location loc, LoopBounds bounds, ValueRange init, ArrayRef<ReductionKind> kinds) {
  Value one = index(loc, 1);
  OpBuilder builder = at(scopes.size() - 1);
  auto loop = scf::ForOp::create(builder, loc, bounds.lower, bounds.upper, one, init);
  changeSchedule(loop, [&](Schedule &schedule) { schedule.reduces.assign(kinds.begin(), kinds.end()); });
  for (auto [argument, kind] : llvm::zip_equal(loop.getRegionIterArgs(), kinds))
    argument.setLoc(NameLoc::get(builder.getStringAttr(accumulatorName(kind)), loc));
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  scopes.push_back({loop.getBody(), loop, {}});
  return loop;
}

void IndexFunction::closeLoop(Location loc, ValueRange next) {
  OpBuilder builder = OpBuilder::atBlockEnd(scopes.back().block);
  scf::YieldOp::create(builder, loc, next);
  scopes.pop_back();
}

Value IndexFunction::reduce(ReduceOp op, ValueRange indices) {
  Location loc = op.getLoc();
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  ArrayRef<int64_t> axes = op.getAxes();
  IntegerAttr chunk = op.getChunkAttr();
  Value result;
  atLevel(levelOf(indices), [&] {
    OpBuilder builder = at(0);
    ScalarBuilder outer(builder, loc);
    Type dtype = cast<RankedTensorType>(op.getType()).getElementType();
    ReductionKind kind = ScalarBuilder::loopKind(op.getKind(), dtype);
    Value init = outer.identity(kind, signless(dtype));
    Indices from(shape.size());
    ValueRange kept = chunk ? indices.drop_front() : indices;
    for (size_t axis = 0, next = 0; axis < shape.size(); ++axis)
      if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
        from[axis] = kept[next++];
    // Every axis has an accumulator of its own, so that each loop is a reduction by itself; but what may not be
    // regrouped goes on with that of the axes around it.
    const bool mayRegroup = ScalarBuilder::mayRegroup(kind, dtype);
    SmallVector<scf::ForOp> loops;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      LoopBounds bounds =
          reductionBounds(loc, shape[axis], i == 0 ? chunk : IntegerAttr(), chunk ? indices[0] : Value());
      Value start = mayRegroup || loops.empty() ? init : Value(loops.back().getRegionIterArg(0));
      loops.push_back(openLoop(loc, bounds, start, kind));
      if (i == 0 && chunk && chunk.getInt() == numerics::rowsOfPiece)
        changeSchedule(loops.back(), [](Schedule &schedule) { schedule.inOrder = true; });
      from[axis] = loops.back().getInductionVar();
    }
    Value scalar = element(op.getX(), from);
    for (scf::ForOp loop : llvm::reverse(loops)) {
      OpBuilder inside = at(scopes.size() - 1);
      ScalarBuilder inner(inside, loc);
      const bool isCombined = !mayRegroup && loop != loops.back();
      closeLoop(loc, isCombined ? scalar : inner.combine(kind, loop.getRegionIterArg(0), scalar));
      scalar = loop.getResult(0);
    }
    result = scalar;
  });
  return result;
}

Value IndexFunction::argreduce(ArgReduceOp op, OpResult result, ValueRange indices) {
  Location loc = op.getLoc();
  ArrayRef<Dim> shape = shapes.shape(op.getX());
  int64_t axis = op.getAxis();
  IntegerAttr chunk = op.getChunkAttr();
  scf::ForOp loop;
  atLevel(levelOf(indices), [&] {
    OpBuilder builder = at(0);
    ScalarBuilder outer(builder, loc);
    Type dtype = cast<RankedTensorType>(op.getValue().getType()).getElementType();
    ReductionKind kind = ScalarBuilder::loopKind(op.getKind(), dtype);
    Value worst = outer.identity(kind, signless(dtype));
    Indices from(chunk ? indices.drop_front() : indices);
    from.insert(from.begin() + axis, Value());
    LoopBounds bounds = reductionBounds(loc, shape[axis], chunk, chunk ? indices[0] : Value());
    auto positionOf = [&](Value i) {
      from[axis] = i;
      if (op.getPayload())
        return elementUnlessEmpty(op.getPayload(), from, shape[axis]);
      return at(levelOf(i)).createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), i);
    };
    Value first = positionOf(bounds.lower);
    loop = openLoop(loc, bounds, {worst, first}, {kind, ReductionKind::index});
    Value position = positionOf(loop.getInductionVar());
    Value scalar = element(op.getX(), from);
    OpBuilder inside = at(scopes.size() - 1);
    ScalarBuilder inner(inside, loc);
    Value best = loop.getRegionIterArg(0);
    Value better = inner.beats(kind, scalar, best);
    closeLoop(loc, {inner.select(better, scalar, best), inner.select(better, position, loop.getRegionIterArg(1))});
  });
  std::pair<void *, SmallVector<void *>> key;
  for (Value index : indices)
    key.second.push_back(index.getAsOpaquePointer());
  for (OpResult each : op->getResults()) {
    key.first = Value(each).getAsOpaquePointer();
    scopes[std::max(levelOf(indices), outermost())].known[key] = loop.getResult(each.getResultNumber());
  }
  return loop.getResult(result.getResultNumber());
}
