// What a loop checks in each of its turns is checked before it, so that turns needn't wait for each other.
//
//   for i in a..b:                    first = b
//     check 0 <= p[i] < n             for i in a..b: first = min(first, 0 <= p[i] < n ? b : i)
//     y[i] = x[p[i]]           →      for i in a..first: y[i] = x[p[i]]
//                                     if first < b: check 0 <= p[first] < n
//
// The turns before the first one that fails run, as they did, and then the program ends with that turn's exception.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_CHECKAHEAD
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Turns that one thread goes through sooner than kernels are launched and waited for.
constexpr int64_t fewTurns = 1024;

class Checks {
public:
  explicit Checks(scf::ForOp loop) : loop(loop), builder(loop) {}

  bool applies() {
    return scheduleOf(loop).order == TurnOrder::sequential && getConstantIntValue(loop.getStep()) == 1 && isLong() &&
           !holds<scf::ParallelOp>(loop) && collectChecks() && storesComeLast() && collectConditions() &&
           dependOnData();
  }

  void run() {
    const Location loc = loop.getLoc();
    Value upper = loop.getUpperBound();
    Value last = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), upper);
    auto ahead = scf::ForOp::create(builder, loc, loop.getLowerBound(), upper, loop.getStep(), last);
    ahead.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    Value sofar = ahead.getRegionIterArgs().front();
    sofar.setLoc(NameLoc::get(builder.getStringAttr("first"), loc));
    builder.setInsertionPointToStart(ahead.getBody());
    IRMapping turn = conditionsAt(ahead.getInductionVar());
    Value isRight;
    for (CheckOp check : checks) {
      Value ok = turn.lookupOrDefault(check.getOk());
      isRight = isRight ? arith::AndIOp::create(builder, loc, isRight, ok).getResult() : ok;
    }
    Value at = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), ahead.getInductionVar());
    Value term = arith::SelectOp::create(builder, loc, isRight, last, at);
    Value least = arith::MinSIOp::create(builder, loc, sofar, term);
    scf::YieldOp::create(builder, loc, least);
    builder.setInsertionPoint(loop);
    Value first = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), ahead.getResult(0));
    loop.setUpperBound(first);
    builder.setInsertionPointAfter(loop);
    Value fails = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, first, upper);
    auto branch = scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping failed = conditionsAt(first);
    for (CheckOp check : checks) {
      builder.clone(*check, failed);
      check.erase();
    }
  }

private:
  /// Lengths that nobody knows count as long, but not in another loop.
  bool isLong() {
    auto turns = staticTrips(loop);
    const bool isInLoop = loop->getParentOfType<LoopLikeOpInterface>();
    for (Operation *parent = loop->getParentOp(); parent; parent = parent->getParentOp())
      if (isParallelLoop(parent) || isTaskLoop(parent))
        return false;
    return turns ? *turns >= fewTurns : !isInLoop;
  }

  /// The checks, all of which each turn comes to.
  bool collectChecks() {
    checks.assign(loop.getBody()->op_begin<CheckOp>(), loop.getBody()->op_end<CheckOp>());
    unsigned all = 0;
    loop.walk([&](CheckOp) { ++all; });
    return !checks.empty() && all == checks.size() &&
           llvm::all_of(checks, [](CheckOp check) { return check.getState().empty() && check.getMemory().empty(); });
  }

  /// Whether a turn has stored nothing when a check in it fails.
  bool storesComeLast() {
    auto isCheck = [](Operation *op) { return isa<CheckOp>(op); };
    if (failed(collectAccesses(loop, accesses, isCheck)))
      return false;
    return llvm::all_of(accesses, [&](const Access &access) {
      return !access.isStore || checks.back()->isBeforeInBlock(loop.getBody()->findAncestorOpInBlock(*access.op));
    });
  }

  /// The operations of a turn that what is checked follows from: not from what the loop carries or stores.
  bool collectConditions() {
    SmallVector<Value> checked;
    for (CheckOp check : checks)
      llvm::append_range(checked, check->getOperands());
    return collectProducers(loop, checked, conditions,
                            [&](Operation *, memref::LoadOp load) { return isStored(load); }) &&
           llvm::none_of(conditions, holds<CountOp>); // the program's alone
  }

  /// Whether turns check what they load: what is the same in all turns, as sizes are, is no reason to run them in
  /// order.
  bool dependOnData() {
    return llvm::any_of(conditions, [](Operation *op) { return holds<memref::LoadOp>(op); });
  }

  bool isStored(memref::LoadOp load) {
    Value root = resolveElement({load, load.getMemRef(), std::nullopt, false}).root;
    return llvm::any_of(accesses, [&](const Access &access) {
      if (!access.isStore)
        return false;
      Value other = resolveElement(access).root;
      return !root || !other || root == other;
    });
  }

  /// Computes for a turn what it checks.
  IRMapping conditionsAt(Value turn) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), turn);
    for (Operation &op : loop.getBody()->without_terminator())
      if (conditions.contains(&op))
        builder.clone(op, mapping);
    return mapping;
  }

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<CheckOp> checks;
  SmallVector<Access> accesses;
  llvm::SmallPtrSet<Operation *, 16> conditions;
};

struct CheckAhead : quernel::impl::CheckAheadBase<CheckAhead> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::program))
      return;
    rewriteLoops<Checks>(getOperation());
  }
};

} // namespace
