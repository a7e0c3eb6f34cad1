// Adds long sums in blocks with a compensated total.
//
//   for j in 0..n: s += x[j]        for b in 0..n by 16:
//                              →      for j in b..min(b + 16, n): t += x[j]
//                                     s, c = s + t with what rounding lost in c
//
// Sums of 8 to 16 elements are unrolled and added in the order of NumPy's pairwise sum; shorter ones are added in
// order, as NumPy does, and so are those whose copies would be long, as copies of copies are.
#include "compiler/Lowering/CompensatedSum.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {
#define GEN_PASS_DEF_BLOCKSUMS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

using numerics::blockLength, numerics::pairwiseWidth;
constexpr int64_t mostCopied = 2048; // operations that an unrolled sum may have

/// The iteration arguments that are float sums, if their order is this pass's to choose.
SmallVector<bool> floatSums(scf::ForOp loop) {
  SmallVector<bool> result;
  if (scheduleOf(loop).inOrder)
    return SmallVector<bool>(loop.getNumRegionIterArgs(), false);
  for (auto [kind, argument] : llvm::zip_equal(scheduleOf(loop).reduces, loop.getRegionIterArgs()))
    result.push_back(kind == ReductionKind::sum && isa<FloatType>(argument.getType()));
  return result;
}

/// What iteration adds to accumulator `i`; null if it does something else with it.
Value termOf(scf::ForOp loop, unsigned i) {
  auto add = loop.getYieldedValues()[i].getDefiningOp<arith::AddFOp>();
  Value carried = loop.getRegionIterArg(i);
  if (!add || !carried.hasOneUse())
    return Value();
  return add.getLhs() == carried ? add.getRhs() : add.getRhs() == carried ? add.getLhs() : Value();
}

bool isPairwise(scf::ForOp loop) {
  int64_t trips = staticTrips(loop).value_or(0);
  if (trips < pairwiseWidth || trips > blockLength || llvm::is_contained(floatSums(loop), false))
    return false;
  return llvm::all_of(llvm::seq<unsigned>(0, loop.getNumResults()), [&](unsigned i) { return termOf(loop, i); });
}

/// The terms in the order of NumPy's pairwise sum.
Value addPairwise(ScalarBuilder &s, ArrayRef<Value> terms) {
  SmallVector<Value> partial(terms.take_front(pairwiseWidth));
  size_t whole = terms.size() / pairwiseWidth * pairwiseWidth;
  for (size_t i = pairwiseWidth; i < whole; ++i)
    partial[i % pairwiseWidth] = s.add(partial[i % pairwiseWidth], terms[i]);
  for (size_t width = pairwiseWidth; width > 1; width /= 2)
    for (size_t i = 0; i < width / 2; ++i)
      partial[i] = s.add(partial[2 * i], partial[2 * i + 1]);
  Value sum = partial[0];
  for (Value term : terms.drop_front(whole))
    sum = s.add(sum, term);
  return sum;
}

/// Whether the turns of a sum are few enough operations to stand one after the other. Inner sums have been unrolled.
bool mayCopy(scf::ForOp loop) {
  int64_t count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count * *staticTrips(loop) <= mostCopied;
}

void unrollPairwise(scf::ForOp loop) {
  OpBuilder builder(loop);
  ScalarBuilder s(builder, loop.getLoc());
  SmallVector<SmallVector<Value>> terms(loop.getNumResults());
  for (int64_t trip = 0; trip < *staticTrips(loop); ++trip) {
    IRMapping mapping;
    Value offset = s.index(trip * *getConstantIntValue(loop.getStep()));
    mapping.map(loop.getInductionVar(),
                builder.createOrFold<arith::AddIOp>(loop.getLoc(), loop.getLowerBound(), offset));
    for (Operation &op : loop.getBody()->without_terminator())
      if (!llvm::is_contained(loop.getYieldedValues(), op.getNumResults() ? op.getResult(0) : Value()))
        builder.clone(op, mapping);
    for (auto [i, list] : llvm::enumerate(terms))
      list.push_back(mapping.lookupOrDefault(termOf(loop, i)));
  }
  for (auto [i, list] : llvm::enumerate(terms))
    loop.getResult(i).replaceAllUsesWith(s.add(loop.getInitArgs()[i], addPairwise(s, list)));
  loop.erase();
}

void block(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<bool> sums = floatSums(loop);
  ScalarBuilder s(builder, loc);
  SmallVector<Value> init(loop.getInitArgs());
  for (auto [i, isSum] : llvm::enumerate(sums))
    if (isSum)
      init.push_back(s.constant(loop.getInitArgs()[i].getType(), 0));
  auto outer = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), s.index(blockLength), init);
  for (auto [i, carried] : llvm::enumerate(outer.getRegionIterArgs()))
    carried.setLoc(NameLoc::get(builder.getStringAttr(i < sums.size() ? "total" : "lost"), loc));
  builder.setInsertionPointToStart(outer.getBody());
  Value start = outer.getInductionVar();
  Value end = arith::AddIOp::create(builder, loc, start, s.index(blockLength));
  end = arith::MinSIOp::create(builder, loc, end, loop.getUpperBound());
  SmallVector<Value> innerInit;
  for (auto [i, isSum] : llvm::enumerate(sums))
    innerInit.push_back(isSum ? s.identity(ReductionKind::sum, init[i].getType()) : Value(outer.getRegionIterArg(i)));
  auto inner = scf::ForOp::create(builder, loc, start, end, loop.getStep(), innerInit);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), inner.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), inner.getRegionIterArgs());
  keepNames(loop, inner);
  OpBuilder body = OpBuilder::atBlockBegin(inner.getBody());
  for (Operation &op : loop.getBody()->getOperations())
    body.clone(op, mapping);
  SmallVector<Value> next, corrections;
  unsigned correction = sums.size();
  for (auto [i, isSum] : llvm::enumerate(sums)) {
    if (!isSum) {
      next.push_back(inner.getResult(i));
      continue;
    }
    CompensatedSum sum{outer.getRegionIterArg(i), outer.getRegionIterArg(correction++)};
    sum.add(s, inner.getResult(i));
    next.push_back(sum.total);
    corrections.push_back(sum.correction);
  }
  llvm::append_range(next, corrections);
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(outer);
  correction = sums.size();
  for (auto [i, isSum] : llvm::enumerate(sums)) {
    CompensatedSum sum{outer.getResult(i), isSum ? outer.getResult(correction++) : Value()};
    loop.getResult(i).replaceAllUsesWith(isSum ? sum.value(s) : sum.total);
  }
  loop.erase();
}

struct BlockSums : quernel::impl::BlockSumsBase<BlockSums> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    // Inner loops first: those around them copy what they hold.
    SmallVector<std::pair<scf::ForOp, bool>> loops;
    getOperation().walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      if (!isReductionLoop(loop) || scheduleOf(loop).vector != VectorForm::none)
        return;
      bool isLong = staticTrips(loop).value_or(blockLength + 1) > blockLength;
      bool isShort = isPairwise(loop);
      if (isShort || (isLong && llvm::is_contained(floatSums(loop), true)))
        loops.push_back({loop, isShort});
    });
    for (auto [loop, isShort] : loops)
      if (!isShort)
        block(loop);
      else if (mayCopy(loop))
        unrollPairwise(loop);
  }
};

} // namespace
