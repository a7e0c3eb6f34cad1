// Operations of one result that are repeated are computed once: sizes, indices, elements.
//
// MLIR's own pass would compare each kernel with every other, as kernels differ in their bodies alone, which its hashes
// leave out: the time grows with the square of their number. Operations with regions are left alone here.
#include "compiler/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace quernel {
#define GEN_PASS_DEF_SHAREARITHMETIC
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Operations are the same where they do the same to the same values.
struct SameComputation : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(const_cast<Operation *>(op), OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

struct ShareArithmetic : quernel::impl::ShareArithmeticBase<ShareArithmetic> {
  using Known = llvm::ScopedHashTable<Operation *, Operation *, SameComputation>;

  void runOnOperation() override {
    Known known;
    share(getOperation().getBody(), known);
  }

  /// What a region's operations compute is known within that region: it has one block.
  void share(Region &region, Known &known) {
    Known::ScopeTy scope(known);
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          share(inner, known);
        if (op.getNumRegions() != 0 || op.getNumResults() == 0 || !isMemoryEffectFree(&op))
          continue;
        if (isOpTriviallyDead(&op)) {
          op.erase();
        } else if (Operation *same = known.lookup(&op)) {
          op.replaceAllUsesWith(same);
          op.erase();
        } else {
          known.insert(&op, &op);
        }
      }
  }
};

} // namespace
