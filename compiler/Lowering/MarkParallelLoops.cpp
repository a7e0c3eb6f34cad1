// Marks the loops of a program whose turns don't touch each other's elements.
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_MARKPARALLELLOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t privateBytes = 4096; // what a turn may keep on the stack

/// A buffer of a known, small size.
bool isSmall(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  return type.hasStaticShape() && bits != 0 && type.getNumElements() * llvm::divideCeil(bits, 8) <= privateBytes;
}

class TurnsOf {
public:
  explicit TurnsOf(scf::ForOp loop) : loop(loop), axes(loop) {}

  bool areIndependent() {
    if (loop.getNumResults() != 0 || failed(collectAccesses(loop, accesses)) || !hasOnlyElements())
      return false;
    dropRepeated();
    for (const Access &store : accesses)
      for (const Access &other : accesses)
        if (store.isStore &&
            (mayTouchLater(store, other, axes, 0) || (!other.isStore && mayTouchLater(other, store, axes, 0))))
          return false;
    return true;
  }

private:
  /// Neither a call nor a big buffer of a turn's own.
  bool hasOnlyElements() {
    return llvm::all_of(accesses, [](const Access &access) { return access.indices.has_value(); }) &&
           !loop->walk([](memref::AllocOp alloc) {
                  return isSmall(alloc) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// Accesses of one element in one block need one answer.
  void dropRepeated() {
    SmallVector<Access> kept;
    for (const Access &access : accesses)
      if (llvm::none_of(kept, [&](const Access &other) {
            return access.buffer == other.buffer && access.isStore == other.isStore &&
                   access.op->getBlock() == other.op->getBlock() && *access.indices == *other.indices;
          }))
        kept.push_back(access);
    accesses = kept;
  }

  scf::ForOp loop;
  LoopAxes axes;
  SmallVector<Access> accesses;
};

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
      bool isStatement = scheduleOf(loop).order != TurnOrder::sequential;
      if (isStatement || isReductionLoop(loop) || loop->getParentOfType<scf::ParallelOp>())
        continue;
      markEmptiness(loop);
      if (!TurnsOf(loop).areIndependent())
        continue;
      changeSchedule(loop, [](Schedule &schedule) { schedule.order = TurnOrder::parallel; });
      makePrivate(loop);
    }
  }
};

} // namespace
