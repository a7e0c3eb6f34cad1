// Cuts a long serial loop whose carried values are combined by associative operations into pieces for the threads of a
// device.
//
//                               parallel p: t[p] = sum of x[i], i in piece p
//   for i: s += x[i]            for p: b[p] = s; s += t[p]
//          y[i] = s         →   parallel p: s = b[p]
//                                           for i in piece p: s += x[i]; y[i] = s
//
// The loop in the middle is such a loop again, and is cut in its turn where it is long. Pieces have a length that no
// machine changes, so that float sums have the same bits in each run and on each device.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/ScalarBuilder.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_SPLITSCANS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

using numerics::scanLength;
constexpr int64_t fewestTurns = 16 * scanLength; // below this one thread is done before three kernels are
constexpr int64_t enoughRows = 16384;            // loops side by side that keep a device busy as they are
constexpr unsigned unknownLevels = 2;            // how often a loop of unknown length is cut

/// What an operation that combines two values does, where it may be applied to pieces first; nothing for others. A
/// product of floats isn't among them: pieces that overflow make NaN of a product that is 0.
std::optional<ReductionKind> kindOf(Operation *op) {
  if (isa<arith::AddIOp, arith::AddFOp, complex::AddOp>(op))
    return ReductionKind::sum;
  if (isa<arith::MulIOp>(op))
    return ReductionKind::prod;
  if (isa<arith::AndIOp>(op))
    return ReductionKind::all;
  if (isa<arith::OrIOp>(op))
    return ReductionKind::any;
  if (isa<arith::XOrIOp>(op))
    return ReductionKind::parity;
  if (isa<arith::MaxSIOp, arith::MaximumFOp>(op))
    return ReductionKind::max;
  if (isa<arith::MinSIOp, arith::MinimumFOp>(op))
    return ReductionKind::min;
  if (isa<arith::MaxUIOp>(op))
    return ReductionKind::umax;
  return isa<arith::MinUIOp>(op) ? std::optional(ReductionKind::umin) : std::nullopt;
}

/// A value that a loop carries: each turn combines it with a term that doesn't depend on what is carried.
struct Carried {
  BlockArgument sofar;
  ReductionKind kind;
  Operation *combine;
  Value term;
  /// Where the pieces' values and the values at their beginnings are kept; an index is kept as an integer.
  Value totals, starts;
};

bool isRounded(const Carried &each) { return each.kind == ReductionKind::sum && !each.sofar.getType().isIntOrIndex(); }

/// A parallel loop around the one that is cut, with nothing else in it that has an effect.
struct Row {
  Operation *loop;
  Value counter, lower, upper;
};

class Scan {
public:
  Scan(scf::ForOp loop, unsigned level) : loop(loop), level(level), outermost(loop), builder(loop) {}

  bool applies() {
    return loop.getNumRegionIterArgs() > 0 && !isReductionLoop(loop) && !isParallelLoop(loop) && !isTaskLoop(loop) &&
           getConstantIntValue(loop.getStep()) == 1 && collectRows() && isLong() && collectCarried() &&
           hasIndependentTurns() && collectTerms() && mayGiveResults();
  }

