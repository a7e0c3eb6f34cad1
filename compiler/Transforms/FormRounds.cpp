// Updates on a device, at places that index arrays name, in rounds: in each one a place takes its first update that
// waits, so that each element has its updates in their order.
//
//   for i: y[p[i]] += v[i]   →   for round: parallel i: if i waits: claims[p[i]] = max(claims[p[i]], key(round, i))
//                                           parallel i: if claims[p[i]] = key(round, i): y[p[i]] += v[i]; i is done
//                                if some wait: for i: if i waits: y[p[i]] += v[i]
//
// Keys of a round are greater than those of the rounds before, and in it the first update's is the greatest. Where
// nothing is combined the last update counts, which one round finds.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Transforms/KernelFormer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace quernel;

// Rounds for updates that are spread evenly: so many more than there are updates for each place.
static constexpr int64_t roundsOfPlace = 4;
static constexpr int64_t fewestRounds = 16;

namespace quernel {
/// What rounds know of updates: the space of the index arrays, the axes' sizes that these name places of, and how many
/// updates there are.
struct KernelFormer::Rounds {
  ArrayRef<ScatterOp> ops;
  Shape space, places;
  Value count;
  bool isSet;
  Location loc;
};
} // namespace quernel

/// Lets threads share the outermost loops of a nest.
static void shareNest(Value result, size_t depth) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  for (size_t level = 0; level < depth && loop; ++level) {
    setSchedule(loop, {.order = TurnOrder::parallel});
    loop = loop.getBody()->getTerminator()->getOperand(0).getDefiningOp<scf::ForOp>();
  }
}

/// The place that an update names, along the axes that have index arrays.
KernelFormer::Values KernelFormer::placeOf(ScatterOp op, ArrayRef<Value> update) {
  IndexFunction elements = here();
  Values place;
  for (auto [axis, index] : llvm::zip_equal(op.getAxes(), op.getIndices()))
    place.push_back(elements.position(index, update, shapes.shape(op.getBase())[axis]));
  return place;
}

/// What an update claims its place with. One that is done claims nothing.
Value KernelFormer::keyOf(const Rounds &rounds, Value round, ArrayRef<Value> update) {
  Location loc = rounds.loc;
  Value number;
  for (auto [dim, at] : llvm::zip_equal(rounds.space, update)) {
    if (number)
      number = builder.createOrFold<arith::MulIOp>(loc, number, sizes.value(builder, loc, dim));
    number = number ? builder.createOrFold<arith::AddIOp>(loc, number, at) : at;
  }
  if (!rounds.isSet) {
    Value next = builder.createOrFold<arith::AddIOp>(loc, round, arith::ConstantIndexOp::create(builder, loc, 1));
    Value end = builder.createOrFold<arith::MulIOp>(loc, next, rounds.count);
    number = builder.createOrFold<arith::SubIOp>(loc, end, number);
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number);
}

/// Has places take their updates of a round: gives the arrays, which updates are done, and the claims.
KernelFormer::Values KernelFormer::scatterRound(const Rounds &rounds, Value round, Values carried) {
  ScatterOp first = rounds.ops.front();
  Location loc = first.getLoc();
  const size_t depth = rounds.space.size();
  Value claims = carried.pop_back_val(), done = rounds.isSet ? Value() : carried.back();
  Nest claim, take;
  claims = nest(loc, rounds.space, {claims}, claim, [&](Nest &at) -> Values {
    Value key = keyOf(rounds, round, at.indices);
    if (done) {
      Value none = arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), -1);
      Value isDone = tensor::ExtractOp::create(builder, loc, done, at.indices);
      key = arith::SelectOp::create(builder, loc, isDone, none, key);
    }
    Values place = placeOf(first, at.indices);
    Value sofar = tensor::ExtractOp::create(builder, loc, at.carried[0], place);
    Value most = arith::MaxSIOp::create(builder, loc, sofar, key);
    return {tensor::InsertOp::create(builder, loc, most, at.carried[0], place)};
  })[0];
  Values results = nest(loc, rounds.space, carried, take, [&](Nest &at) -> Values {
    Value key = keyOf(rounds, round, at.indices);
    Value claimed = tensor::ExtractOp::create(builder, loc, claims, placeOf(first, at.indices));
    Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, claimed, key);
    return scatterWhere(rounds, isOwn, at);
  });
  shareNest(results.front(), depth);
  results.push_back(claims);
  return results;
}

