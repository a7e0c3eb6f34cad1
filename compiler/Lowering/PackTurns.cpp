// Threads of elementwise kernels load and store 16 bytes at once.
//
//   parallel (i) in (n): y[i] = x[i] + 1
//   →
//   whole = pack_turns n by 4 of x, y
//   parallel (i) in (whole) step 4: x4 = x[i .. i + 4]; for k in 4: y4[k] = x4[k] + 1; y[i .. i + 4] = y4
//   parallel (i) in (whole .. n): y[i] = x[i] + 1
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Recompute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_PACKTURNS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Bytes that a thread loads or stores at once.
constexpr int64_t packBytes = 16;
/// Turns of a row from which on packs pay.
constexpr int64_t fewestTurns = 64;
/// Additions of a turn up to which loads take most of its time.
constexpr int64_t mostWork = 64;

/// A load or store of an element along memory.
struct Access {
  Operation *op;
  Value array;
  /// Where the turn 0 along x has its element.
  LinearForm first;
  /// How far apart the elements of two turns are, where only the run knows whether that is 1.
  Value stride;
};

class Packer {
public:
  explicit Packer(scf::ParallelOp loop) : loop(loop), x(loop.getInductionVars().back()) {}

  bool applies() {
    const unsigned last = loop.getNumLoops() - 1;
    if (getConstantIntValue(loop.getLowerBound()[last]) != 0 || getConstantIntValue(loop.getStep()[last]) != 1)
      return false;
    auto turns = getConstantIntValue(loop.getUpperBound()[last]);
    if ((turns && *turns < fewestTurns) || blockWork(*loop.getBody()) > mostWork)
      return false;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!addOperation(op))
        return false;
    if (accesses.empty() || !storesLast())
      return false;
    int64_t widest = 1;
    for (const Access &access : accesses)
      widest = std::max(widest, elementBytes(elementOf(access)));
    lanes = packBytes / widest;
    return lanes > 1 && llvm::all_of(accesses, [&](const Access &access) { return mayBeAligned(access); });
  }

  void run() {
    OpBuilder builder(loop);
    const unsigned last = loop.getNumLoops() - 1;
    Value upper = loop.getUpperBound()[last];
    IRMapping mapping;
    if (last > 0)
      builder.setInsertionPointToStart(outerLoop(builder, mapping).getBody());
    Location loc = loop.getLoc();
    SmallVector<Value> arrays, firsts;
    for (auto [number, access] : llvm::enumerate(accesses)) {
      const bool isKnown = llvm::any_of(ArrayRef(accesses).take_front(number), [&](const Access &other) {
        return other.array == access.array && other.first == access.first;
      });
      if (isKnown)
        continue;
      arrays.push_back(access.array);
      firsts.push_back(firstOf(builder, access, mapping));
    }
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
    Value whole = PackTurnsOp::create(builder, named("whole"), builder.getIndexType(),
                                      turnsAlong(builder, upper, zero, one), lanes, arrays, firsts);
    Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
    scf::ParallelOp packs = alongX(builder, zero, whole, step);
    setSchedule(packs, {.vector = VectorForm::parallel});
    fillPacks(packs, mapping, zero, one, step);
    scf::ParallelOp rest = alongX(builder, whole, upper, one);
    IRMapping inRest(mapping);
    inRest.map(x, rest.getInductionVars().front());
    OpBuilder inside = OpBuilder::atBlockBegin(rest.getBody());
    for (Operation &op : loop.getBody()->without_terminator())
      inside.clone(op, inRest);
    loop.erase();
  }

