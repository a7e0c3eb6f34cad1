// Cuts a loop where what it asks about its counter gets another answer, so that most turns ask nothing:
//
//   for i in [0, n): out[i] = i >= 1 ? x[max(i - 1, 0)] : x[n - 1]
//
//   for i in [0, 1): out[i] = x[n - 1]
//   for i in [1, n): out[i] = x[i - 1]
//
// A clamp that no turn needs goes: min(i + j, n - 1), where i < n - 63 and j < 64.
#include "compiler/Lowering/CounterChanges.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_SPLITRANGES
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestTurns = 64;   // of a loop that is worth being cut
constexpr size_t mostCuts = 3;        // each is a copy of the body, and so is what lies between them
constexpr int64_t longestText = 1200; // operations of all copies

/// Whether a loop is one that may be cut: of one axis, without results, and not known to be short.
bool mayBeCut(Operation *loop) {
  auto parallel = dyn_cast<scf::ParallelOp>(loop);
  if (loop->getNumResults() || (parallel && parallel.getNumLoops() != 1))
    return false;
  auto like = cast<LoopLikeOpInterface>(loop);
  if (getConstantIntValue((*like.getLoopSteps())[0]) != 1)
    return false;
  auto first = getConstantIntValue((*like.getLoopLowerBounds())[0]);
  auto last = getConstantIntValue((*like.getLoopUpperBounds())[0]);
  return !first || !last || *last - *first >= fewestTurns;
}

class RangeSplitter {
public:
  explicit RangeSplitter(Operation *loop) : loop(loop), changes(loop), builder(loop), loc(loop->getLoc()) {}

  void run() {
    if (!changes.hasClamp || changes.cuts.size() > mostCuts)
      return;
    if (changes.cuts.empty())
      return simplify(loop, {0, false, changes.counter});
    const auto copies = static_cast<int64_t>(2 * changes.cuts.size() + 1);
    int64_t operations = 0;
    loop->walk([&](Operation *) { ++operations; });
    if (operations * copies <= longestText)
      split();
  }

private:
  Value valueOf(const LinearForm &form) { return ::valueOf(builder, loc, form); }

  bool isKnownAtMost(Value x, Value y) { return changes.isKnownAtMost(LinearForm::of(x), LinearForm::of(y)); }

  Value most(Value x, Value y) {
    return isKnownAtMost(x, y) ? y : isKnownAtMost(y, x) ? x : arith::MaxSIOp::create(builder, loc, x, y).getResult();
  }

  Value least(Value x, Value y) {
    return isKnownAtMost(x, y) ? x : isKnownAtMost(y, x) ? y : arith::MinSIOp::create(builder, loc, x, y).getResult();
  }

  /// The turns before, between and behind the cuts in order. Each range begins where the one before it ends. Those
  /// between cuts begin behind all cuts before them and end before all that follow, whatever order these have in the
  /// end.
  void split() {
    ArrayRef<CutRange> cuts = changes.cuts;
    Value at = changes.lower;
    for (size_t k = 0; k <= cuts.size(); ++k) {
      Value end = changes.upper;
      for (const CutRange &later : cuts.drop_front(k))
        end = least(end, valueOf(later.first));
      end = most(at, end);
      LinearForm from = k == 0 ? LinearForm::of(changes.lower) : cuts[k - 1].last;
      LinearForm turns = (k == cuts.size() ? LinearForm::of(changes.upper) : cuts[k].first) - from;
      addLoop(at, end, {k, false, {}}, turns.isConstant() && turns.constant < fewestTurns);
      at = end;
      if (k == cuts.size())
        break;
      const bool isFirst = llvm::all_of(cuts.drop_front(k + 1), [&](const CutRange &later) {
        return changes.isKnownAtMost(cuts[k].first, later.first);
      });
      if (isFirst && cuts[k].first == cuts[k].last)
        continue; // what went before ended there
      end = most(at, least(changes.upper, valueOf(cuts[k].last)));
      addLoop(at, end, {k, true, {}}, isFirst); // many turns, where a later cut comes first
      at = end;
    }
    loop->erase();
  }

