// Loops, branches and checks: what they hand over in arrays are copies between buffers.
#include "compiler/Lowering/BufferRewriter.h"

using namespace mlir;
using namespace quernel;

/// Where a check fails, written arguments get what they hold by then. Nothing else is needed any more there, so that
/// these copies are in nobody's way; most of them go from a buffer to itself.
void BufferRewriter::rewriteCheck(CheckOp check) {
  Location loc = check.getLoc();
  SmallVector<Move> moves;
  SmallVector<std::pair<Value, Value>> numbers;
  for (auto [value, memory] : llvm::zip_equal(check.getState(), check.getMemory())) {
    if (!isTensor(value))
      numbers.push_back({value, memory});
    else
      addMove(moves, value, classes.classInMemory(memory));
  }
  check.getStateMutable().clear();
  check.getMemoryMutable().clear();
  if (moves.empty() && numbers.empty())
    return;
  builder.setInsertionPoint(check);
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value fails = arith::XOrIOp::create(builder, loc, check.getOk(), yes);
  auto branch = scf::IfOp::create(builder, loc, fails);
  builder.setInsertionPoint(branch.thenYield());
  makeMoves(loc, moves);
  for (auto [number, memory] : numbers)
    memref::StoreOp::create(builder, loc, number, memory);
}

static SmallVector<Value> numbersOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !BufferRewriter::isTensor(value); });
}

static void replaceNumbers(ValueRange old, ValueRange made) {
  for (auto [from, to] : llvm::zip_equal(numbersOf(old), made))
    Value(from).replaceAllUsesWith(to);
}

static void eraseTensorArguments(Block &block) { block.eraseArguments(BufferRewriter::isTensor); }

void BufferRewriter::rewriteFor(scf::ForOp loop) {
  handOver(loop, loop.getInitArgs(), loop.getRegionIterArgs());
  rewriteBlock(*loop.getBody());
  builder.setInsertionPoint(loop);
  auto made = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                 numbersOf(loop.getInitArgs()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getRegion().takeBody(loop.getRegion());
  eraseTensorArguments(*made.getBody());
  replaceNumbers(loop.getResults(), made.getResults());
  dead.push_back(loop);
}

void BufferRewriter::rewriteWhile(scf::WhileOp loop) {
  handOver(loop, loop.getInits(), loop.getBeforeArguments());
  rewriteBlock(*loop.getBeforeBody());
  rewriteBlock(*loop.getAfterBody());
  builder.setInsertionPoint(loop);
  auto made = scf::WhileOp::create(builder, loop.getLoc(), ValueRange(numbersOf(loop.getResults())).getTypes(),
                                   numbersOf(loop.getInits()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getBefore().takeBody(loop.getBefore());
  made.getAfter().takeBody(loop.getAfter());
  eraseTensorArguments(*made.getBeforeBody());
  eraseTensorArguments(*made.getAfterBody());
  replaceNumbers(loop.getResults(), made.getResults());
  dead.push_back(loop);
}

void BufferRewriter::rewriteIf(scf::IfOp branch) {
  for (Region &side : branch->getRegions())
    if (!side.empty())
      rewriteBlock(side.front());
  if (llvm::none_of(branch.getResults(), isTensor))
    return;
  builder.setInsertionPoint(branch);
  auto made = scf::IfOp::create(builder, branch.getLoc(), ValueRange(numbersOf(branch.getResults())).getTypes(),
                                branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  replaceNumbers(branch.getResults(), made.getResults());
  dead.push_back(branch);
}

/// The end of a turn, of a condition or of a side of a branch.
void BufferRewriter::rewriteTerminator(Operation *op) {
  Operation *owner = op->getParentOp();
  auto hand = [&](MutableOperandRange handed, ValueRange targets) {
    SmallVector<Value> values(ValueRange(handed.getAsOperandRange()));
    handOver(op, values, targets);
    handed.assign(numbersOf(values));
  };
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return hand(condition.getArgsMutable(), cast<scf::WhileOp>(owner).getAfterArguments());
  MutableOperandRange yielded = cast<scf::YieldOp>(op).getResultsMutable();
  if (auto loop = dyn_cast<scf::ForOp>(owner))
    return hand(yielded, loop.getRegionIterArgs());
  if (auto loop = dyn_cast<scf::WhileOp>(owner))
    return hand(yielded, loop.getBeforeArguments());
  hand(yielded, owner->getResults());
}
