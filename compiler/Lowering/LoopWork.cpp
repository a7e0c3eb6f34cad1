#include "compiler/Lowering/LoopWork.h"
#include "compiler/Dialect/ScalarBuilder.h"
#include "compiler/Lowering/LinearForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace quernel;

std::optional<int64_t> quernel::staticTrips(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()), upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

/// `upper - lower` where it is bounded by construction: `min(lower + c, …)`.
static std::optional<int64_t> boundedTrips(Value lower, Value upper) {
  Operation *op = upper.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::MinSIOp>(op)) {
    auto left = boundedTrips(lower, op->getOperand(0));
    return left ? left : boundedTrips(lower, op->getOperand(1));
  }
  return isa<arith::AddIOp>(op) && op->getOperand(0) == lower ? getConstantIntValue(op->getOperand(1)) : std::nullopt;
}

std::optional<CounterRange> quernel::counterRange(Value value) {
  auto counter = dyn_cast<BlockArgument>(value);
  Operation *parent = counter ? counter.getOwner()->getParentOp() : nullptr;
  if (auto loop = dyn_cast_if_present<scf::ForOp>(parent); loop && value == loop.getInductionVar())
    return CounterRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast_if_present<scf::ParallelOp>(parent)) {
    const unsigned axis = counter.getArgNumber();
    return CounterRange{loop.getLowerBound()[axis], loop.getUpperBound()[axis], loop.getStep()[axis]};
  }
  return std::nullopt;
}

/// Replaces terms, with what they are replaced by, until nothing is known of any. Ends where what a counter is replaced
/// by has counters of loops further out alone.
static void substitute(LinearForm &form, llvm::function_ref<std::optional<LinearForm>(Value)> known) {
  for (unsigned number = 0; number < form.terms.size();) {
    auto [term, factor] = form.terms[number];
    auto value = known(term);
    if (!value) {
      ++number;
      continue;
    }
    form.add(LinearForm::of(term), -factor);
    form.add(*value, factor);
    number = 0;
  }
}

/// What a term that is subtracted, or else added, is at worst: a counter's last or first value, or a remainder's.
static std::optional<LinearForm> extreme(Value term, bool isSubtracted) {
  if (auto rest = term.getDefiningOp<arith::RemSIOp>()) {
    auto divisor = getConstantIntValue(rest.getRhs());
    const int64_t most = divisor ? std::abs(*divisor) - 1 : 0;
    return divisor ? std::optional(LinearForm::of(isSubtracted ? -most : most)) : std::nullopt;
  }
  auto range = counterRange(term);
  if (!range)
    return std::nullopt;
  return isSubtracted ? LinearForm::of(range->lower) : LinearForm::of(range->upper) - LinearForm::of(1);
}

std::optional<int64_t> quernel::greatestRange(Value lower, Value upper) {
  return greatestValue(LinearForm::of(upper) - LinearForm::of(lower));
}

/// Minima and maxima come before counters, which their operands may have in common with the rest of the sum.
std::optional<int64_t> quernel::greatestValue(const LinearForm &form) {
  const auto with = [&](Value term, int64_t factor, const LinearForm &value) {
    LinearForm changed = form;
    changed.add(LinearForm::of(term), -factor);
    changed.add(value, factor);
    return greatestValue(changed);
  };
  for (auto [term, factor] : form.terms) {
    Operation *op = term.getDefiningOp();
    if (factor < 0 ? !isa_and_nonnull<arith::MaxSIOp>(op) : !isa_and_nonnull<arith::MinSIOp>(op))
      continue;
    auto left = with(term, factor, LinearForm::of(op->getOperand(0))),
         right = with(term, factor, LinearForm::of(op->getOperand(1)));
    return left && right ? std::min(*left, *right) : left ? left : right;
  }
  for (auto [term, factor] : form.terms)
    if (auto worst = extreme(term, factor < 0))
      return with(term, factor, *worst);
  return form.isConstant() ? std::optional(form.constant) : std::nullopt;
}

static std::optional<int64_t> likelyValue(LinearForm form);

/// What an operation's result, which isn't a sum, is on average.
static std::optional<int64_t> likelyResult(Operation *op) {
  auto likely = [&](unsigned number) { return likelyValue(LinearForm::of(op->getOperand(number))); };
  if (isa<arith::SelectOp>(op)) {
    auto first = likely(1), second = likely(2);
    return first && second ? std::optional((*first + *second) / 2) : std::nullopt;
  }
  if (!isa<arith::MulIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::nullopt;
  auto first = likely(0), second = likely(1);
  if (!first || !second)
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return *first * *second;
  return isa<arith::MinSIOp>(op) ? std::min(*first, *second) : std::max(*first, *second);
}

/// Where a counter of a loop begins, and how far behind that it is on average, if that is known.
static std::optional<LinearForm> middleOf(Value value) {
  auto counter = counterRange(value);
  if (!counter)
    return std::nullopt;
  auto range = boundedTrips(counter->lower, counter->upper);
  if (!range)
    range = likelyValue(LinearForm::of(counter->upper) - LinearForm::of(counter->lower));
  return range ? std::optional(LinearForm::of(counter->lower) + LinearForm::of(*range / 2)) : std::nullopt;
}

/// What a sum is on average, where it follows from counters of loops with known ranges.
static std::optional<int64_t> likelyValue(LinearForm form) {
  // A counter is where its loop begins and a distance from there, so that `i - begin` is known where `begin` isn't.
  substitute(form, middleOf);
  int64_t sum = form.constant;
  for (auto [term, factor] : form.terms) {
    Operation *op = term.getDefiningOp();
    auto known = op ? likelyResult(op) : std::nullopt;
    if (!known)
      return std::nullopt;
    sum += *known * factor;
  }
  return sum;
}

std::optional<int64_t> quernel::averageTrips(Value lower, Value upper, Value step) {
  if (auto bounded = boundedTrips(lower, upper))
    return *bounded;
  auto range = likelyValue(LinearForm::of(upper) - LinearForm::of(lower));
  int64_t stride = getConstantIntValue(step).value_or(1);
  if (!range || stride <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*range, stride));
}

