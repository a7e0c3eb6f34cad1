// Moves a serial loop around array statements inside of them, where each place stays with its own elements.
//
//   for k: parallel i: p[i, k] = f(p[i, k - 1])          parallel i: for k: p[i, k] = f(p[i, k - 1])
//          parallel i: q[i, k] = p[i, k] * q[i, k - 1]  →                   q[i, k] = p[i, k] * q[i, k - 1]
//
// Threads then start once, rows are read along memory, and what a statement stores the next one finds in the cache, or
// in a register.
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_INTERCHANGELOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestTurns = 16; // what threads can share

/// A parallel loop in the body, and which of its axes go outside.
struct Statement {
  Operation *op;
  SmallVector<Value> lower, upper, step, counters;
  SmallVector<unsigned> moved;

  explicit Statement(scf::ParallelOp loop)
      : op(loop), lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep()),
        counters(loop.getInductionVars()) {}
  explicit Statement(scf::ForOp loop)
      : op(loop), lower{loop.getLowerBound()}, upper{loop.getUpperBound()}, step{loop.getStep()},
        counters{loop.getInductionVar()} {}
};

class Interchange {
public:
  explicit Interchange(scf::ForOp loop) : loop(loop) {}

  bool applies() {
    return loop.getNumResults() == 0 && !isParallelLoop(loop) && !isTaskLoop(loop) && collectStatements() &&
           succeeded(collectAccesses(loop, accesses)) && loadsStay() && chooseAxes() && pays();
  }

  void run() {
    Statement &first = statements.front();
    OpBuilder builder(loop);
    for (memref::AllocOp alloc : loop.getOps<memref::AllocOp>())
      mapping.map(alloc.getResult(), builder.clone(*alloc)->getResult(0));
    auto pick = [&](ArrayRef<Value> values) {
      return llvm::map_to_vector(first.moved, [&](unsigned axis) { return values[axis]; });
    };
    auto outer = scf::ParallelOp::create(builder, first.op->getLoc(), pick(first.lower), pick(first.upper),
                                         pick(first.step), function_ref<void(OpBuilder &, Location, ValueRange)>());
    bool mayBeEmpty =
        llvm::any_of(statements, [](Statement &statement) { return scheduleOf(statement.op).maybeEmpty; });
    setSchedule(outer, {.maybeEmpty = mayBeEmpty});
    builder.setInsertionPointToStart(outer.getBody());
    auto inner = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
    setSchedule(inner, scheduleOf(loop));
    inner.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    mapping.map(loop.getInductionVar(), inner.getInductionVar());
    builder.setInsertionPointToStart(inner.getBody());
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (Statement *statement = statementOf(&op))
        cloneStatement(builder, *statement, outer.getInductionVars());
      else if (!isa<memref::AllocOp>(op))
        builder.clone(op, mapping);
    }
    loop.erase();
  }

