// Atomic updates of few elements gather in a table of each block's, in shared memory.
//
//   parallel i in 0..n:                     parallel b in 0..256:
//     atomically y[p[i]] += v[i]      →       table = zeros
//                                             barrier
//                                             for i in b * workers + worker..n by 256 * workers:
//                                               atomically table[p[i]] += v[i]
//                                             barrier
//                                             for k in worker..m by workers: atomically y[k] += table[k]
//
// Only updates whose order doesn't matter are atomic, so the elements are the same ones.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SharedMemory.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_SHARETABLES
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Blocks that have tables, and the most threads of each: together they keep a large device busy.
constexpr int64_t blocks = 256, threads = 512;
/// Bytes of a block's tables, of which several blocks at a time have room.
constexpr int64_t mostBytes = blockBytes / 2;
/// Turns from which on tables are worth it, for each of their elements and in all.
constexpr int64_t turnsOfElement = 2 * blocks, fewestTurns = 1 << 16;

/// An array that a kernel's updates change, and nothing else in it touches.
struct Table {
  Value array;
  arith::AtomicRMWKind kind;
  SmallVector<memref::AtomicRMWOp> updates;
  /// The greatest place that is updated: a constant, or a number of the kernel's.
  std::optional<int64_t> last;
  Value lastValue;
  /// Room for so many elements.
  int64_t room = 0;

  Type type() const { return cast<MemRefType>(array.getType()).getElementType(); }
};

