#include "compiler/Emit/Checks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace quernel {

/// Turns of a loop of numbers that run in less time than anyone waits.
static constexpr unsigned shortTurns = 1024;
/// Turns that each run a loop.
static constexpr unsigned longTurns = 16;

ErrorSite errorSite(Operation *op) {
  ErrorSite site;
  if (auto check = dyn_cast<CheckOp>(op))
    site = {check.getException().str(), check.getMessage().str(), "", 0};
  else
    site = {"_ArrayMemoryError", cast<AllocatedOp>(op).getDtype().str(), "", 0};
  op->getLoc()->walk([&](Location loc) {
    auto line = dyn_cast<FileLineColLoc>(loc);
    if (!line)
      return WalkResult::advance();
    site.file = line.getFilename().str();
    site.line = line.getLine();
    return WalkResult::interrupt();
  });
  return site;
}

std::vector<ErrorSite> errorSites(ModuleOp module) {
  std::vector<ErrorSite> sites;
  module.walk([&](Operation *op) {
    if (isa<CheckOp, AllocatedOp>(op))
      if (ErrorSite site = errorSite(op); !llvm::is_contained(sites, site))
        sites.push_back(site);
  });
  return sites;
}

static bool hasCalls(Operation *loop) {
  return loop->walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool hasLoops(Operation *loop) {
  return loop
      ->walk([&](Operation *inner) {
        return inner != loop && isa<scf::ForOp, scf::WhileOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True for a loop of constant bounds with few turns.
static bool hasFewTurns(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         upper.getSExtValue() - lower.getSExtValue() <= shortTurns;
}

/// True for a loop that is over soon.
static bool isShort(scf::ForOp loop) { return !hasLoops(loop) && hasFewTurns(loop); }

/// True if a loop in it may take long.
static bool hasLongLoops(Operation *loop) {
  return loop
      ->walk([&](Operation *inner) {
        auto counted = dyn_cast<scf::ForOp>(inner);
        bool isLong = inner != loop && (counted ? !hasFewTurns(counted) : isa<scf::WhileOp>(inner));
        return isLong ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<unsigned> pollInterval(Operation *loop) {
  // Only the thread that runs the program may ask.
  if (loop->getParentOfType<scf::ParallelOp>())
    return std::nullopt;
  if (hasCalls(loop))
    return 1;
  unsigned interval = hasLoops(loop) ? longTurns : shortTurns;
  if (isa<scf::WhileOp>(loop))
    return interval;
  bool isInner = !hasLoops(loop) && (loop->getParentOfType<scf::ForOp>() || loop->getParentOfType<scf::WhileOp>());
  bool isLong = scheduleOf(loop).polled ? !isInner && !isShort(cast<scf::ForOp>(loop)) : hasLongLoops(loop);
  if (!isLong)
    return std::nullopt;
  return interval;
}

bool mayStop(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool stops = isa<CheckOp>(op) || (isa<scf::ForOp, scf::WhileOp>(op) && pollInterval(op));
        return stops ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace quernel
