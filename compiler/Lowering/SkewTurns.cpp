// Loops whose columns wait for each other run side by side for some turns, each a few columns behind the turn before.
//
//   for i:                                    for first, step 4:
//     for j: d[i, j] = f(d[i, j - 1],           for column, step 8:
//                        d[i - 1, j])     →       for i in first .. first + 4:
//                                                   for j in the 8 columns behind column - 9 * (i - first):
//                                                     d[i, j] = f(d[i, j - 1], d[i - 1, j])
//
// A turn is behind the one before by as many columns as it waits for, and by 8 more: what it then computes waits for
// nothing of these 8 columns, so that a processor computes those of all turns at once.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Turn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_SKEWTURNS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t turnsAtOnce = 4;
constexpr int64_t blockColumns = 8;
constexpr int64_t fewestColumns = 4 * blockColumns;
constexpr int64_t longWait = 8;       // cycles; a processor hides shorter ones behind other work of a turn
constexpr int64_t cyclesOfFloats = 4; // of an addition

/// How long a column of a serial statement waits for the one before.
class Wait {
public:
  Wait(const Statement &statement, const Direction &direction) : statement(statement) {
    for (const auto &[number, load] : llvm::enumerate(statement.accesses))
      for (const auto &[other, store] : llvm::enumerate(statement.accesses)) {
        auto columns = load.isStore || !store.isStore ? std::nullopt : columnsBetween(load, store, direction);
        if (columns && *columns > 0)
          carried.insert(load.op);
        else if (columns && *columns == 0 && other < number)
          storedFor[load.op].push_back(store.op);
      }
  }

  /// The cycles, roughly, from an element of an earlier column to what is stored at a column.
  int64_t cycles() {
    int64_t most = 0;
    for (const Access &access : statement.accesses)
      if (auto store = dyn_cast<memref::StoreOp>(access.op))
        most = std::max(most, until(store.getValueToStore()).value_or(0));
    return most;
  }

private:
  /// How many columns after an element is stored the same turn loads it; nothing where it may be another one.
  static std::optional<int64_t> columnsBetween(const Access &load, const Access &store, const Direction &direction) {
    Element from = resolveElement(load), to = resolveElement(store);
    auto axis = direction.axisOf(to.root);
    if (from.root != to.root || !axis || from.subscripts.size() != to.subscripts.size())
      return std::nullopt;
    std::optional<int64_t> columns;
    for (const auto &[number, subscripts] : llvm::enumerate(llvm::zip_equal(from.subscripts, to.subscripts))) {
      const auto &[first, second] = subscripts;
      LinearForm distance = first && second ? *second - *first : LinearForm();
      if (!first || !second || !distance.isConstant() || (number != *axis && distance.constant != 0))
        return std::nullopt;
      if (number == *axis)
        columns = distance.constant;
    }
    return columns;
  }

  /// The cycles until a value is there; nothing where it doesn't wait.
  std::optional<int64_t> until(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !statement.op->isProperAncestor(op))
      return std::nullopt;
    if (carried.contains(op))
      return 0;
    auto [known, isNew] = memo.insert({value, std::nullopt});
    if (!isNew)
      return known->second;
    std::optional<int64_t> latest;
    auto wait = [&](Value operand) {
      if (auto cycles = until(operand))
        latest = std::max(latest.value_or(0), *cycles);
    };
    llvm::for_each(op->getOperands(), wait);
    for (Operation *store : storedFor.lookup(op))
      if (auto value = dyn_cast<memref::StoreOp>(store))
        wait(value.getValueToStore());
    for (Region &region : op->getRegions())
      if (!region.empty())
        if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
          llvm::for_each(yield.getOperands(), wait);
    if (latest) {
      const bool isFloat = llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<FloatType>(type); });
      *latest += operationWork(*op) * (isFloat ? cyclesOfFloats : 1);
    }
    return memo[value] = latest;
  }

  const Statement &statement;
  /// Loads of what an earlier column has stored.
  llvm::SmallPtrSet<Operation *, 4> carried;
  /// By load: what before it may have stored the element at the same column.
  llvm::DenseMap<Operation *, SmallVector<Operation *, 1>> storedFor;
  llvm::DenseMap<Value, std::optional<int64_t>> memo;
};

class SkewedTurns {
public:
  explicit SkewedTurns(scf::ForOp loop) : loop(loop), body(loop) {}

