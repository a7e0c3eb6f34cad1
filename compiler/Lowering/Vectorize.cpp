// Widens the marked loops of a kernel to vectors.
#include "compiler/Lowering/CompensatedSum.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PairedAccess.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Widener.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_VECTORIZE
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

// Bytes of the accumulators of a reduction along memory. Fixed, so that the result is the same on every machine.
constexpr int64_t reductionBytes = 128;
// Steps that are added plainly before the total is compensated.
constexpr int64_t stepsPerBlock = 8;
// Vectors side by side where columns are reduced.
constexpr int64_t columnVectors = 4;
// Vectors that a recurrence may have in registers at once.
constexpr int64_t stateVectors = 8;
// Operations of a turn that keep the processor busy by themselves.
constexpr int64_t busyTurn = 40;

/// The bytes of the widest element that a loop touches.
int64_t widestElement(Operation *loop) {
  int64_t widest = 1;
  loop->walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (type.isIntOrFloat())
        widest = std::max<int64_t>(widest, llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  });
  return widest;
}

/// Whether a loop inside reads along memory with `variable` and jumps with its own: several vectors side by side then
/// read more of each row at once.
bool readsColumns(Operation *loop, Value variable) {
  return loop
      ->walk([&](memref::LoadOp load) {
        auto inner = load->getParentOfType<scf::ForOp>();
        Value index = load.getIndices()[0];
        if (!inner || inner == loop || !runsAlong(load, variable))
          return WalkResult::advance();
        bool jumps = coefficientOf(index, inner.getInductionVar()) != 0 && !runsAlong(load, inner.getInductionVar());
        return jumps ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// `lower + (upper - lower) / unit * unit`: where whole vectors end.
Value wholeEnd(OpBuilder &builder, Location loc, Value lower, Value upper, int64_t unit) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  if (first && last)
    return arith::ConstantIndexOp::create(builder, loc, *first + std::max<int64_t>(0, *last - *first) / unit * unit);
  Value unitValue = arith::ConstantIndexOp::create(builder, loc, unit);
  Value span = first == 0 ? upper : builder.createOrFold<arith::SubIOp>(loc, upper, lower);
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, span, unitValue);
  return builder.createOrFold<arith::SubIOp>(loc, upper, rest);
}

/// The iterations of a loop that starts at `lower`, or `variable`, and has one iteration at most for all lanes.
Value countBetween(OpBuilder &builder, Location loc, Value variable, Value lower, Value upper) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  if (first && last)
    return arith::ConstantIndexOp::create(builder, loc, *last - *first);
  return arith::SubIOp::create(builder, loc, upper, variable);
}

bool isEmptyRange(Value lower, Value upper) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  return lower == upper || (first && last && *first >= *last);
}

