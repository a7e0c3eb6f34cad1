// Moves what doesn't depend on a loop out of it, loads and whole reductions included.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace quernel {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

llvm::DenseSet<Value> storedBuffers(Region &region) {
  llvm::DenseSet<Value> buffers;
  region.walk([&](Operation *op) {
    if (Value buffer = storedBuffer(op))
      buffers.insert(buffer);
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      buffers.insert(store.getBase());
    else if (auto scatter = dyn_cast<vector::ScatterOp>(op))
      buffers.insert(scatter.getBase());
  });
  return buffers;
}

/// Whether an operation has a loop that reads no memory: any number may be that of its turns, so it may never end.
bool mayBeEndless(Operation *op) {
  return op
      ->walk([](scf::ForOp loop) {
        if (loop.getStaticTripCount())
          return WalkResult::advance();
        bool reads = loop->walk([](memref::LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
        return reads ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Whether the program may end before it comes to an operation of the loop's body, or may not come to it.
bool mayNotReach(Operation *loop) {
  return scheduleOf(loop).maybeEmpty || loop->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// What is asked about a loop for each operation of its body, found by one walk.
struct Loop {
  explicit Loop(LoopLikeOpInterface loop)
      : stored(storedBuffers(*loop.getLoopRegions().front())), maybeEmpty(scheduleOf(loop).maybeEmpty),
        mayNotReach(::mayNotReach(loop)) {}

  llvm::DenseSet<Value> stored;
  bool maybeEmpty;
  bool mayNotReach;
};

/// Reads at most, and nothing that the loop stores. Buffers of a kernel never overlap. What a loop that may be empty
/// reads may lie outside of its buffer. Nobody waits for what the program may not come to.
bool mayLeave(Operation *op, const Loop &loop) {
  if (loop.mayNotReach && mayBeEndless(op))
    return false;
  if (loop.maybeEmpty)
    return isMemoryEffectFree(op) && isSpeculatable(op);
  return !op->walk([&](Operation *inner) {
              if (auto load = dyn_cast<memref::LoadOp>(inner))
                return loop.stored.contains(load.getMemRef()) ? WalkResult::interrupt() : WalkResult::advance();
              bool harmless = isa<scf::ForOp, scf::IfOp, scf::YieldOp>(inner) || isMemoryEffectFree(inner);
              return harmless ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

struct HoistInvariants : quernel::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    // Inner loops first, so that what leaves them can go on outwards.
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (!isa<scf::ForOp, scf::ParallelOp>(loop))
        return;
      const Loop known(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) { return mayLeave(op, known); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

} // namespace
