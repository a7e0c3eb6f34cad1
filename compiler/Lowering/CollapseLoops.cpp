// Axes of which an array statement has only elements in the order of memory become one:
//
//   parallel (i, j) in (70, 60): y[60 * i + j] = x[60 * i + j] * 2    →    parallel (p) in (4200): y[p] = x[p] * 2
//
// So vectors run over the ends of rows, and short rows have no rest of their own.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_COLLAPSELOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Whether an operation is part of the sums that LinearForm sees through.
bool isPartOfSum(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !op->getResult(0).getType().isIndex())
    return false;
  return !isa<arith::MulIOp>(op) || getConstantIntValue(op->getOperand(0)) || getConstantIntValue(op->getOperand(1));
}

int64_t factorOf(const LinearForm &form, Value term) {
  for (auto [value, factor] : form.terms)
    if (value == term)
      return factor;
  return 0;
}

/// An axis of a loop, and the next one.
class AxisPair {
public:
  AxisPair(scf::ParallelOp loop, unsigned axis)
      : loop(loop), axis(axis), outer(loop.getInductionVars()[axis]), inner(loop.getInductionVars()[axis + 1]) {}

  /// Whether the loop goes through them in steps of one, and all that its body asks of their counters is
  /// `(outer * length + inner) * factor`.
  bool isOne() {
    for (unsigned number : {axis, axis + 1})
      if (getConstantIntValue(loop.getLowerBound()[number]) != 0 || getConstantIntValue(loop.getStep()[number]) != 1)
        return false;
    auto rows = getConstantIntValue(loop.getUpperBound()[axis]);
    auto columns = getConstantIntValue(loop.getUpperBound()[axis + 1]);
    if (!rows || !columns || loop.getNumResults())
      return false;
    length = *columns;
    turns = *rows * length;
    return !loop.getBody()
                ->walk([&](Operation *op) {
                  if (isPartOfSum(op))
                    return WalkResult::advance();
                  for (OpOperand &operand : op->getOpOperands())
                    if (!addUse(operand))
                      return WalkResult::interrupt();
                  return WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// The loop with one axis in place of the two.
  scf::ParallelOp collapse() {
    OpBuilder builder(loop);
    auto without = [&](ValueRange values, Value value) {
      SmallVector<Value> all(values);
      all.erase(all.begin() + axis + 1);
      all[axis] = value;
      return all;
    };
    Value upper = arith::ConstantIndexOp::create(builder, loop.getLoc(), turns);
    auto made =
        scf::ParallelOp::create(builder, loop.getLoc(), without(loop.getLowerBound(), loop.getLowerBound()[axis]),
                                without(loop.getUpperBound(), upper), without(loop.getStep(), loop.getStep()[axis]),
                                ValueRange(), function_ref<void(OpBuilder &, Location, ValueRange, ValueRange)>());
    Schedule schedule = scheduleOf(loop);
    schedule.grain *= axis == 0 ? length : 1; // turns of the first axis
    setSchedule(made, schedule);
    Block &from = *loop.getBody(), &to = *made.getBody();
    to.getOperations().splice(to.getTerminator()->getIterator(), from.getOperations(), from.begin(),
                              from.getTerminator()->getIterator());
    Value both = made.getInductionVars()[axis];
    both.setLoc(inner.getLoc());
    for (auto &[operand, form] : uses)
      replace(*operand, form, both);
    for (auto [number, counter] : llvm::enumerate(loop.getInductionVars()))
      if (number != axis && number != axis + 1) {
        Value fresh = made.getInductionVars()[number < axis ? number : number - 1];
        fresh.setLoc(counter.getLoc());
        counter.replaceAllUsesWith(fresh);
      }
    dropDead(to);
    loop.erase();
    return made;
  }

private:
  /// Notes an operand that depends on the two; false where it does so otherwise.
  bool addUse(OpOperand &operand) {
    LinearForm form = LinearForm::of(operand.get());
    const int64_t ofOuter = factorOf(form, outer), ofInner = factorOf(form, inner);
    if (ofOuter == 0 && ofInner == 0)
      return true;
    uses.push_back({&operand, form});
    return ofOuter == ofInner * length;
  }

  void replace(OpOperand &operand, LinearForm form, Value both) {
    OpBuilder builder(operand.getOwner());
    const int64_t factor = factorOf(form, inner);
    form.add(LinearForm::of(outer), -factor * length);
    form.add(LinearForm::of(inner), -factor);
    form.add(LinearForm::of(both), factor);
    operand.set(valueOf(builder, operand.get().getLoc(), form));
  }

  /// Sums that had the two counters.
  static void dropDead(Block &block) {
    SmallVector<Operation *> sums;
    block.walk([&](Operation *op) {
      if (isPartOfSum(op))
        sums.push_back(op);
    });
    for (Operation *op : llvm::reverse(sums))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  scf::ParallelOp loop;
  unsigned axis;
  Value outer, inner;
  int64_t length = 0, turns = 0;
  SmallVector<std::pair<OpOperand *, LinearForm>> uses;
};

struct CollapseLoops : quernel::impl::CollapseLoopsBase<CollapseLoops> {
  void runOnOperation() override {
    SmallVector<scf::ParallelOp> loops;
    getOperation().walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
    for (scf::ParallelOp loop : loops)
      for (unsigned axis = loop.getNumLoops() - 1; axis > 0; --axis)
        if (AxisPair pair(loop, axis - 1); pair.isOne())
          loop = pair.collapse();
  }
};

} // namespace
