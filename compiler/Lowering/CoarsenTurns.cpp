// A thread computes a few rows of a grid where these load what others of them load, too.
//
//   parallel (i, j) in (n, m):                      parallel (i, j) in (n, m) step (4, 1):
//     y[i, j] = x[i, j] + x[i + 1, j]          →      if i + 4 <= n: a = x[i, j], b = x[i + 1, j], c = x[i + 2, j], …
//                                                        y[i, j] = a + b; y[i + 1, j] = b + c; …
//                                                     else: for k in i..n: y[k, j] = x[k, j] + x[k + 1, j]
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include <map>

namespace quernel {
#define GEN_PASS_DEF_COARSENTURNS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Rows that a thread computes.
constexpr int64_t rows = 4;
/// Turns from which on a device is busy when a thread computes several.
constexpr int64_t manyTurns = 1 << 19;
/// Bytes of what all rows load that registers hold.
constexpr int64_t mostBytes = 256;
/// Additions of elements of a turn up to which loads take most of its time.
constexpr int64_t mostWork = 64;

/// An index as a sum of products of up to two values: `i * m + j` and `(i + 1) * m + j - m` are equal as such.
struct Products {
  using Key = std::pair<const void *, const void *>;
  std::map<Key, int64_t> factors;

  static Products of(int64_t number) {
    Products one;
    one.add({nullptr, nullptr}, number);
    return one;
  }

  void add(Key key, int64_t factor) {
    if ((factors[key] += factor) == 0)
      factors.erase(key);
  }

  void add(const Products &other, int64_t scale) {
    for (auto [key, factor] : other.factors)
      add(key, factor * scale);
  }

  bool isNumber() const {
    return llvm::all_of(factors, [](auto &each) { return !each.first.first; });
  }

