// Marks the loops of a program whose turns don't touch each other's elements.
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_MARKPARALLELLOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// A buffer of a known, small size.
bool isSmall(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  return type.hasStaticShape() && bits != 0 && type.getNumElements() * llvm::divideCeil(bits, 8) <= privateBytes;
}

/// Whether a loop carries nothing and each turn stays with its own elements: without a call, or a big buffer of its
/// own.
bool hasIndependentTurns(scf::ForOp loop) {
  SmallVector<Access> accesses;
  return loop.getNumResults() == 0 && succeeded(collectAccesses(loop, accesses)) &&
         llvm::all_of(accesses, [](const Access &access) { return access.indices.has_value(); }) &&
         !loop->walk([](memref::AllocOp alloc) {
                return isSmall(alloc) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted() &&
         !mayTurnsMeet(loop, accesses);
}

/// Buffers of a turn's own go onto the stack.
void makePrivate(scf::ForOp loop) {
  SmallVector<memref::AllocOp> allocations;
  loop.walk([&](memref::AllocOp alloc) { allocations.push_back(alloc); });
  for (memref::AllocOp alloc : allocations) {
    OpBuilder builder(alloc);
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    alloc.replaceAllUsesWith(memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType()).getResult());
    alloc.erase();
  }
}

/// Unlike an array statement, the body of a loop of the user's isn't evaluated where the range is empty.
void markEmptiness(scf::ForOp loop) {
  LinearForm last = LinearForm::of(loop.getUpperBound());
  last.constant -= 1;
  if (!isAtMost(LinearForm::of(loop.getLowerBound()), last, loop))
    changeSchedule(loop, [](Schedule &schedule) { schedule.maybeEmpty = true; });
}

struct MarkParallelLoops : quernel::impl::MarkParallelLoopsBase<MarkParallelLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      const TurnOrder order = scheduleOf(loop).order;
      bool isStatement = order != TurnOrder::sequential && order != TurnOrder::tasks;
      if (isStatement || isReductionLoop(loop) || loop->getParentOfType<scf::ParallelOp>())
        continue;
      markEmptiness(loop);
      if (order == TurnOrder::tasks || !hasIndependentTurns(loop))
        continue;
      changeSchedule(loop, [](Schedule &schedule) { schedule.order = TurnOrder::parallel; });
      makePrivate(loop);
    }
  }
};

} // namespace
