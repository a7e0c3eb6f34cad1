#include "compiler/Lowering/CounterChanges.h"
#include "compiler/Lowering/Dependence.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace quernel;

static constexpr int64_t widestCut = 32; // turns between answers that change close to each other
static constexpr size_t mostForms = 4;   // that a clamped index may have

bool quernel::isClamp(Operation *op) {
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp>(op) && op->getResult(0).getType().isIndex();
}

static bool isComparison(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare && compare.getLhs().getType().isIndex();
}

/// The sums that an index may be, whichever sides its clamps and choices take; none where these are too many.
static SmallVector<LinearForm> formsOf(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<LinearForm> forms;
  if (op && (isClamp(op) || isa<arith::SelectOp>(op))) {
    for (Value side : op->getOperands().take_back(2))
      llvm::append_range(forms, formsOf(side));
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) && value.getType().isIndex()) {
    for (const LinearForm &left : formsOf(op->getOperand(0)))
      for (const LinearForm &right : formsOf(op->getOperand(1)))
        forms.push_back(isa<arith::AddIOp>(op) ? left + right : left - right);
  } else {
    forms.push_back(LinearForm::of(value));
  }
  if (forms.size() > mostForms)
    forms.clear();
  return forms;
}

CounterChanges::CounterChanges(Operation *loop) : loop(loop) {
  auto like = cast<LoopLikeOpInterface>(loop);
  counter = (*like.getLoopInductionVars())[0];
  lower = cast<Value>((*like.getLoopLowerBounds())[0]);
  upper = cast<Value>((*like.getLoopUpperBounds())[0]);
  find();
  formCuts();
}

bool CounterChanges::isInvariant(const LinearForm &form) const {
  return llvm::all_of(form.terms, [&](std::pair<Value, int64_t> term) {
    return !loop->isAncestor(term.first.getParentRegion()->getParentOp());
  });
}

bool CounterChanges::isKnownAtMost(const LinearForm &x, const LinearForm &y) const { return isAtMost(x, y, loop); }

/// The turn from which on a sum is not negative, or is negative, while it was the other thing before.
std::optional<LinearForm> CounterChanges::turnOf(LinearForm sum) const {
  auto own = llvm::find_if(sum.terms, [&](auto &term) { return term.first == counter; });
  if (own == sum.terms.end() || (own->second != 1 && own->second != -1))
    return std::nullopt;
  const int64_t factor = own->second;
  sum.terms.erase(own);
  if (!isInvariant(sum))
    return std::nullopt;
  LinearForm turn = LinearForm::of(factor == 1 ? 0 : 1); // i + rest >= 0 from -rest on, rest - i < 0 from rest + 1 on
  turn.add(sum, -factor);
  return turn;
}

/// Whether all turns of the loop are behind a turn, or all before it; nothing where it may be among them.
std::optional<bool> CounterChanges::outside(const LinearForm &turn) const {
  if (isKnownAtMost(turn, LinearForm::of(lower)))
    return true;
  return isKnownAtMost(LinearForm::of(upper), turn) ? std::optional(false) : std::nullopt;
}

/// What has to be at least 0 for an operation to take its first operand (a maximum) or its second one (a minimum), or
/// for a comparison to hold, or else for it not to hold; nothing for an equality.
std::optional<LinearForm> CounterChanges::questionOf(Operation *op, const LinearForm &left,
                                                     const LinearForm &right) const {
  LinearForm atLeast = left - right, more = atLeast - LinearForm::of(1);
  if (isClamp(op)) { // either will do where the operands are equal
    auto turn = turnOf(more);
    return turn && outside(*turn) ? more : atLeast;
  }
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::slt:
    return atLeast;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sle:
    return more;
  default:
    return std::nullopt;
  }
}