  /// Adds a simplified copy of the loop over some turns, unless there are none. Few turns become no vectors.
  void addLoop(Value first, Value end, CounterChanges::Place place, bool isShort) {
    if (isKnownAtMost(end, first))
      return;
    Schedule schedule = scheduleOf(loop);
    if (isShort) {
      schedule.vector = VectorForm::none;
      schedule.grain = 0;
    }
    schedule.maybeEmpty |= isShort || !getConstantIntValue(first) || !getConstantIntValue(end);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Operation *copy = nullptr;
    Block *body = nullptr;
    if (isa<scf::ParallelOp>(loop) && !isShort) {
      auto made = scf::ParallelOp::create(builder, loc, first, end, one,
                                          function_ref<void(OpBuilder &, Location, ValueRange)>());
      copy = made;
      body = made.getBody();
    } else {
      auto made = scf::ForOp::create(builder, loc, first, end, one);
      copy = made;
      body = made.getBody();
      if (isa<scf::ParallelOp>(loop))
        schedule.order = TurnOrder::parallel;
    }
    place.counter = body->getArgument(0);
    place.counter.setLoc(changes.counter.getLoc());
    IRMapping map;
    map.map(changes.counter, place.counter);
    OpBuilder inside = OpBuilder::atBlockTerminator(body);
    for (Operation &op : loop->getRegion(0).front().without_terminator())
      inside.clone(op, map);
    setSchedule(copy, schedule);
    simplify(copy, place);
  }

  /// Lets the operations of the loop, or of a copy, give what they give in all turns of its place.
  void simplify(Operation *copy, const CounterChanges::Place &place) {
    SmallVector<Operation *> ops;
    copy->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != copy)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      decide(op, place);
    int64_t left = ops.size();
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op)) {
        op->erase();
        --left;
      }
    Schedule schedule = scheduleOf(copy);
    schedule.grain = schedule.grain * static_cast<int64_t>(ops.size()) / std::max<int64_t>(left, 1);
    setSchedule(copy, schedule); // less work a turn: more turns are worth a thread
  }

  void decide(Operation *op, const CounterChanges::Place &place) {
    OpBuilder before(op);
    if (auto answer = changes.answer(op, place)) {
      Value result = isClamp(op) ? op->getOperand(*answer ? 0 : 1)
                                 : arith::ConstantOp::create(before, loc, before.getBoolAttr(*answer)).getResult();
      op->getResult(0).replaceAllUsesWith(result);
      return;
    }
    if (op->getNumResults() != 1 || op->getNumRegions() || !isMemoryEffectFree(op))
      return;
    SmallVector<Value> folded;
    if (succeeded(before.tryFold(op, folded)) && folded.size() == 1 && folded.front() != op->getResult(0))
      op->getResult(0).replaceAllUsesWith(folded.front());
  }

  Operation *loop;
  CounterChanges changes;
  OpBuilder builder;
  Location loc;
};

/// Whether x is at most y in all turns of the loops around.
bool isNeverMore(const LinearForm &x, const LinearForm &y) {
  auto most = greatestValue(x - y);
  return most && *most <= 0;
}

/// The operand that a clamp gives in all turns of the loops around: several counters may be in it.
Value idleClamp(Operation *op) {
  LinearForm left = LinearForm::of(op->getOperand(0)), right = LinearForm::of(op->getOperand(1)), zero;
  const bool isMost = isa<arith::MaxSIOp>(op), hasNoSign = isa<arith::MinUIOp>(op);
  auto isLess = [&](const LinearForm &x, const LinearForm &y) {
    return isNeverMore(x, y) && (!hasNoSign || isNeverMore(zero, x));
  };
  if (isLess(left, right))
    return op->getOperand(isMost ? 1 : 0);
  return isLess(right, left) ? op->getOperand(isMost ? 0 : 1) : Value();
}

struct SplitRanges : quernel::impl::SplitRangesBase<SplitRanges> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    getOperation().walk([&](Operation *op) {
      if (Value same = isClamp(op) ? idleClamp(op) : Value()) {
        op->getResult(0).replaceAllUsesWith(same);
        op->erase();
      }
    });
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (scheduleOf(op).vector == VectorForm::parallel && isa<scf::ForOp, scf::ParallelOp>(op) && mayBeCut(op))
        loops.push_back(op);
    });
    for (Operation *op : loops)
      RangeSplitter(op).run();
  }
};

} // namespace