/// Whether a loop computes functions, which take as long for one element as for a vector.
bool computesFunctions(Operation *loop) {
  return loop->walk([](Operation *op) { return isFunction(*op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Booleans of memory come side by side or alone, not as lanes that may repeat.
bool touchesBooleans(Operation *loop) {
  auto isBoolean = [](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    return (load && load.getType().isInteger(1)) || (store && store.getValueToStore().getType().isInteger(1));
  };
  return loop->walk([&](Operation *op) { return isBoolean(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// A parallel loop: whole vectors first, then what is left: one vector with fewer iterations than lanes where functions
/// are computed, else a loop over single elements.
class ParallelVectorizer {
public:
  ParallelVectorizer(Operation *loop, int64_t lanes) : loop(loop), builder(loop), lanes(lanes) {}

  /// Leaves what is left to a loop over single elements, and gives that, if there is one.
  scf::ForOp runWholeVectors() {
    Location loc = loop->getLoc();
    auto parallel = dyn_cast<scf::ParallelOp>(loop);
    auto sequential = dyn_cast<scf::ForOp>(loop);
    Value lower = parallel ? parallel.getLowerBound()[0] : sequential.getLowerBound();
    Value upper = parallel ? parallel.getUpperBound()[0] : sequential.getUpperBound();
    Block &body = loop->getRegion(0).front();
    Value end = wholeEnd(builder, loc, lower, upper, lanes);
    if (!isEmptyRange(lower, end)) {
      OpBuilder::InsertionGuard guard(builder);
      Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
      Value variable = openWide(lower, end, step);
      Widener widener(builder, lanes);
      widener.setVariable(body.getArgument(0), variable);
      widener.widenBlock(body);
    }
    scf::ForOp rest;
    if (!isEmptyRange(end, upper))
      rest = remainder(body, end, upper);
    loop->erase();
    return rest;
  }

  void run() {
    const bool maybePartial = computesFunctions(loop) && !touchesBooleans(loop);
    scf::ForOp rest = runWholeVectors();
    if (rest && maybePartial && staticTrips(rest) != 1)
      partialVector(rest, lanes);
  }

private:
  Value openWide(Value lower, Value end, Value step) {
    Location loc = loop->getLoc();
    Operation *wide;
    if (isa<scf::ParallelOp>(loop)) {
      wide = scf::ParallelOp::create(builder, loc, lower, end, step,
                                     function_ref<void(OpBuilder &, Location, ValueRange)>());
    } else {
      wide = scf::ForOp::create(builder, loc, lower, end, step);
    }
    Schedule old = scheduleOf(loop);
    setSchedule(wide, {.maybeEmpty = old.maybeEmpty, .grain = old.grain ? std::max<int64_t>(2, old.grain / lanes) : 0});
    Block &body = wide->getRegion(0).front();
    builder.setInsertionPoint(body.getTerminator());
    return body.getArgument(0);
  }

  scf::ForOp remainder(Block &body, Value end, Value upper) {
    Location loc = loop->getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto rest = scf::ForOp::create(builder, loc, end, upper, one);
    setSchedule(rest, {.maybeEmpty = scheduleOf(loop).maybeEmpty});
    IRMapping mapping;
    mapping.map(body.getArgument(0), rest.getInductionVar());
    OpBuilder inner(rest.getBody()->getTerminator());
    for (Operation &op : body.without_terminator())
      inner.clone(op, mapping);
    return rest;
  }

  /// Computes a loop of fewer iterations than lanes as one vector.
  static void partialVector(scf::ForOp loop, int64_t lanes) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    auto once = scf::ForOp::create(builder, loc, lower, upper, arith::ConstantIndexOp::create(builder, loc, lanes));
    setSchedule(once, {.maybeEmpty = scheduleOf(loop).maybeEmpty});
    builder.setInsertionPoint(once.getBody()->getTerminator());
    Widener widener(builder, lanes);
    widener.setVariable(loop.getInductionVar(), once.getInductionVar());
    widener.setCount(loc, countBetween(builder, loc, once.getInductionVar(), lower, upper));
    widener.widenBlock(*loop.getBody());
    loop.erase();
  }

  Operation *loop;
  OpBuilder builder;
  int64_t lanes;
};

/// A reduction along memory: every lane has accumulators of its own, which are combined at the end, halves onto halves.
/// Float sums add the lanes of a few steps plainly and compensate the total.
class ReductionVectorizer {
public:
  ReductionVectorizer(scf::ForOp loop, int64_t lanes)
      : loop(loop), builder(loop), s(builder, loop.getLoc()), loc(loop.getLoc()), lanes(lanes),
        kinds(scheduleOf(loop).reduces) {}

  void run() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value blocksEnd = hasFloatSum() ? wholeEnd(builder, loc, lower, upper, lanes * stepsPerBlock) : lower;
    Value lanesEnd = wholeEnd(builder, loc, lower, upper, lanes);
    SmallVector<Value> state = initialState();
    state = blocks(lower, blocksEnd, state);
    state = addCompensated(state, steps(blocksEnd, lanesEnd, startOf(state)));
    SmallVector<Value> results = combineLanes(state);
    results = remainder(lanesEnd, upper, results);
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

private:
  bool isFloatSum(size_t i) {
    return kinds[i] == ReductionKind::sum && isa<FloatType>(loop.getInitArgs()[i].getType());
  }
  bool hasFloatSum() {
    return llvm::any_of(llvm::seq<size_t>(0, kinds.size()), [&](size_t i) { return isFloatSum(i); });
  }
  VectorType wide(Value scalar) const { return VectorType::get({lanes}, scalar.getType()); }

  /// One vector per accumulator, then one correction per float sum.
  SmallVector<Value> initialState() {
    SmallVector<Value> state;
    for (Value init : loop.getInitArgs())
      state.push_back(vector::BroadcastOp::create(builder, loc, wide(init), init));
    for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
      if (isFloatSum(i))
        state.push_back(s.constant(wide(init), 0));
    return state;
  }

  /// What the plain steps of a block start from: nothing for float sums, the state so far for everything else.
  SmallVector<Value> startOf(ValueRange state) {
    SmallVector<Value> start;
    for (size_t i = 0; i < kinds.size(); ++i)
      start.push_back(isFloatSum(i) ? s.identity(ReductionKind::sum, state[i].getType()) : state[i]);
    return start;
  }

  SmallVector<Value> addCompensated(ValueRange state, ValueRange stepped) {
    SmallVector<Value> next, corrections;
    size_t correction = kinds.size();
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (!isFloatSum(i)) {
        next.push_back(stepped[i]);
        continue;
      }
      CompensatedSum sum{state[i], state[correction++]};
      sum.add(s, stepped[i]);
      next.push_back(sum.total);
      corrections.push_back(sum.correction);
    }
    llvm::append_range(next, corrections);
    return next;
  }

  SmallVector<Value> blocks(Value lower, Value end, ArrayRef<Value> state) {
    if (isEmptyRange(lower, end))
      return SmallVector<Value>(state);
    int64_t unit = lanes * stepsPerBlock;
    auto outer = scf::ForOp::create(builder, loc, lower, end, s.index(unit), state);
    setSchedule(outer, {.rolled = true});
    for (auto [i, carried] : llvm::enumerate(outer.getRegionIterArgs()))
      carried.setLoc(NameLoc::get(builder.getStringAttr(i < kinds.size() ? "total" : "lost"), loc));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(outer.getBody());
    Value first = outer.getInductionVar();
    Value last = arith::AddIOp::create(builder, loc, first, s.index(unit));
    SmallVector<Value> carried(outer.getRegionIterArgs());
    SmallVector<Value> next = addCompensated(carried, steps(first, last, startOf(carried)));
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(outer.getResults());
  }

  /// Plain steps of one vector each.
  SmallVector<Value> steps(Value lower, Value end, ArrayRef<Value> start) {
    if (isEmptyRange(lower, end))
      return SmallVector<Value>(start);
    auto inner = scf::ForOp::create(builder, loc, lower, end, s.index(lanes), start);
    OpBuilder::InsertionGuard guard(builder);
    if (!inner.getBody()->empty())
      inner.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(inner.getBody());
    Widener widener(builder, lanes);
    widener.setVariable(loop.getInductionVar(), inner.getInductionVar());
    keepNames(loop, inner);
    for (auto [old, fresh] : llvm::zip_equal(loop.getRegionIterArgs(), inner.getRegionIterArgs()))
      widener.setVarying(old, fresh);
    widener.widenBlock(*loop.getBody());
    SmallVector<Value> next = llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                                                  [&](Value value) { return widener.vectorOf(value); });
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(inner.getResults());
  }

  /// The two halves of a vector; of two lanes, scalars.
  std::pair<Value, Value> halves(Value vector) {
    int64_t half = cast<VectorType>(vector.getType()).getDimSize(0) / 2;
    if (half == 1)
      return {vector::ExtractOp::create(builder, loc, vector, 0), vector::ExtractOp::create(builder, loc, vector, 1)};
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half)), high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    return {vector::ShuffleOp::create(builder, loc, vector, vector, low),
            vector::ShuffleOp::create(builder, loc, vector, vector, high)};
  }

  SmallVector<Value> combineLanes(ArrayRef<Value> state) {
    SmallVector<Value> vectors(state.take_front(kinds.size()));
    size_t correction = kinds.size();
    for (size_t i = 0; i < kinds.size(); ++i)
      if (isFloatSum(i))
        vectors[i] = CompensatedSum{state[i], state[correction++]}.value(s);
    for (int64_t width = lanes; width > 1; width /= 2) {
      for (size_t i = 0; i < kinds.size(); ++i) {
        auto [low, high] = halves(vectors[i]);
        if (i + 1 == kinds.size() || kinds[i + 1] != ReductionKind::index) {
          vectors[i] = s.combine(kinds[i], low, high);
          continue;
        }
        auto [lowIndex, highIndex] = halves(vectors[i + 1]);
        std::tie(vectors[i], vectors[i + 1]) = better(kinds[i], low, lowIndex, high, highIndex);
        ++i;
      }
    }
    return vectors;
  }

  /// The better of two candidates; of equal ones that with the lower index.
  std::pair<Value, Value> better(ReductionKind kind, Value x, Value xIndex, Value y, Value yIndex) {
    Value wins = s.beats(kind, y, x);
    Value ties = s.invert(s.make<arith::OrIOp>(wins, s.beats(kind, x, y)));
    Value earlier = s.make<arith::AndIOp>(ties, s.compare(Order::lt, yIndex, xIndex));
    Value takeY = s.make<arith::OrIOp>(wins, earlier);
    return {s.select(takeY, y, x), s.select(takeY, yIndex, xIndex)};
  }

  SmallVector<Value> remainder(Value lower, Value upper, ArrayRef<Value> results) {
    if (isEmptyRange(lower, upper))
      return SmallVector<Value>(results);
    SmallVector<Value> start(results);
    for (size_t i = 0; i < kinds.size(); ++i)
      if (isFloatSum(i))
        start[i] = s.identity(ReductionKind::sum, results[i].getType());
    auto rest = scf::ForOp::create(builder, loc, lower, upper, s.index(1), start);
    if (!rest.getBody()->empty())
      rest.getBody()->getTerminator()->erase();
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), rest.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), rest.getRegionIterArgs());
    keepNames(loop, rest);
    OpBuilder inner = OpBuilder::atBlockEnd(rest.getBody());
    for (Operation &op : loop.getBody()->getOperations())
      inner.clone(op, mapping);
    SmallVector<Value> final(rest.getResults());
    for (size_t i = 0; i < kinds.size(); ++i)
      if (isFloatSum(i))
        final[i] = s.add(results[i], rest.getResult(i));
    return final;
  }

  scf::ForOp loop;
  OpBuilder builder;
  ScalarBuilder s;
  Location loc;
  int64_t lanes;
  SmallVector<ReductionKind, 2> kinds;
};

