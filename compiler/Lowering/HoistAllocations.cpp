// Takes memory that every turn of a loop takes once before the loop.
//
//   for (i < n) { T = alloc(i * 2); …; dealloc T }   →   T = alloc(0 < n ? max((n - 1) * 2, 0) : 0); for (i < n) { … };
//                                                        dealloc T
//
// Assumes that an allocation's release stands in its block, and that its `quernel.allocated`, if any, comes right after
// it. Leaves no allocation that takes more memory than some turn that runs would have taken: nothing leaves a branch, a
// loop with a condition or one with a check, but for constant sizes so small that they are always there.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

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
    usesCounter = false;
    Value most = bound(size, /*upper=*/true);
    if (!most || !usesCounter)
      return most;
    // A loop without turns has counters below its first one.
    Value zero = arith::ConstantIndexOp::create(builder, size.getLoc(), 0);
    return arith::MaxSIOp::create(builder, size.getLoc(), most, zero);
  }

  /// Whether the inner loop has a turn in some turn of the outer one; nothing where that can't be said before.
  Value runs(scf::ForOp inner) {
    usesCounter = false;
    Value lower = bound(inner.getLowerBound(), /*upper=*/false);
    bool lowerMoves = std::exchange(usesCounter, false);
    Value upper = bound(inner.getUpperBound(), /*upper=*/true);
    if (!lower || !upper || (lowerMoves && usesCounter))
      return {};
    return builder.createOrFold<arith::CmpIOp>(inner.getLoc(), arith::CmpIPredicate::slt, lower, upper);
  }

  Value constant(Location loc, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  OpBuilder &at() { return builder; }

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

/// Memory that is always there, and costs nothing where no turn needs it.
constexpr int64_t smallBytes = 64 << 10;

bool isSmall(memref::AllocOp allocation) {
  int64_t count = allocation.getType().hasStaticShape() ? allocation.getType().getNumElements() : 1;
  for (Value size : allocation.getDynamicSizes()) {
    auto known = getConstantIntValue(size);
    if (!known || llvm::MulOverflow(count, *known, count))
      return false;
  }
  return count <= smallBytes / elementBytes(allocation.getType().getElementType());
}

/// Whether a turn may end the program with another error before it takes memory.
bool hasCheck(Operation *loop) {
  return loop->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The loops that the allocation may leave, the innermost first: those whose turns run one after the other, and which
/// are sure to need it if they have a turn. What is small leaves branches and loops with a condition as well.
SmallVector<Operation *> loopsAround(memref::AllocOp allocation) {
  SmallVector<Operation *> loops;
  bool small = isSmall(allocation);
  for (Operation *parent = allocation->getParentOp(); isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent);
       parent = parent->getParentOp()) {
    if (isParallelLoop(parent) || isTaskLoop(parent) || (!small && (!isa<scf::ForOp>(parent) || hasCheck(parent))))
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

AllocatedOp checkOf(memref::AllocOp allocation) {
  for (Operation *user : allocation->getUsers())
    if (auto check = dyn_cast<AllocatedOp>(user))
      return check;
  return {};
}

/// Whether all loops from the allocation to the one that it leaves have a turn; null where they surely have.
std::optional<Value> runs(memref::AllocOp allocation, Operation *loop, SizeBound &bounds) {
  Value all;
  for (Operation *inner = allocation->getParentOp();; inner = inner->getParentOp()) {
    if (auto counted = dyn_cast<scf::ForOp>(inner)) {
      Value one = bounds.runs(counted);
      if (!one)
        return std::nullopt;
      if (!matchPattern(one, m_One()))
        all = all ? arith::AndIOp::create(bounds.at(), loop->getLoc(), all, one).getResult() : one;
    }
    if (inner == loop)
      return all;
  }
}

/// Operations that were built before the loop and that nothing uses are left to the passes that follow.
bool moveOut(memref::AllocOp allocation, memref::DeallocOp release, Operation *loop) {
  SizeBound bounds(loop);
  AllocatedOp check = checkOf(allocation);
  SmallVector<Value> shape;
  for (Value size : check ? check.getShape() : allocation.getDynamicSizes()) {
    Value most = bounds.most(size);
    if (!most)
      return false;
    shape.push_back(most);
  }
  SmallVector<Value> sizes(shape);
  if (check && !allocation.getDynamicSizes().empty())
    sizes = {bounds.at().createOrFold<CountOp>(allocation.getLoc(), bounds.at().getIndexType(), shape)};
  if (!isSmall(allocation)) {
    std::optional<Value> needed = runs(allocation, loop, bounds);
    if (!needed)
      return false;
    if (*needed)
      for (Value &size : sizes)
        size = arith::SelectOp::create(bounds.at(), allocation.getLoc(), *needed, size,
                                       bounds.constant(allocation.getLoc(), 0));
  }
  allocation.getDynamicSizesMutable().assign(sizes);
  allocation->moveBefore(loop);
  if (check) {
    check.getShapeMutable().assign(shape);
    check->moveAfter(allocation);
  }
  release->moveAfter(loop);
  return true;
}

/// Out of the outermost loop that it can leave.
void hoist(memref::AllocOp allocation) {
  SmallVector<Operation *> loops = loopsAround(allocation);
  if (memref::DeallocOp release = releaseOf(allocation))
    for (Operation *loop : llvm::reverse(loops))
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
