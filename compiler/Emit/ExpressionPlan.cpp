#include "compiler/Emit/ExpressionPlan.h"

#include "compiler/Dialect/Quernel.h"

#include "compiler/Emit/Progression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace quernel {

/// Operators that one statement may hold before it is split.
static constexpr unsigned maxCost = 10;
/// Operators that a loop's bound may repeat at each iteration.
static constexpr unsigned maxBoundCost = 3;

bool isLoad(Operation *op) { return isa<memref::LoadOp, vector::LoadOp, vector::GatherOp>(op); }

/// Others may have written behind what threads wait for.
bool mayWrite(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool writes = isa<memref::StoreOp, memref::AtomicRMWOp, memref::DeallocOp, vector::StoreOp, vector::ScatterOp,
                          CopyPackOp, func::CallOp, JoinLanesOp, BarrierOp>(inner);
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isSameWidthCast(Operation *op) {
  auto bits = [](Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); };
  return isa<arith::IndexCastOp>(op) &&
         bits(getElementTypeOrSelf(op->getOperand(0))) == bits(getElementTypeOrSelf(op->getResult(0)));
}

bool isTransparent(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    return !elements || elements.isSplat();
  }
  return isa<vector::BroadcastOp, vector::StepOp, memref::CastOp, memref::GetGlobalOp>(op) || isSameWidthCast(op);
}

static bool isExpression(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  return isLoad(op) || isa<CountOp, DivisorOp>(op) ||
         isa_and_present<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(op->getDialect()) ||
         isTransparent(op);
}

/// The index vector of a gather or scatter that prints as a stride instead.
static bool isStrideOnly(OpOperand &use) {
  if (auto gather = dyn_cast<vector::GatherOp>(use.getOwner()))
    return use.get() == gather.getIndices() && progressionOf(use.get());
  if (auto scatter = dyn_cast<vector::ScatterOp>(use.getOwner()))
    return use.get() == scatter.getIndices() && progressionOf(use.get());
  return false;
}

/// The uses that show in the text: those of a transparent op are its operand's own.
static void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses()) {
    if (isStrideOnly(use))
      continue;
    if (isTransparent(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

static void pinProgression(Value indices, llvm::DenseSet<Value> &pinned) {
  if (auto progression = progressionOf(indices))
    for (Value value : progression->values())
      pinned.insert(value);
}

ExpressionPlan::ExpressionPlan(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto gather = dyn_cast<vector::GatherOp>(op))
      pinProgression(gather.getIndices(), pinned);
    if (auto scatter = dyn_cast<vector::ScatterOp>(op))
      pinProgression(scatter.getIndices(), pinned);
  });
  function.walk([&](Block *block) { planBlock(*block); });
}

void ExpressionPlan::planBlock(Block &block) {
  for (Operation &op : llvm::reverse(block))
    if (isExpression(&op))
      planOp(&op);
  limitCosts(block);
}

static bool writeBetween(Operation *op, Operation *statement) {
  for (Operation *between = op->getNextNode(); between != statement; between = between->getNextNode())
    if (mayWrite(between))
      return true;
  return false;
}

/// The bounds of a loop are evaluated at each iteration.
static bool isLoopBound(OpOperand &use) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
    return use.get() == loop.getUpperBound() || use.get() == loop.getStep();
  return isa<scf::ParallelOp>(use.getOwner());
}

void ExpressionPlan::planOp(Operation *op) {
  SmallVector<OpOperand *> uses;
  collectUses(op->getResult(0), uses);
  bool isPinned = pinned.contains(op->getResult(0));
  if (isTransparent(op) || (uses.empty() && !isPinned)) {
    inlined[op] = op;
    return;
  }
  if (uses.size() != 1 || isPinned)
    return;
  Operation *user = uses.front()->getOwner();
  // A chain of conditionals reads better with names.
  if (user->getBlock() != op->getBlock() || (isa<arith::SelectOp>(op) && isa<arith::SelectOp>(user)))
    return;
  bool bound = isLoopBound(*uses.front()) || inBounds.contains(user);
  Operation *statement = isInlined(user) ? inlined.lookup(user) : user;
  if (isLoad(op) && (bound || writeBetween(op, statement)))
    return;
  inlined[op] = statement;
  if (bound)
    inBounds.insert(op);
}

void ExpressionPlan::limitCosts(Block &block) {
  for (Operation &op : block) {
    unsigned cost = isTransparent(&op) ? 0 : 1;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && isInlined(producer))
        cost += costs.lookup(producer);
    costs[&op] = cost;
    auto found = inlined.find(&op);
    if (found == inlined.end() || isTransparent(&op))
      continue;
    if (cost > (inBounds.contains(&op) ? maxBoundCost : maxCost) && !op.use_empty())
      inlined.erase(found);
  }
}

} // namespace quernel
