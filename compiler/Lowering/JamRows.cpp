// Rows that are added into one row are added several at once, so that the sums are loaded and stored once for them.
//
//   for i: for j: sum[j] += x[i, j]     →     for i, step 4: for j: s = sum[j]
//          out[i] = dot(x[i], y)                                    s += x[i, j]; …; s += x[i + 3, j]
//                                                                   sum[j] = s
//                                                            out[i] = dot(x[i], y); …; out[i + 3] = dot(x[i + 3], y)
//                                             for the last i: as before
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_JAMROWS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t rowsAtOnce = 4;
constexpr int64_t longRow = 64;    // shorter rows of sums stay in registers
constexpr int64_t largestRow = 80; // operations of a turn, of which the text has five times as many then

/// A load or a store of a turn, and the loop of the turn's body that it is in, if any.
struct RowAccess {
  Operation *op;
  LinearForm index;
  scf::ForOp column;
};

class Jam {
public:
  explicit Jam(scf::ForOp rows) : rows(rows) {}

  /// Whether the turns may be taken several at once: each statement of a turn in all of them, before the next one.
  bool applies() {
    int64_t operations = 0;
    rows.getBody()->walk([&](Operation *) { ++operations; });
    if (rows.getNumResults() > 0 || getConstantIntValue(rows.getStep()) != 1 || operations > largestRow ||
        likelyTrips(rows) < 2 * rowsAtOnce)
      return false;
    for (Operation &op : rows.getBody()->without_terminator()) {
      auto column = dyn_cast<scf::ForOp>(op);
      if (!collect(op, column))
        return false;
    }
    for (auto &[buffer, all] : accesses)
      if (llvm::any_of(all, [](const RowAccess &access) { return isa<memref::StoreOp>(access.op); }) && !isSum(all) &&
          !isOfOwnRow(all))
        return false;
    return !sums.empty();
  }