  /// Gives the loop over the pieces.
  scf::ForOp run() {
    builder.setInsertionPoint(outermost);
    countPieces();
    for (Carried &each : carried) {
      each.totals = allocate(each);
      if (stores)
        each.starts = allocate(each);
    }
    addTotals();
    scf::ForOp middle = addStarts();
    if (stores)
      addPieces();
    for (Carried &each : carried)
      for (Value memory : {each.totals, each.starts})
        if (memory)
          memref::DeallocOp::create(builder, loc(), memory);
    outermost->erase();
    return middle;
  }

private:
  Location loc() { return loop.getLoc(); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc(), value); }

  /// The parallel loops around. What they hold beside the next one is computed again where it is needed.
  bool collectRows() {
    for (Operation *inner = loop;; inner = outermost) {
      Operation *parent = inner->getParentOp();
      if (!parent || !isParallelLoop(parent))
        break;
      auto counters = cast<LoopLikeOpInterface>(parent);
      auto lower = *counters.getLoopLowerBounds(), upper = *counters.getLoopUpperBounds(),
           step = *counters.getLoopSteps();
      for (auto [i, counter] : llvm::enumerate(*counters.getLoopInductionVars())) {
        if (getConstantIntValue(step[i]) != 1)
          return false;
        rows.push_back({parent, counter, getValueOrCreateConstantIndexOp(builder, loc(), lower[i]),
                        getValueOrCreateConstantIndexOp(builder, loc(), upper[i])});
      }
      for (Operation &op : parent->getRegion(0).front().without_terminator())
        if (&op != inner && !isPure(&op))
          return false;
      if (parent->getNumResults() > 0)
        return false;
      outermost = parent;
    }
    builder.setInsertionPoint(outermost);
    for (const Row &row : rows)
      if (!isOutside(row.lower) || !isOutside(row.upper))
        return false;
    return isOutside(loop.getLowerBound()) && isOutside(loop.getUpperBound());
  }

  bool isOutside(Value value) { return !outermost->isAncestor(value.getParentRegion()->getParentOp()); }

  /// Sizes that aren't known count as large, but not in a loop of the user's.
  bool isLong() {
    const bool isInLoop = outermost->getParentOfType<LoopLikeOpInterface>();
    int64_t side = 1;
    for (const Row &row : rows) {
      auto lower = getConstantIntValue(row.lower), upper = getConstantIntValue(row.upper);
      if (isInLoop && !(lower && upper))
        return false;
      side *= lower && upper ? std::clamp<int64_t>(*upper - *lower, 0, enoughRows) : 1;
      side = std::min(side, enoughRows);
    }
    if (side >= enoughRows)
      return false;
    auto turns = staticTrips(loop);
    return turns ? *turns >= fewestTurns : !isInLoop && level < unknownLevels;
  }

  bool collectCarried() {
    for (auto [sofar, next] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      Operation *combine = next.getDefiningOp();
      auto kind = combine && combine->getBlock() == loop.getBody() ? kindOf(combine) : std::nullopt;
      if (!kind || (combine->getOperand(0) == sofar) == (combine->getOperand(1) == sofar))
        return false;
      if (sofar.getType().isIndex() && *kind != ReductionKind::sum)
        return false;
      carried.push_back({sofar, *kind, combine, combine->getOperand(combine->getOperand(0) == sofar ? 1 : 0), {}, {}});
    }
    return true;
  }

  /// Whether, but for what is carried, turns may run at the same time.
  bool hasIndependentTurns() {
    if (failed(collectAccesses(loop, accesses)) ||
        loop->walk([](Operation *op) {
              return isa<memref::AllocOp, memref::AllocaOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted())
      return false;
    for (const Access &access : accesses) {
      if (!access.indices)
        return false;
      stores |= access.isStore;
    }
    return !mayTurnsMeet(loop, accesses);
  }

  /// The operations of a turn that terms follow from. They don't see what is carried, nor what the turn stores.
  bool collectTerms() {
    auto terms = llvm::map_to_vector(carried, [](const Carried &each) { return each.term; });
    return collectProducers(loop, llvm::to_vector(terms), termOps,
                            [&](Operation *op, memref::LoadOp load) { return isStoredBefore(op, load); });
  }

  /// Whether the turn may have stored to the buffer of a load when it comes there.
  bool isStoredBefore(Operation *op, memref::LoadOp load) {
    Value root = resolveElement({load, load.getMemRef(), std::nullopt, false}).root;
    return llvm::any_of(accesses, [&](const Access &store) {
      if (!store.isStore)
        return false;
      Value other = resolveElement(store).root;
      Operation *at = loop.getBody()->findAncestorOpInBlock(*store.op);
      return (!root || !other || root == other) && !op->isBeforeInBlock(at);
    });
  }

  /// What is left in the end comes from the pieces' values, so it has to be what the last turn stores; a rounded sum
  /// isn't.
  bool mayGiveResults() {
    return llvm::all_of(carried, [&](const Carried &each) {
      return loop.getResult(each.sofar.getArgNumber() - 1).use_empty() ||
             (rows.empty() && !(isRounded(each) && stores));
    });
  }

  void countPieces() {
    if (auto known = staticTrips(loop)) {
      pieces = index(llvm::divideCeil(*known, scanLength));
      return;
    }
    Value turns = builder.createOrFold<arith::SubIOp>(loc(), loop.getUpperBound(), loop.getLowerBound());
    turns = builder.createOrFold<arith::MaxSIOp>(loc(), turns, index(0));
    pieces = builder.createOrFold<arith::CeilDivSIOp>(loc(), turns, index(scanLength));
  }

  static Type keptType(Type type) { return type.isIndex() ? Type(IntegerType::get(type.getContext(), 64)) : type; }

  /// An element for each piece of each row.
  Value allocate(const Carried &each) {
    Type type = keptType(each.sofar.getType());
    Value count = pieces;
    for (const Row &row : rows) {
      Value side = builder.createOrFold<arith::SubIOp>(loc(), row.upper, row.lower);
      side = builder.createOrFold<arith::MaxSIOp>(loc(), side, index(0));
      count = builder.createOrFold<arith::MulIOp>(loc(), count, side);
    }
    Value memory = memref::AllocOp::create(builder, loc(), MemRefType::get({ShapedType::kDynamic}, type), count);
    AllocatedOp::create(builder, loc(), memory, count, dtypeName(type));
    return memory;
  }

  /// Whether a turn goes on to the next element in memory, so that threads side by side had better have rows.
  bool runsAlongMemory() {
    return llvm::any_of(accesses, [&](const Access &access) {
      return access.indices->size() == 1 && llvm::any_of(access.indices->front().terms, [&](auto &term) {
               return term.first == loop.getInductionVar() && term.second == 1;
             });
    });
  }

  /// Begins a parallel loop over the rows and, if they are to share it, the pieces. Gives the piece.
  Value beginParallel(IRMapping &mapping, bool withPieces) {
    SmallVector<Value> lower, upper, counters;
    for (const Row &row : llvm::reverse(rows)) {
      lower.push_back(row.lower);
      upper.push_back(row.upper);
      counters.push_back(row.counter);
    }
    const bool innermost = withPieces && runsAlongMemory();
    if (withPieces) {
      lower.insert(innermost ? lower.end() : lower.begin(), index(0));
      upper.insert(innermost ? upper.end() : upper.begin(), pieces);
      counters.insert(innermost ? counters.end() : counters.begin(), Value());
    }
    Value piece;
    if (lower.empty())
      return piece;
    SmallVector<Value> steps(lower.size(), index(1));
    auto parallel = scf::ParallelOp::create(builder, loc(), lower, upper, steps,
                                            function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(parallel, {.maybeEmpty = !staticTrips(loop) || !rows.empty()});
    builder.setInsertionPointToStart(parallel.getBody());
    for (auto [counter, old] : llvm::zip_equal(parallel.getInductionVars(), counters)) {
      if (!old) {
        piece = counter;
        continue;
      }
      counter.setLoc(old.getLoc());
      mapping.map(old, counter);
    }
    repeatAround(mapping);
    return piece;
  }

  /// Computes again what the loops around compute for a row.
  void repeatAround(IRMapping &mapping) {
    SmallVector<Operation *> around;
    for (Operation *inner = loop; inner != outermost; inner = inner->getParentOp())
      around.push_back(inner);
    for (Operation *inner : llvm::reverse(around))
      for (Operation &op : inner->getBlock()->without_terminator())
        if (&op != inner)
          builder.clone(op, mapping);
  }

  /// Where the value of a row's piece is kept.
  Value placeOf(Value piece, IRMapping &mapping) {
    Value row;
    for (const Row &each : llvm::reverse(rows)) {
      Value at = builder.createOrFold<arith::SubIOp>(loc(), mapping.lookup(each.counter), each.lower);
      if (row) {
        Value side = builder.createOrFold<arith::SubIOp>(loc(), each.upper, each.lower);
        at = builder.createOrFold<arith::AddIOp>(loc(), builder.createOrFold<arith::MulIOp>(loc(), row, side), at);
      }
      row = at;
    }
    if (!row)
      return piece;
    return builder.createOrFold<arith::AddIOp>(loc(), builder.createOrFold<arith::MulIOp>(loc(), row, pieces), piece);
  }

  void keep(Value value, Value memory, Value place) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc(), builder.getI64Type(), value);
    memref::StoreOp::create(builder, loc(), value, memory, place);
  }

  Value kept(const Carried &each, Value memory, Value place) {
    Value value = memref::LoadOp::create(builder, loc(), memory, place);
    if (each.sofar.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc(), builder.getIndexType(), value);
    return value;
  }

  /// The loop over the turns of a piece, which begins with these values.
  scf::ForOp beginPiece(Value piece, ValueRange init, IRMapping &mapping) {
    Value lower = builder.createOrFold<arith::MulIOp>(loc(), piece, index(scanLength));
    lower = builder.createOrFold<arith::AddIOp>(loc(), lower, loop.getLowerBound());
    Value upper = arith::AddIOp::create(builder, loc(), lower, index(scanLength));
    upper = builder.createOrFold<arith::MinSIOp>(loc(), upper, loop.getUpperBound());
    auto made = scf::ForOp::create(builder, loc(), lower, upper, loop.getStep(), init);
    keepNames(loop, made);
    made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    mapping.map(loop.getInductionVar(), made.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), made.getRegionIterArgs());
    builder.setInsertionPointToStart(made.getBody());
    return made;
  }

  /// Added to any number, it leaves the number as it is.
  static Value negativeZero(ScalarBuilder &scalars, Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    Value part = scalars.constant(complex ? complex.getElementType() : type, -0.0);
    return complex ? scalars.join(part, part) : part;
  }

  void addTotals() {
    OpBuilder::InsertionGuard guard(builder);
    IRMapping mapping;
    Value piece = beginParallel(mapping, /*withPieces=*/true);
    ScalarBuilder scalars(builder, loc());
    SmallVector<Value> init, next;
    Schedule schedule;
    bool mayHaveLanes = true;
    for (const Carried &each : carried) {
      Type type = each.sofar.getType();
      mayHaveLanes &= !isRounded(each) && !type.isIndex();
      init.push_back(isRounded(each)  ? negativeZero(scalars, type)
                     : type.isIndex() ? index(0)
                                      : scalars.identity(each.kind, type));
      schedule.reduces.push_back(each.kind);
    }
    scf::ForOp inner = beginPiece(piece, init, mapping);
    if (mayHaveLanes) // the few additions of a rounded sum stay in order
      setSchedule(inner, schedule);
    for (Operation &op : loop.getBody()->without_terminator())
      if (termOps.contains(&op))
        builder.clone(op, mapping);
    for (const Carried &each : carried)
      next.push_back(builder.clone(*each.combine, mapping)->getResult(0));
    scf::YieldOp::create(builder, loc(), next);
    builder.setInsertionPointAfter(inner);
    Value place = placeOf(piece, mapping);
    for (auto [each, total] : llvm::zip_equal(carried, inner.getResults()))
      keep(total, each.totals, place);
  }

  /// What the carried values are where each piece begins.
  scf::ForOp addStarts() {
    OpBuilder::InsertionGuard guard(builder);
    IRMapping mapping;
    beginParallel(mapping, /*withPieces=*/false);
    auto init = llvm::map_to_vector(loop.getInitArgs(), [&](Value value) { return mapping.lookupOrDefault(value); });
    auto middle = scf::ForOp::create(builder, loc(), index(0), pieces, index(1), init);
    setSchedule(middle, {.maybeEmpty = !staticTrips(loop)});
    keepNames(loop, middle);
    builder.setInsertionPointToStart(middle.getBody());
    mapping.map(loop.getRegionIterArgs(), middle.getRegionIterArgs());
    Value place = placeOf(middle.getInductionVar(), mapping);
    SmallVector<Value> next;
    for (const Carried &each : carried) {
      if (stores)
        keep(mapping.lookup(Value(each.sofar)), each.starts, place);
      mapping.map(each.term, kept(each, each.totals, place));
      next.push_back(builder.clone(*each.combine, mapping)->getResult(0));
    }
    scf::YieldOp::create(builder, loc(), next);
    if (rows.empty())
      loop.replaceAllUsesWith(middle.getResults());
    return middle;
  }

  /// The turns themselves, piece by piece.
  void addPieces() {
    OpBuilder::InsertionGuard guard(builder);
    IRMapping mapping;
    Value piece = beginParallel(mapping, /*withPieces=*/true);
    Value place = placeOf(piece, mapping);
    auto init = llvm::map_to_vector(carried, [&](const Carried &each) { return kept(each, each.starts, place); });
    beginPiece(piece, init, mapping);
    for (Operation &op : *loop.getBody())
      builder.clone(op, mapping);
  }

  scf::ForOp loop;
  unsigned level;
  /// The outermost of the rows' loops, or the loop itself.
  Operation *outermost;
  OpBuilder builder;
  /// The innermost axis first.
  SmallVector<Row> rows;
  SmallVector<Carried> carried;
  SmallVector<Access> accesses;
  bool stores = false;
  llvm::SmallPtrSet<Operation *, 16> termOps;
  Value pieces;
};

struct SplitScans : quernel::impl::SplitScansBase<SplitScans> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::program))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned level = 0; loop; ++level) {
        Scan scan(loop, level);
        loop = scan.applies() ? scan.run() : scf::ForOp();
      }
  }
};

} // namespace
