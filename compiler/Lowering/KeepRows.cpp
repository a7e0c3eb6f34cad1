// What a loop computes again after an earlier loop over the same range lies meanwhile where the later loop's result
// goes.
//
//   for j: s += exp(x[j])              for j: out[j] = exp(x[j]); s += out[j]
//   for j: out[j] = exp(x[j]) / s  →   for j: out[j] = out[j] / s
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Recompute.h"
#include "compiler/Lowering/TurnValues.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace quernel {
#define GEN_PASS_DEF_KEEPROWS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

class RowKeeper {
public:
  explicit RowKeeper(func::FuncOp kernel) : kernel(kernel), dominance(kernel) {}

  void run() {
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      SmallVector<scf::ForOp> loops(block->getOps<scf::ForOp>());
      for (size_t last = 1; last < loops.size(); ++last)
        keepFor(ArrayRef(loops).take_front(last), loops[last]);
    }
  }

private:
  /// Keeps for `last` what one of the loops before it computes, too.
  void keepFor(ArrayRef<scf::ForOp> before, scf::ForOp last) {
    if (!isParallelLoop(last) || last.getNumResults() != 0)
      return;
    SmallVector<scf::ForOp> same;
    llvm::copy_if(before, std::back_inserter(same), [&](scf::ForOp loop) { return sameRange(loop, last); });
    memref::StoreOp store = onlyStore(last);
    if (same.empty() || !store || !isShort(last, store) || mayEndBetween(same.front(), last))
      return;
    LoopDependence dependence(kernel);
    TurnValues numbers(dependence);
    for (scf::ForOp loop : same)
      numbers.addBody(loop);
    numbers.addBody(last);
    for (Operation &op : llvm::reverse(last.getBody()->without_terminator())) {
      if (op.getNumResults() != 1 || op.getResult(0).getType() != store.getValueToStore().getType())
        continue;
      if (workOf(op.getResult(0), last.getBody()) >= worthKeeping && keep(op.getResult(0), same, store, numbers))
        return;
    }
  }

  /// Has the first loop that computes `value` store it where `store` goes, and those after it load it. Does nothing
  /// where no loop does, or where that place isn't known before it.
  bool keep(Value value, ArrayRef<scf::ForOp> before, memref::StoreOp store, TurnValues &numbers) {
    scf::ForOp first;
    for (scf::ForOp loop : before) {
      SmallVector<Value> equal = numbers.equalIn(loop, value);
      if (equal.empty())
        continue;
      OpBuilder builder(loop.getContext());
      if (!first) {
        builder.setInsertionPointAfterValue(equal.front());
        if (!isKnownBefore(store.getIndices()[0], store, loop))
          return false;
        Value index = placeIn(builder, store, loop);
        memref::StoreOp::create(builder, store.getLoc(), equal.front(), store.getMemRef(), index);
        first = loop;
      } else {
        for (Value again : equal)
          loadInstead(builder, again, store, loop);
      }
    }
    if (first) {
      OpBuilder builder(store);
      loadInstead(builder, value, store, cast<scf::ForOp>(store->getParentOp()));
    }
    return first != nullptr;
  }

  void loadInstead(OpBuilder &builder, Value value, memref::StoreOp store, scf::ForOp loop) {
    builder.setInsertionPointAfterValue(value);
    Value index = placeIn(builder, store, loop);
    Value kept = memref::LoadOp::create(builder, value.getLoc(), store.getMemRef(), index);
    value.replaceAllUsesWith(kept);
  }

  /// Whether an index of the last loop is computed from its counter and from what there is before `loop`.
  bool isKnownBefore(Value index, memref::StoreOp store, scf::ForOp loop) {
    auto last = cast<scf::ForOp>(store->getParentOp());
    Operation *op = index.getDefiningOp();
    if (op && op->getBlock() == last.getBody())
      return isPure(op) &&
             llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownBefore(operand, store, loop); });
    return index == last.getInductionVar() || dominance.properlyDominates(index, loop);
  }

  /// The place of `store` in the same turn of another loop.
  Value placeIn(OpBuilder &builder, memref::StoreOp store, scf::ForOp loop) {
    IRMapping mapping;
    mapping.map(cast<scf::ForOp>(store->getParentOp()).getInductionVar(), loop.getInductionVar());
    return recompute(builder, store.getIndices()[0], store->getParentOp(), mapping);
  }

  /// The one store of a loop to an array that nothing else in the kernel reads or writes; its turns store to different
  /// elements.
  memref::StoreOp onlyStore(scf::ForOp last) {
    memref::StoreOp found;
    for (auto store : last.getBody()->getOps<memref::StoreOp>()) {
      auto step = coefficientOf(store.getIndices()[0], last.getInductionVar());
      if (step.value_or(0) != 0 && llvm::hasSingleElement(store.getMemRef().getUses()))
        found = store;
    }
    return found;
  }

  static bool isShort(scf::ForOp last, memref::StoreOp store) {
    auto trips = staticTrips(last);
    int64_t bytes = elementBytes(store.getValueToStore().getType());
    return !trips || *trips <= targetOf(last).cacheBytes / 2 / bytes;
  }

  /// Whether the program may end after `first` and before the end of `last`: the array may be the caller's.
  static bool mayEndBetween(Operation *first, Operation *last) {
    for (Operation *op = first; op != last->getNextNode(); op = op->getNextNode())
      if (op->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted())
        return true;
    return false;
  }

  func::FuncOp kernel;
  DominanceInfo dominance;
};

struct KeepRows : quernel::impl::KeepRowsBase<KeepRows> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    RowKeeper(getOperation()).run();
    // What is loaded is computed no more, so that nothing counts it as work of its loop.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