private:
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value) || getConstantIntValue(value); }

  bool collectStatements() {
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto parallel = dyn_cast<scf::ParallelOp>(op))
        statements.emplace_back(parallel);
      else if (auto other = dyn_cast<scf::ForOp>(op); other && isParallelLoop(other))
        statements.emplace_back(other);
      else if (isa<memref::AllocOp>(op)
                   ? !llvm::all_of(op.getOperands(), [&](Value size) { return isOutside(size); })
                   : op.getNumRegions() != 0 || !(isMemoryEffectFree(&op) || isa<memref::LoadOp>(op)))
        return false;
    }
    return !statements.empty();
  }

  Statement *statementOf(Operation *op) {
    auto found = llvm::find_if(statements, [&](Statement &statement) { return statement.op->isAncestor(op); });
    return found == statements.end() ? nullptr : &*found;
  }

  /// What is loaded between the statements is the same in every turn of theirs only if none of them stores it.
  bool loadsStay() {
    for (const Access &load : accesses) {
      if (!load.indices)
        return false;
      Value root = resolveElement(load).root;
      if (!statementOf(load.op) && (!root || llvm::any_of(accesses, [&](const Access &store) {
            return store.isStore && resolveElement(store).root == root;
          })))
        return false;
    }
    return true;
  }

  std::optional<unsigned> matchingAxis(const Statement &statement, const Statement &first, unsigned axis) {
    for (unsigned other = 0; other < statement.counters.size(); ++other)
      if (!llvm::is_contained(statement.moved, other) &&
          isEqualConstantIntOrValue(statement.lower[other], first.lower[axis]) &&
          isEqualConstantIntOrValue(statement.upper[other], first.upper[axis]) &&
          isEqualConstantIntOrValue(statement.step[other], first.step[axis]))
        return other;
    return std::nullopt;
  }

  /// Whether no element is touched from two places on the axis, one of them storing it.
  bool staysWithItsElements(ArrayRef<unsigned> axes) {
    auto counterOf = [&](const Access &access) {
      Statement *statement = statementOf(access.op);
      return statement->counters[axes[statement - statements.data()]];
    };
    for (const auto &[i, first] : llvm::enumerate(accesses))
      for (const Access &second : llvm::drop_begin(accesses, i))
        if ((first.isStore || second.isStore) && statementOf(first.op) && statementOf(second.op) &&
            mayTouchApart(first, counterOf(first), second, counterOf(second), loop))
          return false;
    return true;
  }

  bool chooseAxes() {
    Statement &first = statements.front();
    for (unsigned axis = 0; axis < first.counters.size(); ++axis) {
      if (!isOutside(first.lower[axis]) || !isOutside(first.upper[axis]) || !isOutside(first.step[axis]))
        continue;
      SmallVector<unsigned> axes;
      for (Statement &statement : statements)
        if (auto match = &statement == &first ? std::optional(axis) : matchingAxis(statement, first, axis))
          axes.push_back(*match);
      if (axes.size() != statements.size() || !staysWithItsElements(axes))
        continue;
      for (auto [statement, chosen] : llvm::zip_equal(statements, axes))
        statement.moved.push_back(chosen);
    }
    return !first.moved.empty();
  }

  /// How many accesses the counter moves to the next element in memory.
  static bool runsAlong(const Access &access, Value counter) {
    Element element = resolveElement(access);
    for (auto [axis, subscript] : llvm::enumerate(element.subscripts)) {
      if (!subscript)
        return false;
      auto *term = llvm::find_if(subscript->terms, [&](auto &each) { return each.first == counter; });
      bool isLast = axis + 1 == element.subscripts.size();
      if ((term != subscript->terms.end()) != isLast || (isLast && std::abs(term->second) != 1))
        return false;
    }
    return !element.subscripts.empty();
  }

  /// Where threads pay only for the loop as a whole, where its counter runs along memory and the statements' don't, or
  /// where what the loop hands on from turn to turn stays in registers.
  bool pays() {
    int64_t alongLoop = 0, alongStatement = 0, mostWork = 0;
    for (const Access &access : accesses) {
      Statement *statement = statementOf(access.op);
      alongLoop += runsAlong(access, loop.getInductionVar());
      alongStatement += statement && runsAlong(access, statement->counters.back());
    }
    for (Statement &statement : statements)
      mostWork = std::max(mostWork, loopWork(statement.op));
    const int64_t fork = targetOf(loop).fork;
    bool isWorthThreads = mostWork < fork && loopWork(loop) >= 4 * fork;
    return (isWorthThreads && sharedTurns() >= fewestTurns) || alongLoop > alongStatement || keepsItsElements();
  }

  /// Whether a place of the statements has its state in registers while the loop runs: it stores the same elements in
  /// all turns, and reads nothing that lies elsewhere in each turn but what all places share.
  bool keepsItsElements() {
    auto isWhole = [](Statement &statement) { return statement.moved.size() == statement.counters.size(); };
    if (!llvm::all_of(statements, isWhole))
      return false;
    return llvm::all_of(accesses, [&](const Access &access) {
      Statement *statement = statementOf(access.op);
      if (!statement)
        return true;
      Element element = resolveElement(access);
      auto isIn = [&](Value counter) {
        return llvm::any_of(element.subscripts, [&](auto &subscript) {
          return !subscript || llvm::any_of(subscript->terms, [&](auto &term) { return term.first == counter; });
        });
      };
      bool movesWithLoop = !element.root || isIn(loop.getInductionVar());
      return !movesWithLoop || (!access.isStore && !llvm::any_of(statement->counters, isIn));
    });
  }

  int64_t sharedTurns() {
    Statement &first = statements.front();
    auto lower = getConstantIntValue(first.lower[first.moved[0]]),
         upper = getConstantIntValue(first.upper[first.moved[0]]);
    return lower && upper ? *upper - *lower : assumedTrips;
  }

  void cloneStatement(OpBuilder &builder, Statement &statement, ValueRange outer) {
    for (auto [axis, counter] : llvm::zip_equal(statement.moved, outer))
      mapping.map(statement.counters[axis], counter);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Value> lower, upper, step, rest;
    for (unsigned axis = 0; axis < statement.counters.size(); ++axis)
      if (!llvm::is_contained(statement.moved, axis)) {
        lower.push_back(mapping.lookupOrDefault(statement.lower[axis]));
        upper.push_back(mapping.lookupOrDefault(statement.upper[axis]));
        step.push_back(mapping.lookupOrDefault(statement.step[axis]));
        rest.push_back(statement.counters[axis]);
      }
    if (!rest.empty()) {
      auto remaining = scf::ParallelOp::create(builder, statement.op->getLoc(), lower, upper, step,
                                               function_ref<void(OpBuilder &, Location, ValueRange)>());
      mapping.map(rest, remaining.getInductionVars());
      builder.setInsertionPointToStart(remaining.getBody());
    }
    for (Operation &op : statement.op->getRegion(0).front().without_terminator())
      builder.clone(op, mapping);
  }

  scf::ForOp loop;
  std::vector<Statement> statements;
  SmallVector<Access> accesses;
  IRMapping mapping;
};