private:
  static Type elementOf(const Access &access) { return cast<MemRefType>(access.array.getType()).getElementType(); }

  /// Notes what an operation of a turn loads or stores; false where packs can't do so.
  bool addOperation(Operation &op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!load && !store)
      return isMemoryEffectFree(&op) &&
             !op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    Value array = load ? load.getMemRef() : store.getMemRef();
    auto indices = load ? load.getIndices() : store.getIndices();
    if (indices.size() != 1 || !loop.isDefinedOutsideOfLoop(array))
      return false;
    auto steps = coefficientOf(indices[0], x);
    if (load && steps == 0)
      return true;
    Access access = {&op, array, LinearForm::of(indices[0]), Value()};
    if (steps == 1)
      access.first.add(LinearForm::of(x), -1);
    else if (!steps)
      access.stride = takeStride(access.first);
    const bool isAlong = steps == 1 || access.stride;
    if (!isAlong || !llvm::all_of(access.first.terms, [&](auto &term) { return followsFromOutside(term.first); }))
      return false;
    accesses.push_back(access);
    return true;
  }

  /// What x is multiplied by in a sum, which loses that term; null where it isn't one number from outside.
  Value takeStride(LinearForm &sum) {
    for (auto [term, factor] : sum.terms) {
      auto product = term.getDefiningOp<arith::MulIOp>();
      if (!product || factor != 1 || !llvm::is_contained(product->getOperands(), x))
        continue;
      Value stride = product.getLhs() == x ? product.getRhs() : product.getLhs();
      if (!loop.isDefinedOutsideOfLoop(stride))
        return {};
      sum.add(LinearForm::of(term), -1);
      return stride;
    }
    return {};
  }

  /// Whether a number is computed from what is outside of the loop and from its outer counters.
  bool followsFromOutside(Value value) {
    if (value == x)
      return false;
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isProperAncestor(op))
      return true;
    return op->getNumRegions() == 0 && isPure(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return followsFromOutside(operand); });
  }

  /// Whether no turn loads from an array that it has stored to: then all loads of a pack may come first, and all
  /// stores last. No turn touches what another one stores.
  bool storesLast() {
    llvm::DenseSet<Value> stored;
    for (Operation &op : *loop.getBody()) {
      auto load = dyn_cast<memref::LoadOp>(op);
      if (load && stored.contains(load.getMemRef()))
        return false;
      if (auto store = dyn_cast<memref::StoreOp>(op))
        stored.insert(store.getMemRef());
    }
    return true;
  }

  /// Whether the element of turn 0 may lie at the beginning of a pack in every row, if the array does.
  bool mayBeAligned(const Access &access) {
    return access.first.constant % lanes == 0 && llvm::all_of(access.first.terms, [&](auto &term) {
             return !llvm::is_contained(loop.getInductionVars(), term.first) || term.second % lanes == 0;
           });
  }

  /// The loop over the axes around x.
  scf::ParallelOp outerLoop(OpBuilder &builder, IRMapping &mapping) {
    auto outer = scf::ParallelOp::create(builder, loop.getLoc(), loop.getLowerBound().drop_back(),
                                         loop.getUpperBound().drop_back(), loop.getStep().drop_back(),
                                         function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(outer, scheduleOf(loop));
    for (auto [counter, before] : llvm::zip(outer.getInductionVars(), loop.getInductionVars())) {
      counter.setLoc(before.getLoc());
      mapping.map(before, counter);
    }
    return outer;
  }

  /// A loop over turns along x.
  scf::ParallelOp alongX(OpBuilder &builder, Value lower, Value upper, Value step) {
    auto made = scf::ParallelOp::create(builder, loop.getLoc(), ValueRange(lower), ValueRange(upper), ValueRange(step),
                                        function_ref<void(OpBuilder &, Location, ValueRange)>());
    made.getInductionVars().front().setLoc(x.getLoc());
    return made;
  }

  /// All turns, or none where the elements of an access aren't beside each other.
  Value turnsAlong(OpBuilder &builder, Value all, Value none, Value one) {
    Location loc = loop.getLoc();
    llvm::SetVector<Value> strides;
    for (const Access &access : accesses)
      if (access.stride)
        strides.insert(access.stride);
    Value areUnit;
    for (Value stride : strides) {
      Value isUnit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, stride, one);
      areUnit = areUnit ? arith::AndIOp::create(builder, loc, areUnit, isUnit).getResult() : isUnit;
    }
    return areUnit ? arith::SelectOp::create(builder, loc, areUnit, all, none).getResult() : all;
  }

  Value firstOf(OpBuilder &builder, const Access &access, IRMapping &mapping) {
    LinearForm form = LinearForm::of(access.first.constant);
    for (auto [term, factor] : access.first.terms)
      form.add(LinearForm::of(recompute(builder, term, loop, mapping)), factor);
    return valueOf(builder, access.op->getLoc(), form);
  }

  /// `x4` for an array `x`.
  Location packName(const Access &access) {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    auto argument = dyn_cast<BlockArgument>(withoutCasts(access.array));
    StringAttr name = argument && argument.getOwner() == &kernel.getBody().front()
                          ? argumentOf(kernel, argument.getArgNumber()).name
                          : StringAttr();
    return NameLoc::get(StringAttr::get(kernel.getContext(), (name ? name.getValue() : "pack") + Twine(lanes)),
                        access.op->getLoc());
  }

  /// Loads all packs, computes their turns one after the other, and stores all packs.
  void fillPacks(scf::ParallelOp packs, const IRMapping &outside, Value zero, Value one, Value step) {
    Location loc = loop.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(packs.getBody());
    IRMapping atFirst(outside);
    atFirst.map(x, packs.getInductionVars().front());
    llvm::DenseMap<Operation *, Value> own, places;
    for (const Access &access : accesses) {
      Value index = isa<memref::LoadOp>(access.op) ? access.op->getOperand(1) : access.op->getOperand(2);
      places[access.op] = recompute(builder, index, loop, atFirst);
      own[access.op] = memref::AllocaOp::create(builder, packName(access), MemRefType::get({lanes}, elementOf(access)),
                                                builder.getI64IntegerAttr(lanes * elementBytes(elementOf(access))));
      if (isa<memref::LoadOp>(access.op))
        CopyPackOp::create(builder, access.op->getLoc(), lanes, access.array, places[access.op], own[access.op], zero);
    }
    auto turns = scf::ForOp::create(builder, loc, zero, step, one);
    setSchedule(turns, {.order = TurnOrder::parallel, .vector = VectorForm::parallel});
    Value k = turns.getInductionVar();
    OpBuilder inside = OpBuilder::atBlockBegin(turns.getBody());
    IRMapping atTurn(outside);
    atTurn.map(x, arith::AddIOp::create(inside, loc, packs.getInductionVars().front(), k).getResult());
    for (Operation &op : loop.getBody()->without_terminator()) {
      Value pack = own.lookup(&op);
      if (!pack)
        inside.clone(op, atTurn);
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        memref::StoreOp::create(inside, op.getLoc(), atTurn.lookupOrDefault(store.getValueToStore()), pack, k);
      else
        atTurn.map(op.getResult(0), memref::LoadOp::create(inside, op.getLoc(), pack, k).getResult());
    }
    dropDead(*turns.getBody());
    for (const Access &access : accesses)
      if (isa<memref::StoreOp>(access.op))
        CopyPackOp::create(builder, access.op->getLoc(), lanes, own[access.op], zero, access.array, places[access.op]);
  }

  /// Indices of what is in packs now.
  static void dropDead(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  scf::ParallelOp loop;
  Value x;
  SmallVector<Access> accesses;
  int64_t lanes = 1;
};

struct PackTurns : quernel::impl::PackTurnsBase<PackTurns> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel) || lanesOf(getOperation()) > 1)
      return;
    scf::ParallelOp loop = Grid(getOperation()).wholeLoop();
    if (!loop)
      return;
    if (Packer packer(loop); packer.applies())
      packer.run();
  }
};

} // namespace
