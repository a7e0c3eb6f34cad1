// A thread computes what short last axes of a grid have, where their turns load the same elements.
//
//   parallel (i, j, k) in (n, 3, 3):                parallel (i) in (n):
//     for l in 3: s += a[i, j, l] * b[i, l, k]  →     for j in 3: for k in 3:
//     c[i, j, k] = s                                    for l in 3: s += a[i, j, l] * b[i, l, k]
//                                                       c[i, j, k] = s
//
// Of a matrix a turn loaded a row and a column; a thread loads the matrix once, and PackTurns has it do so 16 bytes at
// a time.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PackTurns.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SplitAxes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_FORMTILES
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Results of a thread.
constexpr int64_t mostResults = 16;
/// Turns of a grid from which on its threads keep a device busy, as each has many loads under way.
constexpr int64_t manyTurns = 1 << 15;

/// The turns of an axis that is gone through one by one from 0 on, where they are known.
std::optional<int64_t> turnsOf(scf::ParallelOp loop, unsigned axis) {
  auto upper = getConstantIntValue(loop.getUpperBound()[axis]);
  if (getConstantIntValue(loop.getLowerBound()[axis]) != 0 || getConstantIntValue(loop.getStep()[axis]) != 1)
    return std::nullopt;
  return upper;
}

class TileFormer {
public:
  explicit TileFormer(scf::ParallelOp loop) : loop(loop) {}

  void run() {
    if (loop.getNumResults() != 0)
      return;
    int64_t results = 1;
    unsigned first = loop.getNumLoops();
    while (first > 1) {
      auto turns = turnsOf(loop, first - 1);
      if (!turns || *turns < 1 || *turns * results > mostResults)
        break;
      results *= *turns, --first;
    }
    for (unsigned kept = first; kept < loop.getNumLoops(); ++kept)
      if (isBusy(kept) && sharesLoads(kept) && tile(kept))
        return;
  }

private:
  /// Whether the first axes have turns for a device's threads.
  bool isBusy(unsigned kept) {
    int64_t turns = 1;
    for (unsigned axis = 0; axis < kept; ++axis) {
      auto own = turnsOf(loop, axis);
      if (!own)
        return true;
      turns *= *own;
    }
    return turns >= manyTurns;
  }

  /// Whether the turns of the last axes have loads in common.
  bool sharesLoads(unsigned kept) {
    llvm::DenseMap<Value, int64_t> counters;
    int64_t results = 1, apart = 0, together = 0;
    for (unsigned axis = kept; axis < loop.getNumLoops(); ++axis) {
      const int64_t turns = *turnsOf(loop, axis);
      counters[loop.getInductionVars()[axis]] = turns;
      results *= turns;
    }
    if (results == 1)
      return false;
    loop.walk([&](memref::LoadOp load) {
      apart += elementsLoaded(load, loop);
      together += elementsLoaded(load, loop, counters);
    });
    return together < apart * results;
  }

  /// Makes the last axes loops of a thread's own; false, and the loop stays as it is, where that would have no packs.
  bool tile(unsigned kept) {
    OpBuilder builder(loop);
    auto trial = cast<scf::ParallelOp>(builder.clone(*loop));
    trial = keepFirstAxes(trial, kept, TurnOrder::sequential);
    scf::ParallelOp other = mayPackTurns(trial) ? loop : trial;
    const bool isTiled = other == loop;
    other.erase();
    return isTiled;
  }

  scf::ParallelOp loop;
};

struct FormTiles : quernel::impl::FormTilesBase<FormTiles> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<scf::ParallelOp> loops(getOperation().getOps<scf::ParallelOp>());
    if (loops.size() == 1)
      TileFormer(loops.front()).run();
  }
};

} // namespace
