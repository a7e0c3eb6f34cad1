// Marks the loops that become vectors.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PairedAccess.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Widener.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_CHOOSEVECTORLOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestLanes = 8;     // iterations that fill a vector
constexpr int64_t shortReduction = 32; // below this a parallel axis is better
constexpr int64_t longestChain = 3;    // operations of integers that a vector's jumps take longer than

int64_t trips(scf::ForOp loop) { return likelyTrips(loop); }

int64_t trips(scf::ParallelOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()[0]), upper = getConstantIntValue(loop.getUpperBound()[0]);
  return lower && upper ? *upper - *lower : assumedTrips;
}

/// Accesses that run along memory with a loop's variable, and accesses that jump.
struct AccessCount {
  int64_t along = 0, jumping = 0;

  AccessCount() = default;
  /// The loads in a loop.
  AccessCount(Operation *loop, Value variable) {
    loop->walk([&](memref::LoadOp load) { add(load, load.getIndices()[0], variable); });
  }

  void add(Operation *access, Value index, Value variable) {
    bool isAlong = runsAlong(access, variable);
    along += isAlong;
    jumping += !isAlong && coefficientOf(index, variable) != 0;
  }
};

/// Where an access goes, if it is one.
Value positionOf(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndices()[0];
  auto store = dyn_cast<memref::StoreOp>(op);
  return store ? store.getIndices()[0] : Value();
}

/// What one iteration of a parallel loop takes, in additions, in either form of vectors: those along the loops inside,
/// and its own, of which each lane is an iteration.
class RowWork {
public:
  RowWork(Operation *loop, Value variable) : loop(loop), variable(variable) {
    loop->walk([&](Operation *op) { add(op); });
  }

  /// Short loops compute functions, which take as long for an element as for a vector, so that vectors of iterations
  /// pay for jumping through memory.
  bool prefersRows() const { return isShort && hasFunction && ownVectors < insideVectors; }

private:
  void add(Operation *op) {
    if (op == loop)
      return;
    int64_t turns = 1, whole = 1; // elements, and how often something is computed for them
    for (Operation *parent = op->getParentOp(); parent != loop; parent = parent->getParentOp()) {
      auto inner = dyn_cast<scf::ForOp>(parent);
      if (!inner)
        continue;
      auto trips = staticTrips(inner);
      isShort &= trips && *trips < shortReduction;
      bool isVector = whole == turns && isParallelLoop(inner) && trips >= fewestLanes;
      whole *= isVector ? llvm::divideCeil(trips.value_or(1), fewestLanes) : trips.value_or(1);
      turns *= trips.value_or(1);
    }
    const int64_t work = isa<scf::ForOp>(op) ? 0 : operationWork(*op);
    Value position = positionOf(op);
    bool jumps = position && coefficientOf(position, variable) != 0 && !runsAlong(op, variable);
    hasFunction |= turns > 1 && isFunction(*op);
    insideVectors += fewestLanes * whole * work;
    ownVectors += turns * (jumps ? 2 * fewestLanes : work);
  }

  Operation *loop;
  Value variable;
  bool isShort = true, hasFunction = false;
  int64_t insideVectors = 0, ownVectors = 0;
};

bool isInnermost(Operation *loop) {
  return !loop->walk([&](scf::ForOp inner) { return inner == loop ? WalkResult::advance() : WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Whether the turns of a parallel loop are best computed one after the other: each is a short chain of integers along
/// memory, and a step of it takes less time than it takes a vector of turns to jump to its elements.
bool hasShortChain(Operation *op, Value variable) {
  auto chain = [&]() -> scf::ForOp {
    for (Operation &inner : op->getRegion(0).front())
      if (auto loop = dyn_cast<scf::ForOp>(inner))
        return loop;
    return {};
  }();
  if (!chain || chain.getNumRegionIterArgs() != 1 || isParallelLoop(chain) || isReductionLoop(chain) ||
      !isInnermost(chain) || !chain.getRegionIterArg(0).getType().isInteger())
    return false;
  AccessCount own, inside;
  int64_t steps = 0;
  for (Operation &each : *chain.getBody()) {
    if (Value position = positionOf(&each)) {
      own.add(&each, position, variable);
      inside.add(&each, position, chain.getInductionVar());
    } else if (isa<arith::AddIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MaxSIOp,
                   arith::MinUIOp, arith::MaxUIOp, arith::CmpIOp, arith::SelectOp>(each)) {
      steps += !each.getResult(0).getType().isIndex();
    } else if (!each.hasTrait<OpTrait::IsTerminator>() && !isPure(&each)) {
      return false;
    } else if (isFunction(each)) {
      return false;
    }
  }
  return steps <= longestChain && own.along == 0 && own.jumping > 0 && inside.along > 0 && inside.jumping == 0;
}

class Chooser {
public:
  explicit Chooser(func::FuncOp kernel) : kernel(kernel) {}

  /// On a GPU lanes are threads, which the turns of a grid's own loop are anyway: loops inside have lanes, and
  /// reductions along memory. A kernel that may end in the middle has none, since lanes wait for each other.
  void runForThreads() {
    const bool mayStop = kernel.walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (mayStop)
      return;
    const bool hasScratch = kernel.walk([](memref::AllocaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    kernel.walk([&](scf::ForOp loop) {
      if (isReductionLoop(loop) && mayRegroup(loop) && isInnermost(loop) && trips(loop) >= shortReduction &&
          prefersThreads(loop) && Widener::canWiden(*loop.getBody(), loop.getInductionVar()))
        mark(loop, VectorForm::lanes);
    });
    if (hasScratch) // a thread's own
      return;
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!isParallelLoop(loop) || trips(loop) < fewestLanes || hasMarked(loop) || isInMarked(loop))
        return WalkResult::advance();
      mark(loop, VectorForm::parallel);
      return WalkResult::skip();
    });
  }

  void run() {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isParallelLoop(op) || tripsOf(op) < fewestLanes || !(runsAlongMemoryBetterThanInside(op) || prefersRows(op)))
        return WalkResult::advance();
      mark(op, VectorForm::parallel);
      return WalkResult::skip();
    });
    kernel.walk([&](scf::ForOp loop) {
      if (isReductionLoop(loop) && mayRegroup(loop) && isInnermost(loop) && !isInMarked(loop) && prefersLanes(loop))
        mark(loop, VectorForm::lanes);
    });
    // The innermost parallel loop that has no lanes inside, and enough iterations.
    kernel.walk([&](Operation *op) {
      bool mayWiden = isParallelLoop(op) || scheduleOf(op).order == TurnOrder::lanes;
      if (mayWiden && tripsOf(op) >= fewestLanes && !hasMarked(op) && !isInMarked(op) &&
          !hasShortChain(op, variableOf(op)))
        mark(op, VectorForm::parallel);
    });
  }

