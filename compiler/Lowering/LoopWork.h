// What the passes over loops ask of a loop.
#ifndef QUERNEL_LOWERING_LOOPWORK_H
#define QUERNEL_LOWERING_LOOPWORK_H

#include "compiler/Lowering/LinearForm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

/// Rewrites the loops inside of an operation that a rewrite applies to: of each loop that is there at the beginning,
/// inner ones first, it is asked once.
template <typename Rewrite> void rewriteLoops(mlir::Operation *root) {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  root->walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  for (mlir::scf::ForOp loop : loops)
    if (Rewrite rewrite(loop); rewrite.applies())
      rewrite.run();
}

/// What a turn of a loop that threads share may keep on the stack.
constexpr int64_t privateBytes = 4096;

/// Iterations of a loop whose bounds aren't known.
constexpr int64_t assumedTrips = 64;

/// The iterations of a loop, if its bounds are constants.
std::optional<int64_t> staticTrips(mlir::scf::ForOp loop);

/// The iterations between two bounds, where those follow from constants and from counters of loops; the average where
/// they differ.
std::optional<int64_t> averageTrips(mlir::Value lower, mlir::Value upper, mlir::Value step);

/// What the counter of a loop goes through.
struct CounterRange {
  mlir::Value lower, upper, step;
};

/// The bounds and the step of the loop, scf.for or scf.parallel, whose counter a value is.
std::optional<CounterRange> counterRange(mlir::Value value);

/// How far `upper` is behind `lower` at most, where that follows from constants and from counters of loops. May be
/// negative.
std::optional<int64_t> greatestRange(mlir::Value lower, mlir::Value upper);

/// What a sum is at most, where that follows from constants and from counters of loops, of which each is among its
/// turns.
std::optional<int64_t> greatestValue(const LinearForm &form);

/// The iterations of a loop, or a guess.
int64_t likelyTrips(mlir::scf::ForOp loop);

/// Whether two loops have the same bounds and steps.
bool sameRange(mlir::scf::ForOp a, mlir::scf::ForOp b);

/// Whether all that a reduction loop carries may be combined in pieces and in lanes.
bool mayRegroup(mlir::scf::ForOp loop);

/// Gives a loop's accumulators the names of those of the loop that it replaces.
void keepNames(mlir::scf::ForOp from, mlir::scf::ForOp to);

/// The bytes of the widest element that a loop touches.
int64_t widestElement(mlir::Operation *loop);

/// Whether an operation computes a function of math that processors don't have.
bool isFunction(mlir::Operation &op);

/// The buffer that an operation stores an element to, also in an atomic update; null for others.
mlir::Value storedBuffer(mlir::Operation *op);

/// Whether an operation, or one inside of it, stores an element.
bool stores(mlir::Operation *op);

/// Whether an operation, or one inside of it, is one of some kinds.
template <class... Kinds> bool holds(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        return mlir::isa<Kinds...>(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// What an operation and those inside of it use of what is defined outside.
llvm::SmallVector<mlir::Value> usedBy(mlir::Operation *op);

/// The work of an operation without that of its regions, in additions.
int64_t operationWork(mlir::Operation &op);

/// The work of one run of a block, in additions.
int64_t blockWork(mlir::Block &block);

/// The work of a loop, scf.for or scf.parallel, each time that it runs.
int64_t loopWork(mlir::Operation *loop);

/// How many elements `index` moves when `variable` grows by one: 0 where it doesn't depend on it, nothing where it
/// isn't a known multiple.
std::optional<int64_t> coefficientOf(mlir::Value index, mlir::Value variable);

} // namespace quernel

#endif
