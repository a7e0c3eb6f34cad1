// A loop doesn't take memory in every turn: the same memory serves them all.
//
//   for (i) { T = alloc(i * 2); …; dealloc T }   →   T = alloc(max((n - 1) * 2, 0)); for (i) { … }; dealloc T
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace quernel {
#define GEN_PASS_DEF_HOISTALLOCATIONS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Computes before a loop what a size inside it is at most.
class SizeBound {
public:
  explicit SizeBound(Operation *loop) : loop(loop), builder(loop) {}

  /// Nothing where the size depends on more than counters and what is known outside.
  Value most(Value size) {
    Value most = bound(size, /*upper=*/true);
    if (!most || !usesCounter)
      return most;
    // A loop without turns has counters below its first one.
    Value zero = arith::ConstantIndexOp::create(builder, size.getLoc(), 0);
    return arith::MaxSIOp::create(builder, size.getLoc(), most, zero);
  }

private:
  Value bound(Value value, bool upper) {
    if (isOutside(value))
      return value;
    Operation *op = value.getDefiningOp();
    if (!op)
      return boundOfCounter(value, upper);
    if (matchPattern(value, m_Constant()))
      return builder.clone(*op)->getResult(0);
    if (isa<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
      return rebuild(op, bound(op->getOperand(0), upper), bound(op->getOperand(1), upper));
    if (isa<arith::SubIOp>(op))
      return rebuild(op, bound(op->getOperand(0), upper), bound(op->getOperand(1), !upper));
    if (isa<arith::MulIOp>(op))
      return boundOfProduct(op, upper);
    return {};
  }

  bool isOutside(Value value) { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }

  Value rebuild(Operation *op, Value left, Value right) {
    if (!left || !right)
      return {};
    Operation *copy = builder.clone(*op);
    copy->setOperands({left, right});
    return copy->getResult(0);
  }

  Value boundOfCounter(Value value, bool upper) {
    auto owner = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    if (!owner || value != owner.getInductionVar())
      return {};
    usesCounter = true;
    if (!upper)
      return bound(owner.getLowerBound(), upper);
    Value end = bound(owner.getUpperBound(), upper);
    if (!end)
      return {};
    Value one = arith::ConstantIndexOp::create(builder, value.getLoc(), 1);
    return arith::SubIOp::create(builder, value.getLoc(), end, one);
  }

  /// Sizes of arrays aren't negative, and neither are their products with one another.
  static bool isSize(Value value) {
    if (auto constant = getConstantIntValue(value))
      return *constant >= 0;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument)
      return isa<func::FuncOp>(argument.getOwner()->getParentOp());
    Operation *op = value.getDefiningOp();
    if (isa<arith::MaxSIOp>(op))
      return isSize(op->getOperand(0)) || isSize(op->getOperand(1));
    return isa<arith::MulIOp>(op) && isSize(op->getOperand(0)) && isSize(op->getOperand(1));
  }

  Value boundOfProduct(Operation *op, bool upper) {
    for (unsigned factor : {0, 1})
      if (Value size = op->getOperand(factor); isSize(size) && (isOutside(size) || matchPattern(size, m_Constant())))
        return rebuild(op, bound(size, upper), bound(op->getOperand(1 - factor), upper));
    return {};
  }

  Operation *loop;
  OpBuilder builder;
  bool usesCounter = false;
};

/// The loops that the allocation may leave, the innermost first: those whose turns run one after the other. It leaves
/// branches on the way to a loop.
SmallVector<Operation *> loopsAround(memref::AllocOp allocation) {
  SmallVector<Operation *> loops;
  for (Operation *parent = allocation->getParentOp(); isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent);
       parent = parent->getParentOp()) {
    if (parent->hasAttr("quernel.parallel"))
      break;
    if (!isa<scf::IfOp>(parent))
      loops.push_back(parent);
  }
  return loops;
}

memref::DeallocOp releaseOf(memref::AllocOp allocation) {
  for (Operation *user : allocation->getUsers())
    if (auto release = dyn_cast<memref::DeallocOp>(user); release && release->getBlock() == allocation->getBlock())
      return release;
  return {};
}

bool moveOut(memref::AllocOp allocation, memref::DeallocOp release, Operation *loop) {
  SmallVector<Value> sizes;
  for (Value size : allocation.getDynamicSizes()) {
    Value most = SizeBound(loop).most(size);
    if (!most)
      return false;
    sizes.push_back(most);
  }
  allocation->setOperands(sizes);
  allocation->moveBefore(loop);
  release->moveAfter(loop);
  return true;
}

/// Out of the outermost loop that it can leave.
void hoist(memref::AllocOp allocation) {
  if (memref::DeallocOp release = releaseOf(allocation))
    for (Operation *loop : llvm::reverse(loopsAround(allocation)))
      if (moveOut(allocation, release, loop))
        return;
}

struct HoistAllocations : quernel::impl::HoistAllocationsBase<HoistAllocations> {
  void runOnOperation() override {
    SmallVector<memref::AllocOp> allocations;
    getOperation().walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp allocation : allocations)
      hoist(allocation);
  }
};

} // namespace