  void run() {
    OpBuilder builder(rows);
    Location loc = rows.getLoc();
    Value step = arith::ConstantIndexOp::create(builder, loc, rowsAtOnce);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value turns = builder.createOrFold<arith::SubIOp>(loc, rows.getUpperBound(), rows.getLowerBound());
    turns = builder.createOrFold<arith::MaxSIOp>(loc, turns, zero);
    Value left = builder.createOrFold<arith::RemSIOp>(loc, turns, step);
    Value whole = builder.createOrFold<arith::SubIOp>(loc, turns, left);
    Value middle = builder.createOrFold<arith::AddIOp>(loc, rows.getLowerBound(), whole);
    auto jammed = scf::ForOp::create(builder, loc, rows.getLowerBound(), middle, step);
    setSchedule(jammed, scheduleOf(rows));
    jammed.getInductionVar().setLoc(rows.getInductionVar().getLoc());
    builder.setInsertionPoint(jammed.getBody()->getTerminator());
    std::vector<IRMapping> turn(rowsAtOnce);
    for (int64_t k = 0; k < rowsAtOnce; ++k) {
      Value offset = arith::ConstantIndexOp::create(builder, loc, k);
      turn[k].map(rows.getInductionVar(), builder.createOrFold<arith::AddIOp>(loc, jammed.getInductionVar(), offset));
    }
    SmallVector<Operation *> statements;
    for (Operation &op : rows.getBody()->without_terminator()) {
      auto column = dyn_cast<scf::ForOp>(op);
      if (!column || !sums.contains(column)) {
        statements.push_back(&op);
        continue;
      }
      takeRows(builder, statements, jammed.getInductionVar(), turn);
      statements.clear();
      jamColumn(builder, column, turn);
    }
    takeRows(builder, statements, jammed.getInductionVar(), turn);
    rows.getLowerBoundMutable().set(middle);
  }

private:
  /// Notes what an operation of a turn reads and writes; false where that isn't known.
  bool collect(Operation &op, scf::ForOp column) {
    WalkResult result = op.walk([&](Operation *inner) {
      Value buffer, index;
      if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        buffer = load.getMemRef();
        index = load.getIndices()[0];
      } else if (auto store = dyn_cast<memref::StoreOp>(inner)) {
        buffer = store.getMemRef();
        index = store.getIndices()[0];
      } else {
        return isa<scf::ForOp, scf::YieldOp>(inner) || isMemoryEffectFree(inner) ? WalkResult::advance()
                                                                                 : WalkResult::interrupt();
      }
      accesses[buffer].push_back({inner, LinearForm::of(index), column});
      return WalkResult::advance();
    });
    return !result.wasInterrupted();
  }

  bool isFixed(Value value) { return rows.isDefinedOutsideOfLoop(value); }

  /// Whether a buffer is a row of sums: one loop over columns loads and stores each element, the same in each turn.
  bool isSum(ArrayRef<RowAccess> all) {
    scf::ForOp column = all.front().column;
    if (all.size() != 2 || !column || !isParallelLoop(column) || column.getNumResults() > 0 ||
        likelyTrips(column) < longRow)
      return false;
    for (Value bound : {column.getLowerBound(), column.getUpperBound(), column.getStep()})
      if (!isFixed(bound) && !getConstantIntValue(bound))
        return false;
    bool isMatched = isa<memref::LoadOp>(all[0].op) && isa<memref::StoreOp>(all[1].op) &&
                     all[0].index == all[1].index && all[0].op->getBlock() == column.getBody() &&
                     all[1].op->getBlock() == column.getBody() && all[1].column == column;
    bool isSame = llvm::all_of(
        all[0].index.terms, [&](auto term) { return term.first == column.getInductionVar() || isFixed(term.first); });
    bool isAlong = llvm::any_of(all[0].index.terms, [&](auto term) { return term.first == column.getInductionVar(); });
    if (!isMatched || !isSame || !isAlong)
      return false;
    sums[column].push_back({all[0].op, all[1].op});
    return true;
  }

  /// Whether all touch the one element that belongs to the turn.
  bool isOfOwnRow(ArrayRef<RowAccess> all) {
    const LinearForm &own = all.front().index;
    bool isMoving = false;
    for (auto [value, scale] : own.terms) {
      isMoving |= value == rows.getInductionVar() && scale != 0;
      if (value != rows.getInductionVar() && !isFixed(value))
        return false;
    }
    return isMoving && llvm::all_of(all, [&](const RowAccess &access) { return access.index == own; });
  }

  /// The statements of a turn between its loops over columns, for each row: those that have loops stand in one over the
  /// rows, since nothing of theirs is shared.
  void takeRows(OpBuilder &builder, ArrayRef<Operation *> statements, Value first, std::vector<IRMapping> &turn) {
    const size_t looped = loopedStatements(statements);
    if (looped > 0) {
      Location loc = rows.getLoc();
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value count = arith::ConstantIndexOp::create(builder, loc, rowsAtOnce);
      Value last = arith::AddIOp::create(builder, loc, first, count);
      auto loop = scf::ForOp::create(builder, loc, first, last, one);
      setSchedule(loop, {.rolled = true});
      OpBuilder inner(loop.getBody()->getTerminator());
      IRMapping mapping;
      mapping.map(rows.getInductionVar(), loop.getInductionVar());
      for (Operation *op : statements.take_front(looped))
        visitOutside(op, [&](Value value) { computeAgain(inner, value, mapping); });
      for (Operation *op : statements.take_front(looped))
        if (!mapping.contains(op))
          inner.clone(*op, mapping);
    }
    for (auto [position, op] : llvm::enumerate(statements))
      if (position >= looped || (op->getNumResults() == 1 && canBeComputedAgain(op->getResult(0))))
        for (IRMapping &mapping : turn)
          builder.clone(*op, mapping);
  }

  /// How many of some statements are worth a loop of their own: others use nothing of them but what they store and what
  /// can be computed again, and they use nothing else of others.
  size_t loopedStatements(ArrayRef<Operation *> statements) {
    while (!statements.empty() && !isa<memref::StoreOp>(statements.back()))
      statements = statements.drop_back();
    if (llvm::none_of(statements, [](Operation *op) { return isa<scf::ForOp>(op); }))
      return 0;
    llvm::SmallPtrSet<Operation *, 16> within(llvm::from_range, statements);
    bool isApart = true;
    for (Operation *op : statements) {
      visitOutside(
          op, [&](Value value) { isApart &= within.contains(value.getDefiningOp()) || canBeComputedAgain(value); });
      for (Value result : op->getResults())
        for (Operation *user : result.getUsers())
          isApart &= within.contains(rows.getBody()->findAncestorOpInBlock(*user)) || canBeComputedAgain(result);
    }
    return isApart ? statements.size() : 0;
  }

  /// The values of a turn that an operation uses, those in its regions included, which the turn has outside of it.
  void visitOutside(Operation *op, llvm::function_ref<void(Value)> visit) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == rows.getBody())
          visit(operand);
    });
  }

  /// Whether a value is an index that follows from the row alone.
  bool canBeComputedAgain(Value value) {
    if (isFixed(value) || value == rows.getInductionVar())
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == rows.getBody() && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           value.getType().isIndex() && llvm::all_of(op->getOperands(), [&](Value x) { return canBeComputedAgain(x); });
  }

  /// Computes such an index for the row that `mapping` has.
  void computeAgain(OpBuilder &builder, Value value, IRMapping &mapping) {
    if (isFixed(value) || mapping.contains(value) || !canBeComputedAgain(value))
      return;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      computeAgain(builder, operand, mapping);
    builder.clone(*op, mapping);
  }

  /// One loop over the columns, in which sums are handed on from row to row.
  void jamColumn(OpBuilder &builder, scf::ForOp column, std::vector<IRMapping> &turn) {
    auto bound = [&](Value value) { return turn.front().lookupOrDefault(value); };
    auto loop = scf::ForOp::create(builder, column.getLoc(), bound(column.getLowerBound()),
                                   bound(column.getUpperBound()), bound(column.getStep()));
    setSchedule(loop, scheduleOf(column));
    loop.getInductionVar().setLoc(column.getInductionVar().getLoc());
    OpBuilder inner(loop.getBody()->getTerminator());
    llvm::DenseMap<Operation *, Value> carried; // by load: the sum up to here
    for (IRMapping &mapping : turn) {
      mapping.map(column.getInductionVar(), loop.getInductionVar());
      const bool isLast = &mapping == &turn.back();
      llvm::DenseMap<Operation *, Value> next;
      for (Operation &op : column.getBody()->without_terminator()) {
        if (Value sum = carried.lookup(&op)) {
          mapping.map(op.getResult(0), sum);
          continue;
        }
        auto *pair = llvm::find_if(sums[column], [&](auto &sum) { return sum.second == &op; });
        if (pair == sums[column].end() || isLast) {
          inner.clone(op, mapping);
          continue;
        }
        next[pair->first] = mapping.lookupOrDefault(cast<memref::StoreOp>(op).getValueToStore());
      }
      carried = std::move(next);
    }
  }

  scf::ForOp rows;
  llvm::MapVector<Value, SmallVector<RowAccess>> accesses;
  /// By loop over columns: the load and the store of each sum.
  llvm::DenseMap<Operation *, SmallVector<std::pair<Operation *, Operation *>>> sums;
};

struct JamRows : quernel::impl::JamRowsBase<JamRows> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::kernel))
      rewriteLoops<Jam>(getOperation());
  }
};

} // namespace
