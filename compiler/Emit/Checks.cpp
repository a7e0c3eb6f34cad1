#include "compiler/Emit/Checks.h"

#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

/// Elements that a loop goes through in less time than anyone waits.
static constexpr unsigned shortRange = 16384;
/// What the turn of a loop counts for, beside the elements that loops in it go through. The prelude asks about every
/// 16384.
static constexpr unsigned turnCharge = 16;
/// Elements of a block that take many times as long as counting a turn.
static constexpr uint64_t blockRange = 16;

ErrorSite errorSite(Operation *op) {
  ErrorSite site;
  if (auto check = dyn_cast<CheckOp>(op))
    site = {check.getException().str(), check.getMessage().str(), "", 0};
  else if (isa<func::CallOp>(op))
    site = {"MemoryError", "", "", 0};
  else
    site = {"_ArrayMemoryError", cast<AllocatedOp>(op).getDtype().str(), "", 0};
  op->getLoc()->walk([&](Location loc) {
    auto line = dyn_cast<FileLineColLoc>(loc);
    if (!line)
      return WalkResult::advance();
    site.file = line.getFilename().str();
    site.line = line.getLine();
    site.callers = line.getColumn();
    return WalkResult::interrupt();
  });
  return site;
}

std::vector<ErrorSite> errorSites(ModuleOp module) {
  std::vector<ErrorSite> sites;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (isa<CheckOp, AllocatedOp>(op) || (call && mayEndProgram(call)))
      if (ErrorSite site = errorSite(op); !llvm::is_contained(sites, site))
        sites.push_back(site);
  });
  return sites;
}

int64_t errorCode(ArrayRef<ErrorSite> errors, Operation *op) {
  return QN_FIRST_ERROR + (llvm::find(errors, errorSite(op)) - errors.begin());
}

/// True if a turn calls what may take as long as it likes.
static bool hasCalls(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        return isa<LaunchOp>(op) || (call && !isSingleDraw(call)) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasLoops(Operation *loop) {
  return loop
      ->walk([&](Operation *inner) {
        return inner != loop && isa<scf::ForOp, scf::WhileOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The most elements that a loop goes through, where that is a constant.
static std::optional<uint64_t> constantRange(scf::ForOp loop) {
  std::optional<int64_t> range = greatestRange(loop.getLowerBound(), loop.getUpperBound());
  return range ? std::optional<uint64_t>(std::max<int64_t>(*range, 0)) : std::nullopt;
}

/// True if the two are one value, or equal constants.
static bool isSame(Value lhs, Value rhs) {
  APInt left, right;
  return lhs == rhs || (matchPattern(lhs, m_ConstantInt(&left)) && matchPattern(rhs, m_ConstantInt(&right)) &&
                        left.getSExtValue() == right.getSExtValue());
}

bool isRemainder(scf::ForOp loop) {
  auto endsThere = [&](Value upper, Value step) {
    APInt width;
    return isSame(upper, loop.getLowerBound()) && matchPattern(step, m_ConstantInt(&width)) && width.sgt(1);
  };
  for (Operation *before = loop->getPrevNode(); before; before = before->getPrevNode()) {
    if (auto other = dyn_cast<scf::ForOp>(before); other && endsThere(other.getUpperBound(), other.getStep()))
      return true;
    if (auto other = dyn_cast<scf::ParallelOp>(before); other && other.getNumLoops() == 1)
      if (endsThere(other.getUpperBound().front(), other.getStep().front()))
        return true;
  }
  return false;
}

static uint64_t rangeOf(Operation *op);

/// The elements that loops in it go through in one turn, at most one more than `shortRange`.
static uint64_t rangeWithin(Operation *op) {
  uint64_t most = 1;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      most = std::max(most, rangeOf(&inner));
  return most;
}

/// The same for each time that it runs. A turn with loops in it is one, however far it steps.
static uint64_t rangeOf(Operation *op) {
  constexpr uint64_t many = shortRange + 1;
  if (isa<scf::WhileOp>(op))
    return many;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return rangeWithin(op);
  const uint64_t range = std::min(many, constantRange(loop).value_or(many));
  const int64_t step = hasLoops(loop) ? getConstantIntValue(loop.getStep()).value_or(1) : 1;
  return std::min(many, llvm::divideCeil(range, std::max<int64_t>(1, step)) * rangeWithin(op));
}

/// True if a function of `math` is computed in each turn, or a random number drawn, which takes many times as long as a
/// question.
static bool isCostly(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        bool isCheap = isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
                           math::CopySignOp, math::SqrtOp, math::FmaOp>(op);
        bool isFunction = isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isCheap;
        return isFunction || isa<func::CallOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isWithinLoop(Operation *loop) {
  return loop->getParentOfType<scf::ForOp>() || loop->getParentOfType<scf::WhileOp>() ||
         loop->getParentOfType<scf::ParallelOp>();
}

/// True for a loop whose turns each have vectors of results, as one has that runs inside of the loop over places.
static bool carriesVectors(Operation *loop) { return llvm::any_of(loop->getResultTypes(), llvm::IsaPred<VectorType>); }

std::optional<unsigned> pollCharge(Operation *loop) {
  if (hasCalls(loop))
    return 0;
  uint64_t inTurn = rangeWithin(loop);
  // Longer loops are charged where they begin.
  unsigned charge = inTurn > shortRange ? turnCharge : std::max<uint64_t>(turnCharge, inTurn);
  if (isa<scf::WhileOp>(loop))
    return charge;
  bool isUsers = scheduleOf(loop).polled && (hasLoops(loop) || !isWithinLoop(loop) || carriesVectors(loop));
  if (inTurn > shortRange || ((inTurn >= blockRange || isUsers || isCostly(loop)) && rangeOf(loop) > shortRange))
    return charge;
  return std::nullopt;
}

bool isCharged(scf::ForOp loop) {
  if (rangeOf(loop) <= shortRange || pollCharge(loop) || isRemainder(loop))
    return false;
  for (Operation *outer = loop->getParentOp(); isa<scf::ForOp, scf::WhileOp, scf::IfOp>(outer);
       outer = outer->getParentOp())
    if (!isa<scf::IfOp>(outer) && pollCharge(outer).value_or(0) > 0)
      return true;
  return false;
}

bool mayStop(Operation *root) {
  return root
      ->walk([](Operation *op) {
        bool stops = isa<CheckOp>(op) || (isa<scf::ForOp, scf::WhileOp>(op) && pollCharge(op));
        return stops ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace quernel