  bool applies() {
    return !isParallelLoop(loop) && !isTaskLoop(loop) && !loop.getNumResults() &&
           !loop->getParentOfType<scf::ParallelOp>() && getConstantIntValue(loop.getStep()) == 1 &&
           likelyTrips(loop) >= 2 * turnsAtOnce && body.collect([](scf::ForOp other) { return !isTaskLoop(other); }) &&
           findColumns();
  }

  void run() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto constant = [&](OpBuilder &at, int64_t value) -> Value {
      return arith::ConstantIndexOp::create(at, loc, value);
    };
    addDecision(waiting, "each column waits for the one before: " + std::to_string(turnsAtOnce) +
                             " turns of the loop around it go on together, " + std::to_string(blockColumns) +
                             " columns at a time");
    IRMapping outside = body.hoistArrays(builder);
    auto [begin, end] = body.rangeOf(builder, *columns);
    const int64_t distance = columns->turnBehind + blockColumns;
    int64_t earliest = 0, latest = 0;
    for (const Path &path : columns->paths) {
      earliest = std::min(earliest, path.behind);
      latest = std::max(latest, path.behind);
    }
    begin = builder.createOrFold<arith::AddIOp>(loc, begin, constant(builder, earliest));
    Value past =
        builder.createOrFold<arith::AddIOp>(loc, end, constant(builder, (turnsAtOnce - 1) * distance + latest));
    auto named = [&](scf::ForOp made, const Twine &word) {
      made.getInductionVar().setLoc(NameLoc::get(StringAttr::get(loop.getContext(), word)));
      setSchedule(made, scheduleOf(loop));
      return made.getInductionVar();
    };
    auto groups =
        scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), constant(builder, turnsAtOnce));
    Value first = named(groups, "first");
    builder.setInsertionPoint(groups.getBody()->getTerminator());
    Value last = builder.createOrFold<arith::AddIOp>(loc, first, constant(builder, turnsAtOnce));
    last = builder.createOrFold<arith::MinSIOp>(loc, last, loop.getUpperBound());
    last.setLoc(NameLoc::get(StringAttr::get(loop.getContext(), "behind")));
    auto blocks = scf::ForOp::create(builder, loc, begin, past, constant(builder, blockColumns));
    Value column = named(blocks, "column");
    builder.setInsertionPoint(blocks.getBody()->getTerminator());
    auto turns = scf::ForOp::create(builder, loc, first, last, constant(builder, 1));
    turns.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    setSchedule(turns, scheduleOf(loop));
    builder.setInsertionPoint(turns.getBody()->getTerminator());
    Value number = builder.createOrFold<arith::SubIOp>(loc, turns.getInductionVar(), first);
    Value moved = builder.createOrFold<arith::MulIOp>(loc, number, constant(builder, distance));
    Value place = builder.createOrFold<arith::SubIOp>(loc, column, moved);
    IRMapping names = outside;
    names.map(loop.getInductionVar(), turns.getInductionVar());
    SmallVector<Value> yielded;
    body.clone(
        builder, *loop.getBody(), names,
        [&](OpBuilder &at, unsigned statement, IRMapping &mapping) {
          Value from = at.createOrFold<arith::AddIOp>(loc, place, constant(at, -columns->paths[statement].behind));
          Value to = at.createOrFold<arith::AddIOp>(loc, from, constant(at, blockColumns));
          body.cloneStatement(at, statement, mapping, {{&*columns, from, to}});
        },
        yielded);
    loop.erase();
  }

private:
  /// The direction in which a statement waits for its earlier columns for long.
  bool findColumns() {
    unsigned axes = 0;
    for (const Statement &statement : body.statements())
      axes = std::max<unsigned>(axes, statement.counters.size());
    for (unsigned axis = 0; axis < axes; ++axis) {
      columns = body.findDirection(axis);
      if (columns && columns->rows(body.statements()) >= fewestColumns && waits())
        return true;
    }
    return false;
  }

  bool waits() {
    for (const auto &[statement, path] : llvm::zip_equal(body.statements(), columns->paths))
      if (path.axis && isa<scf::ForOp>(statement.op) && !isParallelLoop(statement.op) &&
          Wait(statement, *columns).cycles() >= longWait) {
        waiting = statement.op;
        return true;
      }
    return false;
  }

  scf::ForOp loop;
  Turn body;
  std::optional<Direction> columns;
  Operation *waiting = nullptr;
};

struct SkewTurns : quernel::impl::SkewTurnsBase<SkewTurns> {
  void runOnOperation() override { rewriteLoops<SkewedTurns>(getOperation()); }
};

} // namespace
