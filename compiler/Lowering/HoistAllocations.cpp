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

  Value most(Value size) { return bound(size, /*upper=*/true); }

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
};

/// The next operation around the allocation that it may leave: a loop whose turns run one after the other, or a
/// branch.
Operation *leavable(memref::AllocOp allocation) {
  Operation *parent = allocation->getParentOp();
  bool isParallel = parent->hasAttr("quernel.parallel");
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent) && !isParallel ? parent : nullptr;
}

memref::DeallocOp releaseOf(memref::AllocOp allocation) {
  for (Operation *user : allocation->getUsers())
    if (auto release = dyn_cast<memref::DeallocOp>(user); release && release->getBlock() == allocation->getBlock())
      return release;
  return {};
}

bool moveOut(memref::AllocOp allocation, Operation *parent) {
  memref::DeallocOp release = releaseOf(allocation);
  if (!release)
    return false;
  OpBuilder builder(parent);
  SmallVector<Value> sizes;
  for (Value size : allocation.getDynamicSizes()) {
    Value most = SizeBound(parent).most(size);
    if (!most)
      return false;
    if (most != size) {
      Value zero = arith::ConstantIndexOp::create(builder, size.getLoc(), 0);
      most = arith::MaxSIOp::create(builder, size.getLoc(), most, zero);
    }
    sizes.push_back(most);
  }
  allocation->setOperands(sizes);
  allocation->moveBefore(parent);
  release->moveAfter(parent);
  return true;
}

/// Out of the outermost loop that it can leave; out of branches only on the way to a loop.
void hoist(memref::AllocOp allocation) {
  auto isInLoop = [](Operation *op) {
    for (Operation *parent = op->getParentOp(); isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent);
         parent = parent->getParentOp())
      if (!isa<scf::IfOp>(parent))
        return !parent->hasAttr("quernel.parallel");
    return false;
  };
  while (isInLoop(allocation)) {
    Operation *parent = leavable(allocation);
    if (!parent || !moveOut(allocation, parent))
      return;
  }
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
