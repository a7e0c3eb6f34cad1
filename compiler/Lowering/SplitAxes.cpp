#include "compiler/Lowering/SplitAxes.h"
#include "compiler/Dialect/Attributes.h"

using namespace mlir;
using namespace quernel;

void quernel::splitAxes(scf::ParallelOp loop, std::optional<unsigned> threads) {
  OpBuilder builder(loop);
  bool mayBeEmpty = scheduleOf(loop).maybeEmpty;
  for (unsigned axis = 0; axis < loop.getNumLoops(); ++axis) {
    Value lower = loop.getLowerBound()[axis], upper = loop.getUpperBound()[axis], step = loop.getStep()[axis];
    Value old = loop.getInductionVars()[axis], fresh;
    if (axis == threads) {
      auto parallel = scf::ParallelOp::create(builder, loop.getLoc(), lower, upper, step,
                                              function_ref<void(OpBuilder &, Location, ValueRange)>());
      setSchedule(parallel, {.maybeEmpty = mayBeEmpty});
      fresh = parallel.getInductionVars()[0];
    } else {
      auto inner = scf::ForOp::create(builder, loop.getLoc(), lower, upper, step);
      setSchedule(inner, {.order = TurnOrder::parallel, .maybeEmpty = mayBeEmpty});
      fresh = inner.getInductionVar();
    }
    fresh.setLoc(old.getLoc());
    old.replaceAllUsesWith(fresh);
    builder.setInsertionPointToStart(fresh.getParentBlock());
  }
  loop.getBody()->getTerminator()->erase();
  Block *target = builder.getInsertionBlock();
  target->getOperations().splice(builder.getInsertionPoint(), loop.getBody()->getOperations());
  loop.erase();
}

scf::ParallelOp quernel::keepFirstAxes(scf::ParallelOp loop, unsigned kept, TurnOrder order) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto outer = scf::ParallelOp::create(builder, loc, loop.getLowerBound().take_front(kept),
                                       loop.getUpperBound().take_front(kept), loop.getStep().take_front(kept),
                                       function_ref<void(OpBuilder &, Location, ValueRange)>());
  Schedule old = scheduleOf(loop);
  setSchedule(outer, old);
  SmallVector<Value> counters(outer.getInductionVars());
  for (auto [counter, before] : llvm::zip(counters, loop.getInductionVars()))
    counter.setLoc(before.getLoc());
  builder.setInsertionPointToStart(outer.getBody());
  for (unsigned axis = kept; axis < loop.getNumLoops(); ++axis) {
    auto inner =
        scf::ForOp::create(builder, loc, loop.getLowerBound()[axis], loop.getUpperBound()[axis], loop.getStep()[axis]);
    setSchedule(inner, {.order = order, .maybeEmpty = old.maybeEmpty});
    inner.getInductionVar().setLoc(loop.getInductionVars()[axis].getLoc());
    counters.push_back(inner.getInductionVar());
    builder.setInsertionPointToStart(inner.getBody());
  }
  for (auto [counter, before] : llvm::zip_equal(counters, loop.getInductionVars()))
    before.replaceAllUsesWith(counter);
  loop.getBody()->getTerminator()->erase();
  Block *target = builder.getInsertionBlock();
  target->getOperations().splice(target->begin(), loop.getBody()->getOperations());
  loop.erase();
  return outer;
}
