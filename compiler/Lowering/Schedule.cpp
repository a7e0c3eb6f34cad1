// Which axis of a kernel the threads share, and which axes are loops.
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SplitAxes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_SCHEDULECPU
#define GEN_PASS_DEF_SCHEDULEGPU
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t enoughForThreads = 16; // iterations that divide evenly enough
constexpr int64_t someForThreads = 4;    // that a few threads can share

std::optional<int64_t> tripCount(scf::ParallelOp loop, unsigned axis) {
  auto lower = getConstantIntValue(loop.getLowerBound()[axis]), upper = getConstantIntValue(loop.getUpperBound()[axis]);
  return lower && upper ? std::optional(*upper - *lower) : std::nullopt;
}

/// The first axis with enough iterations; where none has, the first one with some, else the first one.
unsigned threadAxis(scf::ParallelOp loop) {
  for (int64_t least : {enoughForThreads, someForThreads})
    for (unsigned axis = 0; axis < loop.getNumLoops(); ++axis)
      if (tripCount(loop, axis).value_or(assumedTrips) >= least)
        return axis;
  return 0;
}

struct ScheduleCpu : quernel::impl::ScheduleCpuBase<ScheduleCpu> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<scf::ParallelOp> loops(getOperation().getOps<scf::ParallelOp>());
    for (scf::ParallelOp loop : loops)
      splitAxes(loop, threadAxis(loop));
    getOperation().walk([](scf::ParallelOp loop) {
      int64_t work = std::max<int64_t>(1, blockWork(*loop.getBody()));
      int64_t grain = llvm::divideCeil(targetOf(loop).fork, work);
      changeSchedule(loop, [&](Schedule &schedule) { schedule.grain = std::max<int64_t>(2, grain); });
    });
  }
};

/// The counters of a loop that what an operation computes depends on.
void collectCounters(Operation *op, scf::ParallelOp loop, llvm::SmallDenseSet<unsigned> &counters,
                     llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (!seen.insert(op).second)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand)) {
        if (argument.getOwner() == loop.getBody())
          counters.insert(argument.getArgNumber());
      } else if (Operation *producer = operand.getDefiningOp(); loop->isProperAncestor(producer)) {
        collectCounters(producer, loop, counters, seen);
      }
    }
  });
}

/// How many of the first axes the grid gets: all of them, but for the last ones that a reduction doesn't depend on.
unsigned sharedAxes(scf::ParallelOp loop) {
  const unsigned axes = loop.getNumLoops();
  unsigned most = 0;
  for (auto reduction : loop.getBody()->getOps<scf::ForOp>()) {
    if (!isReductionLoop(reduction))
      continue;
    llvm::SmallDenseSet<unsigned> counters;
    llvm::SmallPtrSet<Operation *, 16> seen;
    collectCounters(reduction, loop, counters, seen);
    unsigned needed = 0;
    for (unsigned axis : counters)
      needed = std::max(needed, axis + 1);
    if (needed < axes)
      most = std::max(most, needed);
  }
  return most == 0 ? axes : most;
}

/// Whether a grid's x would have too few turns for a warp, and leave some of its threads without one.
bool wastesThreads(scf::ParallelOp loop, ArrayRef<unsigned> axes) {
  int64_t turns = 1;
  for (unsigned axis : axes) {
    auto trips = tripCount(loop, axis);
    if (!trips || getConstantIntValue(loop.getStep()[axis]) != 1)
      return false;
    turns *= *trips;
  }
  return turns < threadsOfWarp && !llvm::isPowerOf2_64(turns);
}

/// Makes the first axes of a loop one where they are more than a grid has, and the last ones where they are short and
/// their number is known, so that the divisions that take them apart are cheap.
void flattenAxes(scf::ParallelOp loop, RewriterBase &rewriter) {
  std::vector<std::vector<unsigned>> grid;
  for (unsigned axis = 0; axis < loop.getNumLoops(); ++axis)
    grid.push_back({axis});
  const auto join = [&](unsigned first) {
    grid[first].insert(grid[first].end(), grid[first + 1].begin(), grid[first + 1].end());
    grid.erase(grid.begin() + first + 1);
  };
  while (grid.size() > 1 && wastesThreads(loop, grid.back()))
    join(grid.size() - 2);
  while (grid.size() > mostGridAxes)
    join(0);
  if (grid.size() == loop.getNumLoops())
    return;
  const Schedule schedule = scheduleOf(loop);
  Operation *next = loop->getNextNode();
  collapseParallelLoops(rewriter, loop, grid);
  Operation *made = next->getPrevNode();
  setSchedule(made, schedule);
  // The counter of an axis that doesn't begin at 0 is an affine map of the flat one's part.
  made->walk([&](affine::AffineApplyOp apply) {
    rewriter.setInsertionPoint(apply);
    rewriter.replaceOp(apply, *affine::expandAffineMap(rewriter, apply.getLoc(), apply.getAffineMap(),
                                                       llvm::to_vector(apply.getMapOperands())));
  });
}

struct ScheduleGpu : quernel::impl::ScheduleGpuBase<ScheduleGpu> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<scf::ParallelOp> loops(getOperation().getOps<scf::ParallelOp>());
    IRRewriter rewriter(&getContext());
    for (scf::ParallelOp loop : loops) {
      if (unsigned kept = sharedAxes(loop); kept < loop.getNumLoops())
        loop = keepFirstAxes(loop, kept, TurnOrder::parallel);
      flattenAxes(loop, rewriter);
    }
  }
};

} // namespace
