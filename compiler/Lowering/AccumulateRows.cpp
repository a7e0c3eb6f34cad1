// Makes sums of columns read whole rows in order and add them into the result, instead of jumping down each column.
//
//   for j: s = 0; for i: s += x[i, j]     →     for j: out[j] = 0
//          out[j] = s                           for i: for j: out[j] += x[i, j]
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PairedAccess.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {
#define GEN_PASS_DEF_ACCUMULATEROWS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t longRow = 64; // shorter rows stay in registers

class Interchange {
public:
  explicit Interchange(scf::ForOp columns) : columns(columns) {}

  /// Whether the loop over columns holds one reduction that jumps through memory, stores of its results, and index
  /// arithmetic.
  bool applies() {
    if (!isParallelLoop(columns) || likelyTrips(columns) < longRow)
      return false;
    for (Operation &op : columns.getBody()->without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (rows || !isReductionLoop(loop))
          return false;
        rows = loop;
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        stores.push_back(store);
      } else if (!isMemoryEffectFree(&op)) {
        return false;
      }
    }
    return rows && storesMatchResults() && boundsAreOutside() && readsOthers() && jumps();
  }

  void run() {
    OpBuilder builder(columns);
    overColumns(builder, [&](OpBuilder &inner, IRMapping &mapping) {
      for (auto [store, init] : llvm::zip_equal(stores, rows.getInitArgs()))
        storeLike(inner, store, init, mapping);
    });
    auto outer = scf::ForOp::create(builder, rows.getLoc(), rows.getLowerBound(), rows.getUpperBound(), rows.getStep());
    builder.setInsertionPoint(outer.getBody()->getTerminator());
    overColumns(builder, [&](OpBuilder &inner, IRMapping &mapping) {
      mapping.map(rows.getInductionVar(), outer.getInductionVar());
      for (auto [store, carried] : llvm::zip_equal(stores, rows.getRegionIterArgs())) {
        auto indices = llvm::map_to_vector(store.getIndices(), [&](Value i) { return mapping.lookupOrDefault(i); });
        mapping.map(carried, memref::LoadOp::create(inner, store.getLoc(), store.getMemRef(), indices).getResult());
      }
      for (Operation &op : rows.getBody()->without_terminator())
        inner.clone(op, mapping);
      for (auto [store, next] : llvm::zip_equal(stores, rows.getYieldedValues()))
        storeLike(inner, store, next, mapping);
    });
    columns.erase();
  }

private:
  bool storesMatchResults() {
    return stores.size() == rows.getNumResults() && llvm::all_of(llvm::zip(stores, rows.getResults()), [](auto pair) {
             auto [store, result] = pair;
             return store.getValueToStore() == result && result.hasOneUse();
           });
  }

  bool boundsAreOutside() {
    return llvm::all_of(llvm::concat<Value>(SmallVector<Value>{rows.getLowerBound(), rows.getUpperBound()},
                                            SmallVector<Value>(rows.getInitArgs())),
                        [&](Value value) { return columns.isDefinedOutsideOfLoop(value); });
  }

  /// The result holds partial sums, which nothing else may see.
  bool readsOthers() {
    return !columns
                ->walk([&](memref::LoadOp load) {
                  bool isResult = llvm::any_of(
                      stores, [&](memref::StoreOp store) { return store.getMemRef() == load.getMemRef(); });
                  return isResult ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  bool jumps() {
    return rows
        .walk([&](memref::LoadOp load) {
          auto down = coefficientOf(load.getIndices()[0], rows.getInductionVar());
          bool isAlong = runsAlong(load, columns.getInductionVar());
          return isAlong && down != 0 && !runsAlong(load, rows.getInductionVar()) ? WalkResult::interrupt()
                                                                                  : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// A loop over the columns with the index arithmetic of the old one.
  void overColumns(OpBuilder &builder, function_ref<void(OpBuilder &, IRMapping &)> body) {
    auto loop = scf::ForOp::create(builder, columns.getLoc(), columns.getLowerBound(), columns.getUpperBound(),
                                   columns.getStep());
    setSchedule(loop, scheduleOf(columns));
    OpBuilder inner(loop.getBody()->getTerminator());
    IRMapping mapping;
    mapping.map(columns.getInductionVar(), loop.getInductionVar());
    for (Operation &op : columns.getBody()->without_terminator())
      if (!isa<scf::ForOp, memref::StoreOp>(op))
        inner.clone(op, mapping);
    body(inner, mapping);
  }

  static void storeLike(OpBuilder &builder, memref::StoreOp store, Value value, IRMapping &mapping) {
    auto indices = llvm::map_to_vector(store.getIndices(), [&](Value i) { return mapping.lookupOrDefault(i); });
    memref::StoreOp::create(builder, store.getLoc(), mapping.lookupOrDefault(value), store.getMemRef(), indices);
  }

  scf::ForOp columns, rows;
  SmallVector<memref::StoreOp> stores;
};

struct AccumulateRows : quernel::impl::AccumulateRowsBase<AccumulateRows> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::kernel))
      rewriteLoops<Interchange>(getOperation());
  }
};

} // namespace
