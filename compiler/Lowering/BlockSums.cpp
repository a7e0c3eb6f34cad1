// Adds long sums in blocks with a compensated total.
//
//   for j in 0..n: s += x[j]        for b in 0..n by 16:
//                              →      for j in b..min(b + 16, n): t += x[j]
//                                     s, c = s + t with what rounding lost in c
#include "compiler/Lowering/CompensatedSum.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {
#define GEN_PASS_DEF_BLOCKSUMS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t blockLength = 16;

/// The iteration arguments that are float sums.
SmallVector<bool> floatSums(scf::ForOp loop) {
  SmallVector<bool> result;
  auto kinds = loop->getAttrOfType<ArrayAttr>("quernel.reduce").getAsValueRange<StringAttr>();
  for (auto [kind, argument] : llvm::zip_equal(kinds, loop.getRegionIterArgs()))
    result.push_back(kind == "sum" && isa<FloatType>(argument.getType()));
  return result;
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
  builder.setInsertionPointToStart(outer.getBody());
  Value start = outer.getInductionVar();
  Value end = arith::AddIOp::create(builder, loc, start, s.index(blockLength));
  end = arith::MinSIOp::create(builder, loc, end, loop.getUpperBound());
  SmallVector<Value> innerInit;
  for (auto [i, isSum] : llvm::enumerate(sums))
    innerInit.push_back(isSum ? s.identity("sum", init[i].getType()) : Value(outer.getRegionIterArg(i)));
  auto inner = scf::ForOp::create(builder, loc, start, end, loop.getStep(), innerInit);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), inner.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), inner.getRegionIterArgs());
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
    if (!getOperation()->hasAttr("quernel.kernel"))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      bool isLong = staticTrips(loop).value_or(blockLength + 1) > blockLength;
      if (loop->hasAttr("quernel.reduce") && !loop->hasAttr("quernel.vector") && isLong &&
          llvm::is_contained(floatSums(loop), true))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      block(loop);
  }
};

} // namespace
