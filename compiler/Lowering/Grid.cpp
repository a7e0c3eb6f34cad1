#include "compiler/Lowering/Grid.h"
#include "compiler/Dialect/Attributes.h"
#include "compiler/Lowering/LoopWork.h"

using namespace mlir;
using namespace quernel;

static bool writes(Operation *op) {
  return op
      ->walk([](Operation *inner) { return storedBuffer(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Whether two loops are one of which the first makes packs.
static bool arePacksAndRest(scf::ParallelOp first, scf::ParallelOp second) {
  return first.getNumLoops() == 1 && second.getNumLoops() == 1 && scheduleOf(first).vector == VectorForm::parallel &&
         first.getUpperBound().front() == second.getLowerBound().front();
}

void Grid::findPacks(Block &block) {
  SmallVector<scf::ParallelOp> loops(block.getOps<scf::ParallelOp>());
  if (loops.size() == 2 && arePacksAndRest(loops[0], loops[1]))
    packs = loops[0], rest = loops[1];
}

Grid::Grid(func::FuncOp kernel) {
  Block &top = kernel.getBody().front();
  for (Operation &op : top)
    if (!isa<scf::ParallelOp>(op) && writes(&op))
      return;
  findPacks(top);
  if (packs)
    return;
  SmallVector<scf::ParallelOp> loops(top.getOps<scf::ParallelOp>());
  if (loops.size() != 1)
    return;
  outer = loops.front();
  findPacks(*outer.getBody());
  if (axes() > mostGridAxes)
    outer = packs = rest = {};
}

unsigned Grid::axes() const {
  scf::ParallelOp shared = outer;
  return (shared ? shared.getNumLoops() : 0) + (rest ? 1 : 0);
}

GridAxis Grid::axis(unsigned number) const {
  scf::ParallelOp shared = outer, first = packs, last = rest;
  if (last && number == 0)
    return {first.getLowerBound().front(), last.getUpperBound().front(), first.getStep().front()};
  const unsigned own = axes() - 1 - number;
  return {shared.getLowerBound()[own], shared.getUpperBound()[own], shared.getStep()[own]};
}

unsigned Grid::axisOf(scf::ParallelOp loop, unsigned number) const { return loop == outer ? axes() - 1 - number : 0; }