/// Carries out an update where a condition is true, and notes that it is done, if that is kept.
KernelFormer::Values KernelFormer::scatterWhere(const Rounds &rounds, Value condition, Nest &at) {
  ScatterOp first = rounds.ops.front();
  Location loc = first.getLoc();
  auto branch = scf::IfOp::create(builder, loc, ValueRange(at.carried).getTypes(), condition, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, at.carried);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Nest rest{at.indices, {}};
  Values arrays(ArrayRef(at.carried).take_front(rounds.ops.size()));
  ArrayRef<Dim> others = shapes.shape(first.getValue()).drop_front(rounds.space.size());
  Values changed =
      nest(loc, others, arrays, rest, [&](Nest &inner) { return scatterElement(rounds.ops, inner, Value()); });
  if (!rounds.isSet) {
    Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
    changed.push_back(tensor::InsertOp::create(builder, loc, yes, at.carried.back(), at.indices));
  }
  scf::YieldOp::create(builder, loc, changed);
  return Values(branch.getResults());
}

/// How many rounds there are. The result doesn't depend on it.
static Value numberOfRounds(OpBuilder &builder, Location loc, Value updates, Value places) {
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value some = builder.createOrFold<arith::MaxSIOp>(loc, places, index(1));
  Value each = builder.createOrFold<arith::DivSIOp>(loc, updates, some);
  Value more = builder.createOrFold<arith::MulIOp>(loc, each, index(roundsOfPlace));
  return builder.createOrFold<arith::AddIOp>(loc, more, index(fewestRounds));
}

KernelFormer::Values KernelFormer::scatterInRounds(ArrayRef<ScatterOp> ops, Values arrays) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  Rounds rounds{ops, Shape(shapes.shape(first.getIndices().front())), {}, {}, first.getKind() == "set", loc};
  for (int64_t axis : first.getAxes())
    rounds.places.push_back(shapes.shape(first.getBase())[axis]);
  rounds.count = sizes.count(builder, loc, rounds.space);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto filled = [&](ArrayRef<Dim> shape, Type type, int64_t value) {
    Nest fill;
    return nest(loc, shape, {unwritten(loc, shape, type)}, fill, [&](Nest &at) -> Values {
      Value start = arith::ConstantIntOp::create(builder, loc, type, value);
      return {tensor::InsertOp::create(builder, loc, start, at.carried[0], at.indices)};
    })[0];
  };
  Value claims = filled(rounds.places, builder.getI64Type(), -1);
  if (rounds.isSet) {
    arrays.push_back(claims);
    Values results = scatterRound(rounds, zero, arrays);
    results.pop_back();
    return results;
  }
  arrays.push_back(filled(rounds.space, builder.getI1Type(), 0));
  arrays.push_back(claims);
  Value number = numberOfRounds(builder, loc, rounds.count, sizes.count(builder, loc, rounds.places));
  Nest outer;
  Values results = loop(loc, zero, number, arrays, outer,
                        [&](Nest &round) { return scatterRound(rounds, round.indices.back(), round.carried); });
  results.pop_back();
  return scatterRest(rounds, results);
}

/// Carries out the updates that wait still, one after the other.
KernelFormer::Values KernelFormer::scatterRest(const Rounds &rounds, Values carried) {
  Location loc = rounds.loc;
  Value done = carried.back(), none = arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 0);
  auto waits = [&](Nest &at, Value flags) -> Value {
    Value isDone = tensor::ExtractOp::create(builder, loc, flags, at.indices);
    Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
    return arith::XOrIOp::create(builder, loc, isDone, yes);
  };
  Nest count;
  Value waiting = nest(loc, rounds.space, {none}, count, [&](Nest &at) -> Values {
    Value one = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), waits(at, done));
    return {arith::AddIOp::create(builder, loc, at.carried[0], one)};
  })[0];
  Value isAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, waiting, none);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(), isAny, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, carried);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Nest rest;
  Values all = nest(loc, rounds.space, carried, rest,
                    [&](Nest &at) { return scatterWhere(rounds, waits(at, at.carried.back()), at); });
  scf::YieldOp::create(builder, loc, all);
  Values results(branch.getResults());
  results.pop_back();
  return results;
}
