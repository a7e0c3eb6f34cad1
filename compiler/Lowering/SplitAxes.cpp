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