/// A number outside of a loop, no constant, that a place isn't behind: `min(place, n - 1)`.
Value leastOutside(Value place, scf::ParallelOp loop) {
  Operation *op = place.getDefiningOp();
  while (op && isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    op = (place = op->getOperand(0)).getDefiningOp();
  if (!op || !isa<arith::MinSIOp, arith::MinUIOp>(op))
    return {};
  for (Value operand : op->getOperands())
    if (loop.isDefinedOutsideOfLoop(operand) && !getConstantIntValue(operand))
      return operand;
  return {};
}

class TableFormer {
public:
  explicit TableFormer(func::FuncOp kernel) : kernel(kernel), loop(Grid(kernel).wholeLoop()), builder(kernel) {}

  bool applies() {
    if (!loop || lanesOf(kernel) > 1 || hasTeams(kernel) || holds<CheckOp, CopyPackOp>(kernel) || !collect() ||
        !llvm::all_of(loop.getStep(), [](Value step) { return getConstantIntValue(step) == 1; }))
      return false;
    findPlaces();
    if (!giveRoom())
      return false;
    auto turns = Grid(kernel).turns();
    return llvm::all_of(tables, [&](const Table &table) { return !turns || *turns >= fewestTurnsFor(table); });
  }

  void run() {
    const Location loc = loop.getLoc();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto numbers = WorkerOp::create(builder, builder.getUnknownLoc(), builder.getIndexType(), builder.getIndexType(),
                                    /*lanes=*/1, threads);
    worker = numbers.getWorker(), workers = numbers.getWorkers();
    builder.setInsertionPoint(loop);
    Value turns = index(1);
    for (auto [lower, upper] : llvm::zip_equal(loop.getLowerBound(), loop.getUpperBound())) {
      counts.push_back(builder.createOrFold<arith::SubIOp>(loc, upper, lower));
      turns = multiply(turns, counts.back());
    }
    for (Table &table : tables)
      measure(table, turns);
    auto shared = scf::ParallelOp::create(builder, loc, index(0), index(blocks), index(1));
    builder.setInsertionPointToStart(shared.getBody());
    for (auto [table, memory] : llvm::zip_equal(tables, memories))
      memory = memref::AllocaOp::create(builder, named("table"), sharedMemory(table.room, table.type()));
    for (unsigned i = 0; i < tables.size(); ++i)
      clear(i);
    BarrierOp::create(builder, loc);
    Value first = add(multiply(shared.getInductionVars().front(), workers), worker);
    auto own = scf::ForOp::create(builder, loc, first, turns, multiply(workers, index(blocks)));
    moveTurns(own);
    BarrierOp::create(builder, loc);
    for (unsigned i = 0; i < tables.size(); ++i)
      flush(i);
    loop.erase();
  }

private:
  /// The arrays that are updated, each by one kind of updates alone.
  bool collect() {
    bool isPossible = true;
    kernel.walk([&](memref::AtomicRMWOp update) {
      isPossible &= update.use_empty() && loop->isAncestor(update) && update.getIndices().size() == 1;
      auto same = llvm::find_if(tables, [&](const Table &table) { return table.array == update.getMemref(); });
      if (same == tables.end()) {
        tables.push_back({update.getMemref(), update.getKind(), {}, {}, {}});
        same = std::prev(tables.end());
      }
      isPossible &= same->kind == update.getKind();
      same->updates.push_back(update);
    });
    for (const Table &table : tables)
      isPossible &= isa<BlockArgument>(table.array) && llvm::all_of(table.array.getUsers(), [](Operation *user) {
                      return isa<memref::AtomicRMWOp>(user);
                    });
    return isPossible && !tables.empty();
  }

  /// The greatest places that are updated. Places are in the array, so they aren't negative.
  void findPlaces() {
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(kernel)))
      return;
    for (Table &table : tables) {
      int64_t last = 0;
      for (memref::AtomicRMWOp update : table.updates) {
        auto *range = solver.lookupState<dataflow::IntegerValueRangeLattice>(update.getIndices().front());
        const bool isKnown = range && !range->getValue().isUninitialized();
        last = std::max(last, isKnown ? range->getValue().getValue().smax().getSExtValue() : INT64_MAX);
      }
      if (last < mostBytes)
        table.last = last;
      else if (table.updates.size() == 1)
        table.lastValue = leastOutside(table.updates.front().getIndices().front(), loop);
    }
  }

  /// Shares a block's memory among the tables. False where an array has more elements than that, or nobody knows.
  bool giveRoom() {
    int64_t bytes = 0, unknown = 0;
    for (Table &table : tables) {
      if (!table.last && !table.lastValue)
        return false;
      unknown += !table.last;
      if (table.last)
        bytes += (table.room = *table.last + 1) * elementBytes(table.type());
    }
    for (Table &table : tables)
      if (!table.last)
        table.room = std::max<int64_t>(0, mostBytes - bytes) / unknown / elementBytes(table.type());
    memories.resize(tables.size());
    sizes.resize(tables.size());
    fits.resize(tables.size());
    return bytes <= mostBytes && llvm::all_of(tables, [](const Table &table) { return table.room > 0; });
  }

  static int64_t fewestTurnsFor(const Table &table) {
    return std::max(fewestTurns, table.last ? table.room * turnsOfElement : 0);
  }

  Location named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), loop.getLoc()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loop.getLoc(), value); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loop.getLoc(), a, b); }
  Value multiply(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loop.getLoc(), a, b); }
  Value isAtMost(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loop.getLoc(), arith::CmpIPredicate::sle, a, b);
  }

  /// How many elements a table has, and whether it has room for all of them and is worth it: a constant says so, or the
  /// kernel finds out.
  void measure(Table &table, Value turns) {
    Value &size = sizes[&table - tables.begin()], &isUsed = fits[&table - tables.begin()];
    if (table.last) {
      size = index(table.room);
    } else {
      Value last = table.lastValue;
      if (!last.getType().isIndex())
        last = arith::IndexCastOp::create(builder, loop.getLoc(), builder.getIndexType(), last);
      size = arith::AddIOp::create(builder, named("size"), last, index(1));
      isUsed = isAtMost(size, index(table.room));
    }
    Value worth = multiply(size, index(turnsOfElement));
    if (table.last)
      worth = index(fewestTurnsFor(table));
    if (getConstantIntValue(worth) && getConstantIntValue(turns))
      return;
    Value isWorth = isAtMost(worth, turns);
    isUsed = isUsed ? arith::AndIOp::create(builder, named("fits"), isUsed, isWorth).getResult() : isWorth;
  }

  /// Has workers go through the elements of a table, if there is one.
  scf::ForOp forElements(unsigned number) {
    Value size = sizes[number];
    if (Value isUsed = fits[number])
      size = arith::SelectOp::create(builder, named("size"), isUsed, size, index(0));
    return scf::ForOp::create(builder, loop.getLoc(), worker, size, workers);
  }

  Value neutral(const Table &table) {
    return arith::getIdentityValue(table.kind, table.type(), builder, loop.getLoc());
  }

  void clear(unsigned number) {
    Value none = neutral(tables[number]);
    scf::ForOp elements = forElements(number);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(elements.getBody());
    memref::StoreOp::create(builder, loop.getLoc(), none, memories[number], elements.getInductionVar());
  }

  void flush(unsigned number) {
    const Table &table = tables[number];
    const Location loc = loop.getLoc();
    Value none = neutral(table);
    scf::ForOp elements = forElements(number);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(elements.getBody());
    Value k = elements.getInductionVar();
    Value gathered = memref::LoadOp::create(builder, named("gathered"), memories[number], k);
    Value isChanged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, gathered, none);
    auto branch = scf::IfOp::create(builder, loc, isChanged, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    memref::AtomicRMWOp::create(builder, loc, table.kind, gathered, table.array, k);
  }

  /// The old turns, which update the tables: their axes are one.
  void moveTurns(scf::ForOp own) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(own.getBody());
    Value left = own.getInductionVar();
    for (unsigned axis = loop.getNumLoops(); axis-- > 0;) {
      Value counter = loop.getInductionVars()[axis], at = left;
      if (axis > 0) {
        at = arith::RemUIOp::create(builder, counter.getLoc(), left, counts[axis]);
        left = arith::DivUIOp::create(builder, loop.getLoc(), left, counts[axis]);
      }
      counter.replaceAllUsesWith(add(loop.getLowerBound()[axis], at));
    }
    own.getInductionVar().setLoc(loop.getInductionVars().front().getLoc());
    Block *from = loop.getBody(), *to = own.getBody();
    to->getOperations().splice(std::prev(to->end()), from->getOperations(), from->begin(), std::prev(from->end()));
    for (auto [table, memory, isUsed] : llvm::zip_equal(tables, memories, fits))
      for (memref::AtomicRMWOp update : table.updates) {
        builder.setInsertionPoint(update);
        if (isUsed) {
          auto branch = scf::IfOp::create(builder, update.getLoc(), isUsed, /*withElseRegion=*/true);
          update->moveBefore(branch.elseBlock()->getTerminator());
          builder.setInsertionPointToStart(branch.thenBlock());
        }
        memref::AtomicRMWOp::create(builder, update.getLoc(), table.kind, update.getValue(), memory,
                                    update.getIndices());
        if (!isUsed)
          update.erase();
      }
  }

  func::FuncOp kernel;
  scf::ParallelOp loop;
  OpBuilder builder;
  SmallVector<Table> tables;
  /// For each table: its memory, how many elements it has, and whether it is used; null where it always is.
  SmallVector<Value> memories, sizes, fits;
  /// The turns along each axis.
  SmallVector<Value> counts;
  Value worker, workers;
};

struct ShareTables : quernel::impl::ShareTablesBase<ShareTables> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    if (TableFormer former(getOperation()); former.applies())
      former.run();
  }
};

} // namespace