  bool isLinear() const {
    return llvm::all_of(factors, [](auto &each) { return !each.first.second; });
  }
};

Products productsOf(Value value);

/// The sum that a product of two sums is; nothing where it has products of more than two values.
std::optional<Products> multiply(const Products &a, const Products &b) {
  Products result;
  for (auto [number, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (number->isNumber()) {
      if (!number->factors.empty()) // else it is 0
        result.add(*other, number->factors.begin()->second);
      return result;
    }
  if (!a.isLinear() || !b.isLinear())
    return std::nullopt;
  for (auto [x, factor] : a.factors)
    for (auto [y, other] : b.factors)
      result.add({std::max(x.first, y.first), std::min(x.first, y.first)}, factor * other);
  return result;
}

Products productsOf(Value value) {
  if (auto number = getConstantIntValue(value))
    return Products::of(*number);
  if (Operation *op = value.getDefiningOp()) {
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      Products sum = productsOf(op->getOperand(0));
      sum.add(productsOf(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
      return sum;
    }
    if (isa<arith::MulIOp>(op))
      if (auto product = multiply(productsOf(op->getOperand(0)), productsOf(op->getOperand(1))))
        return *product;
  }
  Products atom;
  atom.add({value.getAsOpaquePointer(), nullptr}, 1);
  return atom;
}

class Coarsener {
public:
  explicit Coarsener(scf::ParallelOp loop) : loop(loop), axis(loop.getNumLoops() - 2) {}

  bool applies() {
    if (getConstantIntValue(loop.getStep()[axis]) != 1 || workOfElements() > mostWork)
      return false;
    llvm::DenseSet<Value> stored;
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto load = dyn_cast<memref::LoadOp>(op);
      auto store = dyn_cast<memref::StoreOp>(op);
      if (load && stored.contains(load.getMemRef()))
        return false;
      if (store)
        stored.insert(store.getMemRef());
      if (!load && !store && (op.getNumRegions() != 0 || !isPure(&op)))
        return false;
    }
    return true;
  }

  /// Makes rows of turns, but leaves the loop as it was where these have no loads in common.
  void run() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto coarse = cast<scf::ParallelOp>(builder.clone(*loop));
    builder.setInsertionPoint(coarse);
    SmallVector<Value> steps(loop.getStep());
    steps[axis] = arith::ConstantIndexOp::create(builder, loc, rows);
    coarse.getStepMutable().assign(steps);
    Value first = coarse.getInductionVars()[axis], upper = coarse.getUpperBound()[axis];
    SmallVector<Operation *> body;
    for (Operation &op : coarse.getBody()->without_terminator())
      body.push_back(&op);
    builder.setInsertionPoint(coarse.getBody()->getTerminator());
    Value count = arith::ConstantIndexOp::create(builder, loc, rows);
    Value end = arith::AddIOp::create(builder, loc, first, count);
    Value areAll = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, upper);
    auto branch = scf::IfOp::create(builder, loc, areAll, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    const Loads loads = jam(builder, body, first);
    const unsigned all = rows * llvm::count_if(body, llvm::IsaPred<memref::LoadOp>);
    if (loads.number >= all || loads.bytes > mostBytes) {
      coarse.erase();
      return;
    }
    builder.setInsertionPointToStart(branch.elseBlock());
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto rest = scf::ForOp::create(builder, loc, first, upper, one);
    IRMapping mapping;
    mapping.map(first, rest.getInductionVar());
    builder.setInsertionPointToStart(rest.getBody());
    for (Operation *op : body)
      builder.clone(*op, mapping);
    for (Operation *op : llvm::reverse(body))
      op->erase();
    loop.erase();
    IRRewriter rewriter(coarse.getContext());
    DominanceInfo dominance(coarse);
    eliminateCommonSubExpressions(rewriter, dominance, coarse);
  }

private:
  struct Loads {
    unsigned number = 0;
    int64_t bytes = 0;
  };

  /// The work of a turn without its indices, of which rows have most in common, and without loads and stores.
  int64_t workOfElements() {
    int64_t work = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      const bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
      work += isIndex || isa<memref::LoadOp, memref::StoreOp>(op) ? 0 : operationWork(op);
    }
    return work;
  }

  /// Computes the rows: all that they load, then what each one computes, then all that they store. What several load
  /// is loaded once.
  Loads jam(OpBuilder &builder, ArrayRef<Operation *> body, Value first) {
    std::map<std::pair<const void *, std::map<Products::Key, int64_t>>, Value> known;
    SmallVector<Operation *> stores;
    for (int64_t row = 0; row < rows; ++row) {
      Location loc = loop.getLoc();
      IRMapping mapping;
      if (row > 0) {
        Value behind = arith::ConstantIndexOp::create(builder, loc, row);
        mapping.map(first, arith::AddIOp::create(builder, first.getLoc(), first, behind).getResult());
      }
      for (Operation *op : body) {
        Operation *copy = builder.clone(*op, mapping);
        if (isa<memref::StoreOp>(copy))
          stores.push_back(copy);
        auto load = dyn_cast<memref::LoadOp>(copy);
        if (!load || load.getIndices().size() != 1)
          continue;
        auto key = std::pair(load.getMemRef().getAsOpaquePointer(), productsOf(load.getIndices()[0]).factors);
        auto [entry, isNew] = known.try_emplace(key, load.getResult());
        if (isNew)
          continue;
        mapping.map(op->getResult(0), entry->second);
        load.erase();
      }
    }
    for (Operation *store : stores)
      store->moveBefore(builder.getInsertionBlock()->getTerminator());
    Loads loads;
    for (auto &[key, value] : known)
      ++loads.number, loads.bytes += value.getType().isIndex() ? 8 : elementBytes(value.getType());
    return loads;
  }

  scf::ParallelOp loop;
  unsigned axis;
};

struct CoarsenTurns : quernel::impl::CoarsenTurnsBase<CoarsenTurns> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel) || lanesOf(getOperation()) > 1 || hasTeams(getOperation()))
      return;
    const Grid grid(getOperation());
    scf::ParallelOp loop = grid.wholeLoop();
    if (!loop || loop.getNumLoops() < 2 || grid.turns().value_or(manyTurns) < manyTurns)
      return;
    if (Coarsener coarsener(loop); coarsener.applies())
      coarsener.run();
  }
};

} // namespace
