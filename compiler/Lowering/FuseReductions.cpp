// Merges the loops of reductions over the same range, of which none needs the other, and which may be combined in lanes
// all or none.
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {
#define GEN_PASS_DEF_FUSEREDUCTIONS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

bool readsAny(Operation *op, const llvm::DenseSet<Value> &buffers) {
  return op
      ->walk([&](memref::LoadOp load) {
        return buffers.contains(load.getMemRef()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the first loop may run as late as the second: nothing on the way uses its results or stores what it reads.
bool independent(scf::ForOp first, scf::ForOp second) {
  llvm::DenseSet<Value> stored;
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (Value buffer = storedBuffer(inner))
        stored.insert(buffer);
    });
  if (readsAny(first, stored))
    return false;
  for (Operation *user : first->getUsers()) {
    Operation *top = first->getBlock()->findAncestorOpInBlock(*user);
    if (!top || top == second || top->isBeforeInBlock(second))
      return false;
  }
  return true;
}

void merge(scf::ForOp first, scf::ForOp second) {
  OpBuilder builder(second);
  SmallVector<Value> init(first.getInitArgs());
  llvm::append_range(init, second.getInitArgs());
  auto loop =
      scf::ForOp::create(builder, second.getLoc(), first.getLowerBound(), first.getUpperBound(), first.getStep(), init);
  Schedule both = scheduleOf(first);
  llvm::append_range(both.reduces, scheduleOf(second).reduces);
  setSchedule(loop, both);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping mapping;
  SmallVector<Value> next;
  unsigned argument = 0;
  for (scf::ForOp old : {first, second}) {
    mapping.map(old.getInductionVar(), loop.getInductionVar());
    for (BlockArgument carried : old.getRegionIterArgs()) {
      loop.getRegionIterArg(argument).setLoc(carried.getLoc());
      mapping.map(carried, loop.getRegionIterArg(argument++));
    }
    for (Operation &op : old.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (Value yielded : old.getBody()->getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(yielded));
  }
  scf::YieldOp::create(builder, loop.getLoc(), next);
  first->replaceAllUsesWith(loop.getResults().take_front(first.getNumResults()));
  second->replaceAllUsesWith(loop.getResults().drop_front(first.getNumResults()));
  first.erase();
  second.erase();
}

bool mergeOne(Block &block) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : block.getOps<scf::ForOp>())
    if (isReductionLoop(loop))
      loops.push_back(loop);
  for (size_t i = 0; i < loops.size(); ++i)
    for (size_t j = i + 1; j < loops.size(); ++j)
      if (sameRange(loops[i], loops[j]) && scheduleOf(loops[i]).inOrder == scheduleOf(loops[j]).inOrder &&
          mayRegroup(loops[i]) == mayRegroup(loops[j]) && independent(loops[i], loops[j])) {
        merge(loops[i], loops[j]);
        return true;
      }
  return false;
}

struct FuseReductions : quernel::impl::FuseReductionsBase<FuseReductions> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    // A merge replaces blocks, so the search begins anew after each.
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<Block *> blocks;
      getOperation().walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
      for (Block *block : blocks)
        if (mergeOne(*block)) {
          changed = true;
          break;
        }
    }
  }
};

} // namespace
