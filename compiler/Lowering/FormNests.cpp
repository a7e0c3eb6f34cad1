// Decides which loops of a program run in threads and which become serial kernels.
//
//   for t:                      for t:
//     parallel i: …               parallel i: …        (a kernel each, in threads)
//     parallel i: …        →      parallel i: …
//   for i: for j parallel: …    for i: for j: …        (one kernel: the parallel loop is too short for threads)
//   parallel i: parallel j: …   parallel i, j: …       (one kernel, on a device)
//   tasks i: call; parallel j   tasks i: call; for j   (threads share the turns in the program; a serial kernel each)
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SplitAxes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

/// Whether threads pay for a parallel loop inside of a loop's body, each time it runs.
bool holdsThreads(Operation *loop, Region &body) {
  return body
      .walk([&](Operation *inner) {
        bool pays = isParallelLoop(inner) && loopWork(inner) >= forksToLeaveNest * targetOf(loop).fork;
        return pays ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool holdsThreads(Operation *op) {
  return llvm::any_of(op->getRegions(), [&](Region &region) { return holdsThreads(op, region); });
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

/// A parallel loop whose axes threads share. On a device those of parallel loops that are all there is in its turns are
/// axes, too.
class Threads {
public:
  explicit Threads(scf::ForOp loop) : loop(loop) {
    add(loop);
    if (targetOf(loop).kind == TargetKind::gpu)
      while (Operation *inner = onlyLoop())
        add(inner);
  }

  /// Whether threads had better share the whole loop than only what its turns hold. On a device that goes through it,
  /// each turn would be launched.
  bool pay() {
    if (loopWork(loop) < targetOf(loop).fork)
      return false;
    if (!holdsThreads(loop, *body().getParent()))
      return true;
    return targetOf(loop).kind == TargetKind::gpu && turns && blockWork(body()) <= *turns * targetOf(loop).fork;
  }

  void run() {
    OpBuilder builder(loop);
    auto parallel = scf::ParallelOp::create(builder, loop.getLoc(), lower, upper, step,
                                            function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(parallel, {.maybeEmpty = maybeEmpty});
    for (auto [counter, old] : llvm::zip_equal(parallel.getInductionVars(), counters)) {
      counter.setLoc(old.getLoc());
      old.replaceAllUsesWith(counter);
    }
    Block *target = parallel.getBody();
    for (auto [number, each] : llvm::enumerate(loops)) {
      Block &old = each->getRegion(0).front();
      auto end = number + 1 < loops.size() ? Block::iterator(loops[number + 1]) : old.getTerminator()->getIterator();
      target->getOperations().splice(target->getTerminator()->getIterator(), old.getOperations(), old.begin(), end);
    }
    loop.erase();
    makeInnerLoopsSerial(parallel);
  }

private:
  Block &body() { return loops.back()->getRegion(0).front(); }

  void add(Operation *each) {
    loops.push_back(each);
    maybeEmpty |= scheduleOf(each).maybeEmpty;
    if (auto serial = dyn_cast<scf::ForOp>(each))
      return addAxis(serial.getLowerBound(), serial.getUpperBound(), serial.getStep(), serial.getInductionVar());
    auto parallel = cast<scf::ParallelOp>(each);
    for (auto [from, to, by, counter] : llvm::zip_equal(parallel.getLowerBound(), parallel.getUpperBound(),
                                                        parallel.getStep(), parallel.getInductionVars()))
      addAxis(from, to, by, counter);
  }

  void addAxis(Value from, Value to, Value by, Value counter) {
    lower.push_back(from);
    upper.push_back(to);
    step.push_back(by);
    counters.push_back(counter);
    auto first = getConstantIntValue(from), end = getConstantIntValue(to), stride = getConstantIntValue(by);
    const bool isKnown = turns && first && end && stride.value_or(0) > 0;
    turns = isKnown ? std::optional(*turns * std::max<int64_t>(0, llvm::divideCeilSigned(*end - *first, *stride)))
                    : std::nullopt;
  }

  /// The parallel loop that a turn consists of, but for numbers before it that each of its turns may compute as well;
  /// null where there is none, or where a turn decides on its bounds.
  Operation *onlyLoop() {
    Operation *inner = body().getTerminator()->getPrevNode();
    if (!inner || !isParallelLoop(inner) || !isa<scf::ForOp, scf::ParallelOp>(inner) || inner->getNumResults() > 0)
      return nullptr;
    for (Operation &op : body().without_terminator())
      if (&op != inner && !mayRepeat(op))
        return nullptr;
    const unsigned bounds = isa<scf::ForOp>(inner) ? 3 : inner->getNumOperands();
    const bool isFixed = llvm::all_of(inner->getOperands().take_front(bounds), [&](Value bound) {
      return !loop->isAncestor(bound.getParentRegion()->getParentOp());
    });
    return isFixed ? inner : nullptr;
  }

  /// Whether an operation gives the same in all turns of the loop behind it: a pure one, or a load of an array to which
  /// nothing here stores.
  bool mayRepeat(Operation &op) {
    if (op.getNumRegions() > 0)
      return false;
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      return isPure(&op);
    auto rootOf = [](Operation *at, Value buffer) { return resolveElement({at, buffer, std::nullopt, false}).root; };
    Value root = rootOf(load, load.getMemRef());
    return root && !loop->walk([&](Operation *inner) {
                          Value buffer = storedBuffer(inner);
                          Value other = buffer ? rootOf(inner, buffer) : Value();
                          return buffer && (!other || other == root) ? WalkResult::interrupt() : WalkResult::advance();
                        })
                        .wasInterrupted();
  }

  scf::ForOp loop;
  /// The loop and those that are its axes, too.
  SmallVector<Operation *> loops;
  SmallVector<Value> lower, upper, step, counters;
  bool maybeEmpty = false;
  /// How many turns all of them have, if that is a constant.
  std::optional<int64_t> turns = 1;
};

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
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop && !isInTask && isParallelLoop(loop) && !loop.getNumResults() && isKernel(loop))
    if (Threads threads(loop); threads.pay())
      return threads.run();
  if (auto parallel = dyn_cast<scf::ParallelOp>(op)) {
    makeInnerLoopsSerial(op);
    if (isInTask)
      makeOneTurnAfterTheOther(parallel);
    return;
  }
  if (!isKernel(op) || isTaskLoop(op) || (!isInTask && holdsThreads(op))) {
    for (Region &region : op->getRegions())
      form(region);
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