void CounterChanges::find() {
  loop->walk([&](Operation *op) {
    if (!isClamp(op) && !isComparison(op))
      return;
    for (const LinearForm &left : formsOf(op->getOperand(0)))
      for (const LinearForm &right : formsOf(op->getOperand(1))) {
        auto question = questionOf(op, left, right);
        auto turn = question ? turnOf(*question) : std::nullopt;
        if (!turn)
          continue;
        hasClamp |= isClamp(op);
        if (!llvm::is_contained(turns, *turn))
          turns.push_back(*turn);
      }
  });
}

/// Puts turns that are close to each other into one cut.
void CounterChanges::formCuts() {
  auto isLast = [&](const LinearForm &turn) { return !(LinearForm::of(upper) - turn).isConstant(); };
  SmallVector<LinearForm> inside;
  llvm::copy_if(turns, std::back_inserter(inside), [&](const LinearForm &turn) { return !outside(turn); });
  // What a number says comes first, then sums of few sizes; what is counted from the end comes last. Any order is
  // right.
  llvm::sort(inside, [&](const LinearForm &x, const LinearForm &y) {
    auto key = [&](const LinearForm &turn) {
      return std::tuple(!turn.isConstant(), !isLast(turn), turn.terms.size(), turn.constant);
    };
    return key(x) < key(y);
  });
  for (const LinearForm &turn : inside) {
    LinearForm distance = cuts.empty() ? turn : turn - cuts.back().first;
    if (!cuts.empty() && distance.isConstant() && distance.constant >= 0 && distance.constant <= widestCut)
      cuts.back().last = turn;
    else
      cuts.push_back({turn, turn});
  }
}

/// Whether the turns of a place are those from a turn on.
std::optional<bool> CounterChanges::isBehind(const LinearForm &turn, const Place &place) const {
  if (auto known = outside(turn))
    return known;
  for (auto [k, cut] : llvm::enumerate(cuts)) {
    LinearForm from = turn - cut.first, to = cut.last - turn;
    if (!from.isConstant() || from.constant < 0 || !to.isConstant() || to.constant < 0)
      continue;
    if (k < place.passed || !place.isCut)
      return k < place.passed;
    const bool isLater = k > place.passed && isKnownAtMost(cuts[place.passed].last, cut.first);
    return isLater ? std::optional(false) : std::nullopt;
  }
  return std::nullopt;
}

/// A least index without signs is one with signs where no operand is negative.
bool CounterChanges::isNeverNegative(const LinearForm &form) const {
  LinearForm first = form;
  auto own = llvm::find_if(first.terms, [&](auto &term) { return term.first == counter; });
  if (own != first.terms.end()) {
    const int64_t factor = own->second;
    first.terms.erase(own);
    if (factor < 0)
      return false;
    first.add(LinearForm::of(lower), factor);
  }
  return isKnownAtMost(LinearForm::of(0), first);
}

std::optional<bool> CounterChanges::answer(Operation *op, const Place &place) const {
  if (!isClamp(op) && !isComparison(op))
    return std::nullopt;
  LinearForm sides[] = {LinearForm::of(op->getOperand(0)), LinearForm::of(op->getOperand(1))};
  for (LinearForm &side : sides)
    for (auto &term : side.terms)
      if (term.first == place.counter)
        term.first = counter;
  if (isa<arith::MinUIOp>(op) && !(isNeverNegative(sides[0]) && isNeverNegative(sides[1])))
    return std::nullopt;
  auto question = questionOf(op, sides[0], sides[1]);
  auto turn = question ? turnOf(*question) : std::nullopt;
  auto behind = turn ? isBehind(*turn, place) : std::nullopt;
  if (!behind)
    return std::nullopt;
  auto own = llvm::find_if(question->terms, [&](auto &term) { return term.first == counter; });
  const bool isAtLeast = *behind == (own->second > 0);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  const bool isNegated = compare ? compare.getPredicate() == arith::CmpIPredicate::slt ||
                                       compare.getPredicate() == arith::CmpIPredicate::sle
                                 : !isa<arith::MaxSIOp>(op);
  return isAtLeast != isNegated;
}