/// How many vectors side by side hide how long a step of a recurrence takes: each one's next step waits for its last.
/// The values that a loop inside hands on, other than to reduce, have to fit into registers; a long turn needs no other
/// beside it.
int64_t vectorsOfRecurrence(Operation *loop) {
  int64_t most = 0;
  loop->walk([&](scf::ForOp inner) {
    const bool isBusy = static_cast<int64_t>(inner.getBody()->getOperations().size()) > busyTurn;
    if (inner != loop && !isReductionLoop(inner))
      most = std::max<int64_t>(most, isBusy ? stateVectors : inner.getNumRegionIterArgs());
  });
  int64_t fits = most == 0 ? 1 : stateVectors / most;
  return fits >= 4 ? 4 : fits >= 2 ? 2 : 1;
}

void vectorizeParallel(Operation *loop, int64_t lanes) {
  Value variable = loop->getRegion(0).front().getArgument(0);
  int64_t sideBySide = readsColumns(loop, variable) ? columnVectors : vectorsOfRecurrence(loop);
  Operation *rest = loop;
  if (sideBySide > 1)
    rest = ParallelVectorizer(loop, lanes * sideBySide).runWholeVectors();
  if (rest)
    ParallelVectorizer(rest, lanes).run();
}

struct Vectorize : quernel::impl::VectorizeBase<Vectorize> {
  using VectorizeBase::VectorizeBase;

  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (scheduleOf(op).vector != VectorForm::none)
        loops.push_back(op);
    });
    for (Operation *op : loops) {
      Block &body = op->getRegion(0).front();
      if (!Widener::canWiden(body, body.getArgument(0)))
        continue;
      int64_t widest = widestElement(op);
      if (scheduleOf(op).vector == VectorForm::lanes)
        ReductionVectorizer(cast<scf::ForOp>(op), reductionBytes / widest).run();
      else
        vectorizeParallel(op, std::max<int64_t>(2, vectorBytes / widest));
    }
  }
};

} // namespace
