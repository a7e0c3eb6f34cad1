// Which axis of a kernel the threads share, and which axes are loops.
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SplitAxes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

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

/// One group that holds every axis.
std::vector<std::vector<unsigned>> allAxes(scf::ParallelOp loop) {
  std::vector<unsigned> axes(loop.getNumLoops());
  std::iota(axes.begin(), axes.end(), 0);
  return {axes};
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

struct ScheduleGpu : quernel::impl::ScheduleGpuBase<ScheduleGpu> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<scf::ParallelOp> loops(getOperation().getOps<scf::ParallelOp>());
    IRRewriter rewriter(&getContext());
    for (scf::ParallelOp loop : loops)
      if (loop.getNumLoops() > 1)
        collapseParallelLoops(rewriter, loop, allAxes(loop));
  }
};

} // namespace