private:
  static int64_t tripsOf(Operation *op) {
    auto parallel = dyn_cast<scf::ParallelOp>(op);
    return parallel ? trips(parallel) : trips(cast<scf::ForOp>(op));
  }

  static Value variableOf(Operation *op) {
    auto parallel = dyn_cast<scf::ParallelOp>(op);
    return parallel ? parallel.getInductionVars()[0] : cast<scf::ForOp>(op).getInductionVar();
  }

  /// Loops of a grid have up to three.
  static SmallVector<Value> variablesOf(Operation *op) {
    if (auto parallel = dyn_cast<scf::ParallelOp>(op))
      return SmallVector<Value>(parallel.getInductionVars());
    return {cast<scf::ForOp>(op).getInductionVar()};
  }

  static bool isMarked(Operation *op) { return scheduleOf(op).vector != VectorForm::none; }

  static bool hasMarked(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return inner != op && isMarked(inner) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static bool isInMarked(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
      if (isMarked(parent))
        return true;
    return false;
  }

  /// Whether parallel loops inside would jump through memory where this one walks along it.
  static bool runsAlongMemoryBetterThanInside(Operation *op) {
    AccessCount own, inside;
    bool hasInner = false;
    Value variable = variableOf(op);
    op->walk([&](Operation *access) {
      auto loop = access->getParentOfType<scf::ForOp>();
      hasInner |= access != op && isa<scf::ForOp>(access) && isParallelLoop(access);
      if (Value position = positionOf(access)) {
        own.add(access, position, variable);
        if (loop && op->isProperAncestor(loop))
          inside.add(access, position, loop.getInductionVar());
      }
    });
    return hasInner && own.jumping < inside.jumping && own.along > inside.along &&
           Widener::canWiden(op->getRegion(0).front(), variable);
  }

  static bool prefersRows(Operation *op) {
    Value variable = variableOf(op);
    return RowWork(op, variable).prefersRows() && Widener::canWiden(op->getRegion(0).front(), variable);
  }

  static void mark(Operation *op, VectorForm how) {
    changeSchedule(op, [&](Schedule &schedule) { schedule.vector = how; });
  }

  /// The innermost parallel loop around a reduction that would fill a vector.
  static Operation *parallelAround(scf::ForOp loop) {
    for (Operation *parent = loop->getParentOp(); parent; parent = parent->getParentOp())
      if (isParallelLoop(parent) && tripsOf(parent) >= fewestLanes)
        return parent;
    return nullptr;
  }

  static bool prefersLanes(scf::ForOp loop) {
    if (trips(loop) < shortReduction)
      return false;
    Operation *parallel = parallelAround(loop);
    if (!parallel)
      return true;
    // A loop between the two would be entered with whole vectors: only the nearest parallel axis competes.
    AccessCount own(loop, loop.getInductionVar()), others(loop, variableOf(parallel));
    bool between = loop->getParentOp() != parallel && isParallelLoop(loop->getParentOp());
    if (between)
      return own.along > 0 || own.jumping > 0;
    return own.along > 0 && others.along < own.along + own.jumping && others.jumping > 0;
  }

  /// Whether neighbouring threads had better load neighbouring elements of a reduction than each a turn's own, which
  /// are far apart. No lane may be in a branch that others aren't in.
  static bool prefersThreads(scf::ForOp loop) {
    AccessCount own(loop, loop.getInductionVar());
    if (own.along == 0 || own.jumping > 0)
      return false;
    for (Operation *parent = loop->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp())
      if (isParallelLoop(parent) &&
          llvm::any_of(variablesOf(parent), [&](Value variable) { return AccessCount(loop, variable).along > 0; }))
        return false;
    return true;
  }

  func::FuncOp kernel;
};

struct ChooseVectorLoops : quernel::impl::ChooseVectorLoopsBase<ChooseVectorLoops> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    if (targetOf(getOperation()).kind == TargetKind::gpu)
      Chooser(getOperation()).runForThreads();
    else
      Chooser(getOperation()).run();
  }
};

} // namespace
