// Brings together what is scattered to the same places, so that one loop goes through the places once.
#include "compiler/Transforms/Passes.h"
#include "compiler/Transforms/Siblings.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {
#define GEN_PASS_DEF_GROUPSCATTERS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

bool quernel::haveOneIndex(ScatterOp a, ScatterOp b, ShapeAnalysis &shapes) {
  const bool areSets = a.getKind() == "set";
  return areSets == (b.getKind() == "set") && a.getIndices() == b.getIndices() && a.getAxes() == b.getAxes() &&
         shapes.shape(a.getValue()) == shapes.shape(b.getValue());
}

namespace {

using Group = SmallVector<ScatterOp>;

bool dependsOn(Operation *op, const llvm::DenseSet<Value> &values) {
  return op
      ->walk([&](Operation *inner) {
        bool depends = llvm::any_of(inner->getOperands(), [&](Value value) { return values.contains(value); });
        return depends ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The arrays that an operation's operands are made of.
llvm::DenseSet<Value> sourcesOf(Operation *op) {
  llvm::DenseSet<Value> sources;
  SmallVector<Value> work(op->getOperands());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *producer = value.getDefiningOp();
    if (sources.insert(value).second && producer && isa<ShapeRuleOpInterface>(producer))
      llvm::append_range(work, producer->getOperands());
  }
  return sources;
}

/// Whether an operation would get what it reads copied if others, which read the same, came after it.
bool overwrites(Operation *op, const llvm::DenseSet<Value> &sources) {
  if (isa<UpdateSliceOp, ScatterOp>(op))
    return sources.contains(op->getOperand(0));
  return op->getNumRegions() > 0 && dependsOn(op, sources);
}

/// Moves a group down to another scatter, with what was computed from it since. Gives up where something in between
/// that can't move asks for the group's results, or writes to what the group reads.
bool sink(Group &group, ScatterOp target) {
  llvm::DenseSet<Value> moved;
  SmallVector<Operation *> followers;
  llvm::DenseSet<Value> sources;
  for (ScatterOp op : group)
    sources.insert_range(sourcesOf(op));
  for (Operation *op = group.front(); op != target; op = op->getNextNode()) {
    bool isMember = llvm::is_contained(group, op);
    if (!isMember && dependsOn(op, moved)) {
      if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
        return false;
      followers.push_back(op);
    } else if (!isMember) {
      if (overwrites(op, sources))
        return false;
      continue;
    }
    moved.insert_range(op->getResults());
  }
  if (dependsOn(target, moved))
    return false;
  for (ScatterOp op : group)
    op->moveBefore(target);
  Operation *last = target;
  for (Operation *op : followers) {
    op->moveAfter(last);
    last = op;
  }
  return true;
}

void groupBlock(Block &block, ShapeAnalysis &shapes) {
  SmallVector<Group> groups;
  for (ScatterOp op : llvm::to_vector(block.getOps<ScatterOp>())) {
    auto joins = [&](Group &group) { return haveOneIndex(group.front(), op, shapes) && sink(group, op); };
    auto found = llvm::find_if(llvm::reverse(groups), joins);
    if (found == groups.rend())
      groups.push_back({op});
    else
      found->push_back(op);
  }
}

struct GroupScatters : quernel::impl::GroupScattersBase<GroupScatters> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    ShapeAnalysis shapes(getOperation());
    getOperation().walk([&](Block *block) { groupBlock(*block, shapes); });
  }
};

} // namespace
