// Widens the marked loops of a kernel to vectors.
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PairedAccess.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/VectorizeReduction.h"
#include "compiler/Lowering/Widener.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_VECTORIZE
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

// Vectors side by side where columns are reduced.
constexpr int64_t columnVectors = 4;
// Vectors that a recurrence may have in registers at once.
constexpr int64_t stateVectors = 8;
// Operations of a turn that keep the processor busy by themselves.
constexpr int64_t busyTurn = 40;

// More lanes than a reduction has.
constexpr int64_t wholeAccumulators = 1024;
// Elements of a sum that is a recurrence, too.
constexpr int64_t longSum = 16;

/// Whether a loop inside reads along memory with `variable` and jumps with its own: several vectors side by side then
/// read more of each row at once.
bool readsColumns(Operation *loop, Value variable) {
  return loop
      ->walk([&](memref::LoadOp load) {
        auto inner = load->getParentOfType<scf::ForOp>();
        Value index = load.getIndices()[0];
        if (!inner || inner == loop || !runsAlong(load, variable))
          return WalkResult::advance();
        bool jumps = coefficientOf(index, inner.getInductionVar()) != 0 && !runsAlong(load, inner.getInductionVar());
        return jumps ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The iterations of a loop that starts at `lower`, or `variable`, and has one iteration at most for all lanes.
Value countBetween(OpBuilder &builder, Location loc, Value variable, Value lower, Value upper) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  if (first && last)
    return arith::ConstantIndexOp::create(builder, loc, *last - *first);
  return arith::SubIOp::create(builder, loc, upper, variable);
}

/// Whether a loop computes functions, which take as long for one element as for a vector.
bool computesFunctions(Operation *loop) {
  return loop->walk([](Operation *op) { return isFunction(*op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Booleans of memory come side by side or alone, not as lanes that may repeat.
bool touchesBooleans(Operation *loop) {
  auto isBoolean = [](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    return (load && load.getType().isInteger(1)) || (store && store.getValueToStore().getType().isInteger(1));
  };
  return loop->walk([&](Operation *op) { return isBoolean(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// A parallel loop: whole vectors first, then what is left: one vector with fewer iterations than lanes where functions
/// are computed, else a loop over single elements.
class ParallelVectorizer {
public:
  ParallelVectorizer(Operation *loop, int64_t lanes) : loop(loop), builder(loop), lanes(lanes) {}

  /// Leaves what is left to a loop over single elements, and gives that, if there is one.
  scf::ForOp runWholeVectors() {
    Location loc = loop->getLoc();
    auto parallel = dyn_cast<scf::ParallelOp>(loop);
    auto sequential = dyn_cast<scf::ForOp>(loop);
    Value lower = parallel ? parallel.getLowerBound()[0] : sequential.getLowerBound();
    Value upper = parallel ? parallel.getUpperBound()[0] : sequential.getUpperBound();
    Block &body = loop->getRegion(0).front();
    Value end = wholeEnd(builder, loc, lower, upper, lanes);
    if (!isEmptyRange(lower, end)) {
      OpBuilder::InsertionGuard guard(builder);
      Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
      Value variable = openWide(lower, end, step);
      Widener widener(builder, lanes);
      widener.setVariable(body.getArgument(0), variable);
      widener.widenBlock(body);
    }
    scf::ForOp rest;
    if (!isEmptyRange(end, upper))
      rest = remainder(body, end, upper);
    loop->erase();
    return rest;
  }

  void run() {
    const bool maybePartial = computesFunctions(loop) && !touchesBooleans(loop);
    scf::ForOp rest = runWholeVectors();
    if (rest && maybePartial && staticTrips(rest) != 1)
      partialVector(rest, lanes);
  }

private:
  Value openWide(Value lower, Value end, Value step) {
    Location loc = loop->getLoc();
    Operation *wide;
    if (isa<scf::ParallelOp>(loop)) {
      wide = scf::ParallelOp::create(builder, loc, lower, end, step,
                                     function_ref<void(OpBuilder &, Location, ValueRange)>());
    } else {
      wide = scf::ForOp::create(builder, loc, lower, end, step);
    }
    Schedule old = scheduleOf(loop);
    setSchedule(wide, {.maybeEmpty = old.maybeEmpty, .grain = old.grain ? std::max<int64_t>(2, old.grain / lanes) : 0});
    Block &body = wide->getRegion(0).front();
    builder.setInsertionPoint(body.getTerminator());
    return body.getArgument(0);
  }

  scf::ForOp remainder(Block &body, Value end, Value upper) {
    Location loc = loop->getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto rest = scf::ForOp::create(builder, loc, end, upper, one);
    setSchedule(rest, {.maybeEmpty = scheduleOf(loop).maybeEmpty});
    IRMapping mapping;
    mapping.map(body.getArgument(0), rest.getInductionVar());
    OpBuilder inner(rest.getBody()->getTerminator());
    for (Operation &op : body.without_terminator())
      inner.clone(op, mapping);
    return rest;
  }

  /// Computes a loop of fewer iterations than lanes as one vector.
  static void partialVector(scf::ForOp loop, int64_t lanes) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    auto once = scf::ForOp::create(builder, loc, lower, upper, arith::ConstantIndexOp::create(builder, loc, lanes));
    setSchedule(once, {.maybeEmpty = scheduleOf(loop).maybeEmpty});
    builder.setInsertionPoint(once.getBody()->getTerminator());
    Widener widener(builder, lanes);
    widener.setVariable(loop.getInductionVar(), once.getInductionVar());
    widener.setCount(loc, countBetween(builder, loc, once.getInductionVar(), lower, upper));
    widener.widenBlock(*loop.getBody());
    loop.erase();
  }

  Operation *loop;
  OpBuilder builder;
  int64_t lanes;
};

/// How many vectors side by side hide how long a step of a recurrence takes: each one's next step waits for its last.
/// The values that a loop inside hands on, other than to a short sum, have to fit into registers; a long turn needs no
/// other beside it.
int64_t vectorsOfRecurrence(Operation *loop) {
  int64_t most = 0;
  loop->walk([&](scf::ForOp inner) {
    const bool isBusy = static_cast<int64_t>(inner.getBody()->getOperations().size()) > busyTurn;
    if (inner != loop && (!isReductionLoop(inner) || likelyTrips(inner) >= longSum))
      most = std::max<int64_t>(most, isBusy ? stateVectors : inner.getNumRegionIterArgs());
  });
  int64_t fits = most == 0 ? 1 : stateVectors / most;
  return fits >= 4 ? 4 : fits >= 2 ? 2 : 1;
}

void vectorizeParallel(Operation *loop, int64_t lanes) {
  Value variable = loop->getRegion(0).front().getArgument(0);
  int64_t sideBySide = readsColumns(loop, variable) ? columnVectors : vectorsOfRecurrence(loop);
  Operation *rest = loop;
  if (sideBySide > 1)
    rest = ParallelVectorizer(loop, lanes * sideBySide).runWholeVectors();
  if (rest)
    ParallelVectorizer(rest, lanes).run();
}

struct Vectorize : quernel::impl::VectorizeBase<Vectorize> {
  using VectorizeBase::VectorizeBase;

  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (scheduleOf(op).vector != VectorForm::none)
        loops.push_back(op);
    });
    const bool isGpu = targetOf(getOperation()).kind == TargetKind::gpu;
    for (Operation *op : loops) {
      if (isGpu && scheduleOf(op).vector == VectorForm::parallel) // whose lanes are threads
        continue;
      Block &body = op->getRegion(0).front();
      if (!Widener::canWiden(body, body.getArgument(0)))
        continue;
      int64_t widest = widestElement(op);
      if (scheduleOf(op).vector == VectorForm::lanes)
        vectorizeReduction(cast<scf::ForOp>(op), widest, isGpu ? threadsOfWarp : wholeAccumulators, /*inBlocks=*/isGpu);
      else
        vectorizeParallel(op, std::max<int64_t>(2, targetOf(op).vectorBytes / widest));
    }
  }
};

} // namespace
