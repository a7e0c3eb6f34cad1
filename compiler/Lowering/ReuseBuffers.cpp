// Memory that has been released is taken again for the next array of the same size in its block.
//
//   a = alloc(n); f(a); dealloc a; b = alloc(n); g(b); dealloc b     →     a = alloc(n); f(a); g(a); dealloc a
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace quernel {
#define GEN_PASS_DEF_REUSEBUFFERS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

struct ReuseBuffers : quernel::impl::ReuseBuffersBase<ReuseBuffers> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) { reuseIn(*block); });
  }

  /// Memory of one type and one size, which is constant or the same number of the program.
  using Size = std::pair<Type, Value>;

  static Size sizeOf(memref::AllocOp memory) {
    auto sizes = memory.getDynamicSizes();
    return {memory.getType(), sizes.empty() ? Value() : sizes.front()};
  }

  /// Memory that is there already isn't looked for.
  static void eraseChecks(Operation *memory) {
    for (Operation *user : llvm::make_early_inc_range(memory->getUsers()))
      if (isa<AllocatedOp>(user))
        user->erase();
      else if (isa<memref::CastOp>(user))
        eraseChecks(user);
  }

  void reuseIn(Block &block) {
    llvm::DenseMap<Size, SmallVector<memref::DeallocOp>> released;
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      if (isa<memref::AllocOp, memref::DeallocOp>(op))
        ops.push_back(&op);
    for (Operation *op : ops) {
      if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
        auto memory = dealloc.getMemref().getDefiningOp<memref::AllocOp>();
        if (memory && memory->getBlock() == &block && memory.getType().getRank() == 1)
          released[sizeOf(memory)].push_back(dealloc);
      }
      auto wanted = dyn_cast<memref::AllocOp>(op);
      auto found = wanted ? released.find(sizeOf(wanted)) : released.end();
      if (found == released.end() || found->second.empty())
        continue;
      memref::DeallocOp earlier = found->second.pop_back_val();
      eraseChecks(wanted);
      wanted.replaceAllUsesWith(earlier.getMemref());
      wanted.erase();
      earlier.erase();
    }
  }
};

} // namespace
