#include "compiler/Lowering/Grid.h"
#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace quernel;

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
    if (!isa<scf::ParallelOp>(op) && stores(&op))
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

std::optional<int64_t> Grid::turnsAlong(unsigned number) const {
  GridAxis along = axis(number);
  auto lower = getConstantIntValue(along.lower), upper = getConstantIntValue(along.upper),
       step = getConstantIntValue(along.step);
  if (!lower || !upper || !step)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

std::optional<int64_t> Grid::turns() const {
  int64_t turns = 1;
  for (unsigned number = 0; number < axes(); ++number) {
    auto along = turnsAlong(number);
    if (!along)
      return std::nullopt;
    turns *= *along;
  }
  return turns;
}

unsigned Grid::axisOf(scf::ParallelOp loop, unsigned number) const { return loop == outer ? axes() - 1 - number : 0; }

LaneTurn quernel::giveLanesTurns(func::FuncOp kernel, scf::ParallelOp grid) {
  LaneTurn given;
  const Location loc = grid.getLoc();
  OpBuilder builder(&kernel.getBody().front(), kernel.getBody().front().begin());
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  given.lane = LaneOp::create(builder, named("lane"), builder.getIndexType(), threadsOfWarp);
  const unsigned axis = grid.getNumLoops() - 1;
  Value x = grid.getInductionVars()[axis], upper = grid.getUpperBound()[axis];
  auto first = getConstantIntValue(grid.getLowerBound()[axis]), last = getConstantIntValue(upper);
  builder.setInsertionPoint(grid);
  grid.getStepMutable()[axis].set(arith::ConstantIndexOp::create(builder, loc, threadsOfWarp));
  builder.setInsertionPointToStart(grid.getBody());
  Value own = given.turn = arith::AddIOp::create(builder, named("own"), x, given.lane);
  if (!first || !last || (*last - *first) % threadsOfWarp != 0) {
    given.exists = arith::CmpIOp::create(builder, named("is_there"), arith::CmpIPredicate::slt, own, upper);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value end = builder.createOrFold<arith::SubIOp>(loc, upper, one);
    given.turn = arith::MinSIOp::create(builder, x.getLoc(), own, end);
  }
  x.replaceAllUsesExcept(given.turn, own.getDefiningOp());
  return given;
}
