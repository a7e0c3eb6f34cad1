// Decides which loops of a program run in threads and which become serial kernels.
//
//   for t:                      for t:
//     parallel i: …               parallel i: …        (a kernel each, in threads)
//     parallel i: …        →      parallel i: …
//   for i: for j parallel: …    for i: for j: …        (one kernel: the parallel loop is too short for threads)
//   tasks i: call; parallel j   tasks i: call; for j   (threads share the turns in the program; a serial kernel each)
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SplitAxes.h"

namespace quernel {
#define GEN_PASS_DEF_FORMNESTS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

// A loop that runs again and again pays for its threads each time, and keeps the loop around it out of one kernel.
constexpr int64_t forksToLeaveNest = 16;

/// Whether everything inside can stand in a kernel.
bool isKernel(Operation *op) {
  return !op->walk([](Operation *inner) {
              return isa<func::CallOp, memref::AllocOp, AllocatedOp, memref::DeallocOp>(inner) ? WalkResult::interrupt()
                                                                                               : WalkResult::advance();
            }).wasInterrupted();
}

bool holdsLoop(Operation *op) {
  return op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether threads pay for a parallel loop inside, each time it runs.
bool holdsThreads(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        bool pays = inner != op && isParallelLoop(inner) && loopWork(inner) >= forksToLeaveNest * targetOf(op).fork;
        return pays ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The loop around an operation whose turns threads share, which are tasks; null where there is none.
Operation *taskLoopAround(Operation *op) {
  Operation *parent = op->getParentOp();
  while (parent && !isTaskLoop(parent))
    parent = parent->getParentOp();
  return parent;
}

void makeInnerLoopsSerial(Operation *op) {
  SmallVector<scf::ParallelOp> loops;
  op->walk([&](scf::ParallelOp loop) {
    if (loop != op)
      loops.push_back(loop);
  });
  for (scf::ParallelOp loop : loops)
    splitAxes(loop);
}

void makeThreaded(scf::ForOp loop) {
  OpBuilder builder(loop);
  auto parallel = scf::ParallelOp::create(builder, loop.getLoc(), ValueRange(loop.getLowerBound()),
                                          ValueRange(loop.getUpperBound()), ValueRange(loop.getStep()),
                                          function_ref<void(OpBuilder &, Location, ValueRange)>());
  parallel.getInductionVars()[0].setLoc(loop.getInductionVar().getLoc());
  setSchedule(parallel, {.maybeEmpty = scheduleOf(loop).maybeEmpty});
  loop.getInductionVar().replaceAllUsesWith(parallel.getInductionVars()[0]);
  loop.getBody()->getTerminator()->erase();
  Block *target = parallel.getBody();
  target->getOperations().splice(target->begin(), loop.getBody()->getOperations());
  loop.erase();
  makeInnerLoopsSerial(parallel);
}

/// A kernel has no results: those that are used go through memory, which each turn of a task has for itself.
Operation *returnThroughMemory(Operation *op) {
  if (op->use_empty())
    return op;
  Location loc = op->getLoc();
  Operation *owner = taskLoopAround(op);
  Block &entry = (owner ? owner : op->getParentOfType<func::FuncOp>().getOperation())->getRegion(0).front();
  OpBuilder before = OpBuilder::atBlockBegin(&entry), after(op);
  after.setInsertionPointAfter(op);
  auto nest = scf::ExecuteRegionOp::create(after, loc, TypeRange());
  OpBuilder inside = OpBuilder::atBlockBegin(&nest.getRegion().emplaceBlock());
  Value zero = arith::ConstantIndexOp::create(inside, loc, 0), outside = arith::ConstantIndexOp::create(after, loc, 0);
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value slot = memref::AllocaOp::create(before, loc, MemRefType::get({1}, result.getType()));
    Value loaded = memref::LoadOp::create(after, loc, slot, outside);
    result.replaceAllUsesWith(loaded);
    memref::StoreOp::create(inside, loc, result, slot, zero);
  }
  scf::YieldOp::create(inside, loc);
  op->moveBefore(zero.getDefiningOp());
  return nest;
}

/// Leaves the outermost axis of a statement as a loop that is to be outlined.
void makeOneTurnAfterTheOther(scf::ParallelOp parallel) {
  Operation *before = parallel->getPrevNode();
  Block *block = parallel->getBlock();
  splitAxes(parallel);
  changeSchedule(before ? before->getNextNode() : &block->front(),
                 [](Schedule &schedule) { schedule.outlined = true; });
}

void form(Region &region);

void form(Operation *op) {
  if (op->getNumRegions() == 0 || !holdsLoop(op))
    return;
  const bool isInTask = taskLoopAround(op);
  if (auto parallel = dyn_cast<scf::ParallelOp>(op)) {
    makeInnerLoopsSerial(op);
    if (isInTask)
      makeOneTurnAfterTheOther(parallel);
    return;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!isKernel(op) || isTaskLoop(op) || (!isInTask && holdsThreads(op))) {
    for (Region &region : op->getRegions())
      form(region);
  } else if (loop && !isInTask && isParallelLoop(loop) && loopWork(loop) >= targetOf(loop).fork &&
             !loop.getNumResults()) {
    makeThreaded(loop);
  } else {
    makeInnerLoopsSerial(op);
    changeSchedule(returnThroughMemory(op), [](Schedule &schedule) { schedule.outlined = true; });
  }
}

void form(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      form(&op);
}

struct FormNests : quernel::impl::FormNestsBase<FormNests> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::program))
      return;
    // Tasks that call nothing, and whose arrays lie on the stack, may stand in a kernel.
    getOperation().walk([](scf::ForOp loop) {
      if (isTaskLoop(loop) && isKernel(loop))
        changeSchedule(loop, [](Schedule &schedule) { schedule.order = TurnOrder::parallel; });
    });
    form(getOperation().getBody());
  }
};

} // namespace