bool hasOneTurn(scf::ParallelOp loop, unsigned axis) {
  auto lower = getConstantIntValue(loop.getLowerBound()[axis]), upper = getConstantIntValue(loop.getUpperBound()[axis]),
       step = getConstantIntValue(loop.getStep()[axis]);
  return lower && upper && step && *upper > *lower && *upper - *lower <= *step;
}

/// `p[:, k]` has an axis of one element, which the others' statements don't have.
void dropUnitAxes(scf::ParallelOp loop) {
  SmallVector<Value> lower, upper, step, kept;
  for (unsigned axis = 0; axis < loop.getNumLoops(); ++axis) {
    if (hasOneTurn(loop, axis)) {
      loop.getInductionVars()[axis].replaceAllUsesWith(loop.getLowerBound()[axis]);
      continue;
    }
    lower.push_back(loop.getLowerBound()[axis]);
    upper.push_back(loop.getUpperBound()[axis]);
    step.push_back(loop.getStep()[axis]);
    kept.push_back(loop.getInductionVars()[axis]);
  }
  if (kept.empty() || kept.size() == loop.getNumLoops())
    return;
  OpBuilder builder(loop);
  auto other = scf::ParallelOp::create(builder, loop.getLoc(), lower, upper, step,
                                       function_ref<void(OpBuilder &, Location, ValueRange)>());
  for (auto [old, fresh] : llvm::zip_equal(kept, other.getInductionVars()))
    old.replaceAllUsesWith(fresh);
  loop.getBody()->getTerminator()->erase();
  other.getBody()->getOperations().splice(other.getBody()->begin(), loop.getBody()->getOperations());
  loop.erase();
}

struct InterchangeLoops : quernel::impl::InterchangeLoopsBase<InterchangeLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    SmallVector<scf::ParallelOp> statements;
    getOperation().walk([&](scf::ParallelOp loop) { statements.push_back(loop); });
    llvm::for_each(statements, dropUnitAxes);
    getOperation().walk([&](scf::ForOp loop) {
      if (!isReductionLoop(loop) && !loop->getParentOfType<scf::ParallelOp>())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (Interchange interchange(loop); interchange.applies())
        interchange.run();
  }
};

} // namespace
