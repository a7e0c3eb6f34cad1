// Widens a reduction along memory.
#include "compiler/Lowering/VectorizeReduction.h"
#include "compiler/Lowering/CompensatedSum.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Widener.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace quernel;

Value quernel::wholeEnd(OpBuilder &builder, Location loc, Value lower, Value upper, int64_t unit) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  if (first && last)
    return arith::ConstantIndexOp::create(builder, loc, *first + std::max<int64_t>(0, *last - *first) / unit * unit);
  Value unitValue = arith::ConstantIndexOp::create(builder, loc, unit);
  Value span = first == 0 ? upper : builder.createOrFold<arith::SubIOp>(loc, upper, lower);
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, span, unitValue);
  return builder.createOrFold<arith::SubIOp>(loc, upper, rest);
}

bool quernel::isEmptyRange(Value lower, Value upper) {
  auto first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  return lower == upper || (first && last && *first >= *last);
}

namespace {

// Those of the least or the greatest of many, where nothing is rounded: each step waits long for the one before, so
// more go side by side.
constexpr int64_t manyChoices = 256;
// Steps that are added plainly before the total is compensated.
constexpr int64_t stepsPerBlock = 8;

/// A reduction along memory: every lane has accumulators of its own, which are combined at the end, halves onto halves.
/// Float sums add the lanes of a few steps plainly and compensate the total. In blocks all kinds are combined of a few
/// steps' results, which then follow from nothing that the loop carries.
class ReductionVectorizer {
public:
  ReductionVectorizer(scf::ForOp loop, int64_t lanes, bool inBlocks)
      : loop(loop), builder(loop), s(builder, loop.getLoc()), loc(loop.getLoc()), lanes(lanes),
        kinds(scheduleOf(loop).reduces), inBlocks(inBlocks) {}

  void run() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value blocksEnd = hasFloatSum() || inBlocks ? wholeEnd(builder, loc, lower, upper, lanes * stepsPerBlock) : lower;
    Value lanesEnd = wholeEnd(builder, loc, lower, upper, lanes);
    SmallVector<Value> state = initialState();
    state = blocks(lower, blocksEnd, state);
    state = combineSteps(state, steps(blocksEnd, lanesEnd, startOf(state)));
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
  /// Whether an index goes with a reduction.
  bool isSearch(size_t i) const { return i + 1 < kinds.size() && kinds[i + 1] == ReductionKind::index; }
  VectorType wide(Value scalar) const { return VectorType::get({lanes}, scalar.getType()); }

  /// One vector per accumulator, then one correction per float sum.
  SmallVector<Value> initialState() {
    SmallVector<Value> state;
    for (Value init : loop.getInitArgs())
      state.push_back(vector::BroadcastOp::create(builder, loc, wide(init), init));
    first = state;
    for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
      if (isFloatSum(i))
        state.push_back(s.constant(wide(init), 0));
    return state;
  }

  /// Whether a reduction may take what it starts from more than once: it chooses.
  bool mayStartAgain(size_t i) {
    return kinds[i] != ReductionKind::sum && kinds[i] != ReductionKind::prod && kinds[i] != ReductionKind::parity;
  }

  /// What the plain steps of a block start from: nothing for float sums; for everything else the state so far or, in
  /// blocks, what changes nothing.
  SmallVector<Value> startOf(ValueRange state) {
    SmallVector<Value> start;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (isFloatSum(i) || (inBlocks && !mayStartAgain(i)))
        start.push_back(s.identity(kinds[i], state[i].getType()));
      else
        start.push_back(inBlocks ? first[i] : state[i]);
    }
    return start;
  }

  /// Combines the state with what steps result in.
  SmallVector<Value> combineSteps(ValueRange state, ValueRange stepped) {
    SmallVector<Value> next, corrections;
    size_t correction = kinds.size();
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (!isFloatSum(i)) {
        next.push_back(stepped[i]);
        if (inBlocks && isSearch(i)) {
          auto [value, at] = better(kinds[i], state[i], state[i + 1], stepped[i], stepped[i + 1]);
          next.back() = value;
          next.push_back(at);
          ++i;
        } else if (inBlocks) {
          next.back() = s.combine(kinds[i], state[i], stepped[i]);
        }
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
    SmallVector<Value> next = combineSteps(carried, steps(first, last, startOf(carried)));
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
        if (!isSearch(i)) {
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
  bool inBlocks;
  SmallVector<Value> first; // what all lanes start from
};

/// The bytes of a reduction's accumulators.
int64_t accumulatorBytes(scf::ForOp loop) {
  auto chooses = [](ReductionKind kind) {
    return kind == ReductionKind::min || kind == ReductionKind::max || kind == ReductionKind::argmin ||
           kind == ReductionKind::argmax || kind == ReductionKind::index;
  };
  return llvm::all_of(scheduleOf(loop).reduces, chooses) && likelyTrips(loop) >= manyChoices
             ? numerics::candidateBytes
             : numerics::accumulatorBytes;
}

} // namespace

int64_t quernel::lanesOfReduction(scf::ForOp loop, int64_t widest, int64_t mostLanes) {
  return std::min(mostLanes, accumulatorBytes(loop) / widest);
}

void quernel::vectorizeReduction(scf::ForOp loop, int64_t widest, int64_t mostLanes, bool inBlocks) {
  ReductionVectorizer(loop, lanesOfReduction(loop, widest, mostLanes), inBlocks).run();
}