static int64_t likelyRange(Value lower, Value upper, Value step) {
  return std::max<int64_t>(1, averageTrips(lower, upper, step).value_or(assumedTrips));
}

int64_t quernel::likelyTrips(scf::ForOp loop) {
  if (auto trips = staticTrips(loop))
    return *trips;
  return likelyRange(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
}

int64_t quernel::loopWork(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return likelyTrips(loop) * blockWork(*loop.getBody());
  auto loop = cast<scf::ParallelOp>(op);
  int64_t work = blockWork(*loop.getBody());
  for (auto [lower, upper, step] : llvm::zip_equal(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()))
    work *= likelyRange(lower, upper, step);
  return work;
}

bool quernel::sameRange(scf::ForOp a, scf::ForOp b) {
  return a.getLowerBound() == b.getLowerBound() && a.getUpperBound() == b.getUpperBound() && a.getStep() == b.getStep();
}

bool quernel::mayRegroup(scf::ForOp loop) {
  return llvm::all_of(llvm::zip_equal(scheduleOf(loop).reduces, loop.getInitArgs().getTypes()),
                      [](auto pair) { return ScalarBuilder::mayRegroup(std::get<0>(pair), std::get<1>(pair)); });
}

void quernel::keepNames(scf::ForOp from, scf::ForOp to) {
  for (auto [old, fresh] : llvm::zip_equal(from.getRegionIterArgs(), to.getRegionIterArgs()))
    fresh.setLoc(old.getLoc());
}

Value quernel::storedBuffer(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  auto update = dyn_cast<memref::AtomicRMWOp>(op);
  return update ? update.getMemref() : Value();
}

bool quernel::stores(Operation *op) {
  return op
      ->walk([](Operation *inner) { return storedBuffer(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

SmallVector<Value> quernel::usedBy(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used.takeVector();
}

int64_t quernel::widestElement(Operation *loop) {
  int64_t widest = 1;
  loop->walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (type.isIntOrFloat())
        widest = std::max<int64_t>(widest, elementBytes(type));
  });
  return widest;
}

bool quernel::isFunction(Operation &op) {
  bool hasInstruction = isa<math::SqrtOp, math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
                            math::TruncOp, math::RoundEvenOp, math::CopySignOp>(op);
  bool classifies = isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op);
  return isa<arith::RemFOp>(op) ||
         (isa_and_nonnull<math::MathDialect>(op.getDialect()) && !hasInstruction && !classifies);
}

int64_t quernel::operationWork(Operation &op) {
  if (isa<arith::ConstantOp, arith::IndexCastOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (isa<math::SqrtOp, arith::DivFOp>(op))
    return 6;
  bool cheap = isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp, math::CopySignOp>(op);
  if (isa_and_nonnull<math::MathDialect>(op.getDialect()) && !cheap)
    return 20;
  return isa<arith::DivSIOp, arith::RemSIOp, arith::RemFOp>(op) ? 16 : 1;
}

int64_t quernel::blockWork(Block &block) {
  int64_t work = 0;
  for (Operation &op : block) {
    work += operationWork(op);
    if (isa<scf::ForOp, scf::ParallelOp>(op)) {
      work += loopWork(&op);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        work += blockWork(nested);
  }
  return work;
}

std::optional<int64_t> quernel::coefficientOf(Value index, Value variable) {
  if (index == variable)
    return 1;
  Operation *op = index.getDefiningOp();
  if (!op) {
    // Another loop's variable starts where its lower bound is.
    auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(index).getOwner()->getParentOp());
    return loop && index == loop.getInductionVar() ? coefficientOf(loop.getLowerBound(), variable) : 0;
  }
  if (isa<arith::IndexCastOp>(op))
    return coefficientOf(op->getOperand(0), variable);
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    auto left = coefficientOf(op->getOperand(0), variable), right = coefficientOf(op->getOperand(1), variable);
    if (!left || !right)
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *left + *right : *left - *right;
  }
  if (isa<arith::MulIOp>(op)) {
    auto left = coefficientOf(op->getOperand(0), variable), right = coefficientOf(op->getOperand(1), variable);
    if (left == 0 && right == 0)
      return 0;
    for (auto [factor, other] : {std::pair(left, 1), std::pair(right, 0)})
      if (auto scale = getConstantIntValue(op->getOperand(other)); scale && factor)
        return *factor * *scale;
    return std::nullopt;
  }
  for (Value operand : op->getOperands())
    if (coefficientOf(operand, variable) != 0)
      return std::nullopt;
  return op->getNumRegions() == 0 ? std::optional<int64_t>(0) : std::nullopt;
}
