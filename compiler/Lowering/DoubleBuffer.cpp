// A loop that computes in a temporary what an array is next, and copies it back, exchanges two arrays instead.
//
//   for t:                                       B = copy of A
//     parallel i: T[i] = f(A[i - 1], A[i + 1])   for t, each second one:
//     parallel i: A[i] = T[i]                      parallel i: B[i] = f(A[i - 1], A[i + 1])
//                                            →     parallel i: A[i] = f(B[i - 1], B[i + 1])
//                                                for the last t, if their number is odd:
//                                                  parallel i: B[i] = f(A[i - 1], A[i + 1])
//                                                  parallel i: A[i] = B[i]
//
// What the loop doesn't store of A is the same in B from the beginning on.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/BufferViews.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {
#define GEN_PASS_DEF_DOUBLEBUFFER
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestTurns = 4;       // that are worth a copy before the loop
constexpr int64_t fewestElements = 4096; // whose copy takes time
constexpr int64_t mostText = 400;        // operations of a turn, which is written three times

/// A statement that copies a temporary of the turn's own, all of it, to a part of an array.
struct Exchange {
  scf::ParallelOp copy;
  memref::AllocOp temporary;
  Value array;
  SmallVector<LinearForm> offsets; // of the part
  Value second = nullptr;          // the array that takes turns with `array`

  /// Whether the temporary has the place of each element that it has in the array.
  bool isWhole() {
    auto type = cast<MemRefType>(array.getType());
    return type.hasStaticShape() && type.getShape() == temporary.getType().getShape() &&
           llvm::all_of(offsets, [](const LinearForm &form) { return form.isConstant() && form.constant == 0; });
  }
};

class TurnsInPlace {
public:
  explicit TurnsInPlace(scf::ForOp loop) : loop(loop) {}

  bool applies() {
    if (isParallelLoop(loop) || isTaskLoop(loop) || loop->getParentOfType<scf::ParallelOp>() ||
        staticTrips(loop).value_or(fewestTurns) < fewestTurns || !hasShortText())
      return false;
    SmallVector<Access> accesses;
    if (failed(collectAccesses(loop, accesses)))
      return false;
    for (scf::ParallelOp statement : loop.getBody()->getOps<scf::ParallelOp>())
      if (auto exchange = copyOf(statement))
        if (isWorthIt(*exchange) && mayExchange(*exchange, accesses) && isNew(*exchange))
          exchanges.push_back(*exchange);
    return !exchanges.empty();
  }

  void run() {
    giveEachUserItsView();
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    if (LinearForm first = LinearForm::of(loop.getLowerBound()), last = LinearForm::of(loop.getUpperBound());
        !isAtMost(first + LinearForm::of(1), last, loop)) {
      Value runs =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
      auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs, /*withElseRegion=*/true);
      SmallVector<Value> inits(loop.getInitArgs());
      loop.replaceAllUsesWith(branch.getResults());
      loop->moveBefore(yieldIn(branch.thenBlock(), {}));
      yieldIn(branch.elseBlock(), inits);
      branch.thenYield()->setOperands(loop.getResults());
      builder.setInsertionPoint(loop);
    }
    for (Exchange &exchange : exchanges)
      makeSecond(builder, exchange);
    Value two = arith::ConstantIndexOp::create(builder, loc, 2), step = loop.getStep();
    Value extent = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), loop.getLowerBound());
    Value turns = builder.createOrFold<arith::CeilDivSIOp>(loc, extent, step);
    Value pairs = builder.createOrFold<arith::DivSIOp>(loc, turns, two);
    Value both = builder.createOrFold<arith::MulIOp>(loc, step, two);
    Value length = builder.createOrFold<arith::MulIOp>(loc, pairs, both);
    Value middle = builder.createOrFold<arith::AddIOp>(loc, loop.getLowerBound(), length);
    scf::ForOp main = makeLoop(builder, loop.getLowerBound(), middle, both, loop.getInitArgs());
    OpBuilder inner = OpBuilder::atBlockEnd(main.getBody());
    SmallVector<Value> state(main.getRegionIterArgs());
    cloneTurn(inner, main.getInductionVar(), state, Turn::there);
    Value next = arith::AddIOp::create(inner, loc, main.getInductionVar(), step);
    next.setLoc(loop.getInductionVar().getLoc());
    cloneTurn(inner, next, state, Turn::back);
    scf::YieldOp::create(inner, loc, state);
    scf::ForOp rest = makeLoop(builder, middle, loop.getUpperBound(), step, main.getResults());
    inner = OpBuilder::atBlockEnd(rest.getBody());
    state.assign(rest.getRegionIterArgs().begin(), rest.getRegionIterArgs().end());
    cloneTurn(inner, rest.getInductionVar(), state, Turn::copied);
    scf::YieldOp::create(inner, loc, state);
    changeSchedule(rest, [](Schedule &schedule) { schedule.maybeEmpty = true; });
    loop.replaceAllUsesWith(rest.getResults());
    loop.erase();
  }

private:
  /// Which array a turn leaves its results in: the second, the first, or the first by a copy.
  enum class Turn { there, back, copied };

  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  bool isOutside(const LinearForm &form) {
    return llvm::all_of(form.terms, [&](const auto &term) { return isOutside(term.first); });
  }

  /// Neither long nor with a check, behind which an argument holds what it then has.
  bool hasShortText() {
    int64_t operations = 0;
    return !loop.walk([&](Operation *op) {
                  const bool isTooMuch = ++operations > mostText || isa<CheckOp>(op);
                  return isTooMuch ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// The buffer behind the views that the loop makes.
  Value behindViews(Value buffer) {
    while (Operation *op = buffer.getDefiningOp()) {
      Value source = loop->isAncestor(op) ? viewedBy(op) : Value();
      if (!source)
        return buffer;
      buffer = source;
    }
    return buffer;
  }

  std::optional<Exchange> copyOf(scf::ParallelOp statement) {
    if (!llvm::hasNItems(statement.getBody()->without_terminator(), 2))
      return std::nullopt;
    auto load = dyn_cast<memref::LoadOp>(statement.getBody()->front());
    auto store = dyn_cast<memref::StoreOp>(*std::next(statement.getBody()->begin()));
    auto temporary = load ? load.getMemRef().getDefiningOp<memref::AllocOp>() : memref::AllocOp();
    if (!store || !temporary || store.getValueToStore() != load.getResult() ||
        temporary->getBlock() != loop.getBody() || load.getIndices() != ValueRange(statement.getInductionVars()) ||
        !goesThroughAll(statement, temporary))
      return std::nullopt;
    Exchange exchange{statement, temporary, behindViews(store.getMemRef()), {}};
    if (!isFrame(exchange.array))
      return std::nullopt;
    Access access{store, store.getMemRef(), SmallVector<LinearForm>(), true};
    for (Value index : store.getIndices())
      access.indices->push_back(LinearForm::of(index));
    Element element = resolveElement(access);
    if (element.subscripts.size() != statement.getNumLoops())
      return std::nullopt;
    for (auto [subscript, counter] : llvm::zip_equal(element.subscripts, statement.getInductionVars())) {
      if (!subscript)
        return std::nullopt;
      LinearForm offset = *subscript - LinearForm::of(counter);
      if (!isOutside(offset))
        return std::nullopt;
      exchange.offsets.push_back(offset);
    }
    return exchange;
  }

  bool goesThroughAll(scf::ParallelOp statement, memref::AllocOp array) {
    MemRefType type = array.getType();
    if (!type.getLayout().isIdentity() || type.getRank() != statement.getNumLoops())
      return false;
    auto dynamic = array.getDynamicSizes();
    for (auto [axis, size] : llvm::enumerate(type.getShape())) {
      OpFoldResult known = OpBuilder(loop).getIndexAttr(size);
      if (ShapedType::isDynamic(size)) {
        known = dynamic.front();
        dynamic = dynamic.drop_front();
        if (!isOutside(cast<Value>(known)))
          return false;
      }
      if (getConstantIntValue(statement.getLowerBound()[axis]) != 0 ||
          getConstantIntValue(statement.getStep()[axis]) != 1 ||
          !isEqualConstantIntOrValue(known, OpFoldResult(statement.getUpperBound()[axis])))
        return false;
    }
    return true;
  }

  /// An array of the program's, or the caller's in C order, by its shape.
  bool isFrame(Value array) {
    if (!isOutside(array))
      return false;
    if (array.getDefiningOp<memref::AllocOp>())
      return true;
    auto frame = array.getDefiningOp<memref::ReinterpretCastOp>();
    if (!frame || !isa<BlockArgument>(frame.getSource()))
      return false;
    auto type = cast<MemRefType>(frame.getType());
    return type.hasStaticShape() &&
           memref::CastOp::areCastCompatible(MemRefType::get(type.getShape(), type.getElementType()), type);
  }

  static bool isWorthIt(Exchange &exchange) {
    MemRefType type = exchange.temporary.getType();
    return !type.hasStaticShape() || type.getNumElements() >= fewestElements;
  }

  bool isNew(Exchange &exchange) {
    return llvm::none_of(exchanges, [&](Exchange &other) {
      return bufferBehind(other.array) == bufferBehind(exchange.array) || other.temporary == exchange.temporary;
    });
  }

  /// Whether nothing but the copy stores to the array, which nobody knows by another view, and nothing stores to the
  /// temporary behind the copy.
  bool mayExchange(Exchange &exchange, ArrayRef<Access> accesses) {
    for (const Access &access : accesses) {
      Value base = behindViews(access.buffer);
      if (bufferBehind(base) != bufferBehind(exchange.array))
        continue;
      if (base != exchange.array || (access.isStore && !exchange.copy->isAncestor(access.op)))
        return false;
    }
    return llvm::all_of(exchange.temporary->getUsers(), [&](Operation *user) {
      if (auto store = dyn_cast<memref::StoreOp>(user))
        return store.getValueToStore() != exchange.temporary.getResult() && isBefore(user, exchange.copy);
      if (isa<UnrealizedConversionCastOp>(user))
        return exchange.isWhole() && exchange.array.getDefiningOp<memref::AllocOp>() &&
               user->getBlock() == loop.getBody() &&
               llvm::all_of(user->getUsers(), [&](Operation *call) { return isBefore(call, exchange.copy); });
      return isa<memref::LoadOp, memref::DeallocOp>(user);
    });
  }

  bool isBefore(Operation *op, Operation *copy) {
    Operation *top = loop.getBody()->findAncestorOpInBlock(*op);
    return top && top->isBeforeInBlock(copy);
  }

  /// A view that is used before and behind a copy is one of two arrays.
  void giveEachUserItsView() {
    SmallVector<Operation *> views;
    for (Operation &op : loop.getBody()->without_terminator())
      if (viewedBy(&op))
        views.push_back(&op);
    for (Operation *view : llvm::reverse(views)) {
      for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
        Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
        OpBuilder builder(user);
        use.set(builder.clone(*view)->getResult(0));
      }
      view->erase();
    }
  }

  static Operation *yieldIn(Block *block, ValueRange values) {
    if (block->mightHaveTerminator()) // as branches without results have
      return block->getTerminator();
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    return scf::YieldOp::create(builder, block->getParentOp()->getLoc(), values);
  }

  void makeSecond(OpBuilder &builder, Exchange &exchange) {
    Location loc = exchange.copy.getLoc();
    auto type = cast<MemRefType>(exchange.array.getType());
    SmallVector<OpFoldResult> sizes = resolveBuffer(builder, loc, exchange.array).sizes;
    SmallVector<Value> dynamic;
    for (auto [known, size] : llvm::zip_equal(type.getShape(), sizes))
      if (ShapedType::isDynamic(known))
        dynamic.push_back(cast<Value>(size));
    exchange.second = memref::AllocOp::create(builder, exchange.temporary.getLoc(),
                                              MemRefType::get(type.getShape(), type.getElementType()), dynamic);
    if (exchange.second.getType() != type)
      exchange.second = memref::CastOp::create(builder, loc, type, exchange.second);
    if (exchange.isWhole())
      return;
    SmallVector<Value> zeros(sizes.size(), arith::ConstantIndexOp::create(builder, loc, 0)), ends,
        ones(sizes.size(), arith::ConstantIndexOp::create(builder, loc, 1));
    for (OpFoldResult size : sizes)
      ends.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    auto copy = scf::ParallelOp::create(builder, loc, zeros, ends, ones,
                                        [&](OpBuilder &inner, Location loc, ValueRange counters) {
                                          Value loaded = memref::LoadOp::create(inner, loc, exchange.array, counters);
                                          memref::StoreOp::create(inner, loc, loaded, exchange.second, counters);
                                        });
    setSchedule(copy, scheduleOf(exchange.copy));
    for (auto [old, fresh] : llvm::zip_equal(exchange.copy.getInductionVars(), copy.getInductionVars()))
      fresh.setLoc(old.getLoc());
  }

  scf::ForOp makeLoop(OpBuilder &builder, Value lower, Value upper, Value step, ValueRange inits) {
    auto made = scf::ForOp::create(builder, loop.getLoc(), lower, upper, step, inits,
                                   [](OpBuilder &, Location, Value, ValueRange) {});
    made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    keepNames(loop, made);
    setSchedule(made, scheduleOf(loop));
    return made;
  }

  /// Clones a turn that begins with `state`, and leaves there what it hands on.
  void cloneTurn(OpBuilder &builder, Value counter, SmallVectorImpl<Value> &state, Turn turn) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), counter);
    mapping.map(loop.getRegionIterArgs(), state);
    for (Exchange &exchange : exchanges) {
      Value from = exchange.array, to = exchange.second;
      if (turn == Turn::back)
        std::swap(from, to);
      mapping.map(exchange.array, from);
      mapping.map(exchange.temporary.getResult(), partOf(builder, exchange, to));
    }
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto ended = llvm::find_if(exchanges, [&](Exchange &exchange) { return exchange.copy == &op; });
      if (ended != exchanges.end() && turn != Turn::copied) {
        mapping.map(ended->array, turn == Turn::there ? ended->second : ended->array);
        continue;
      }
      const bool isMemory = llvm::any_of(exchanges, [&](Exchange &exchange) {
        return exchange.temporary == &op ||
               (isa<memref::DeallocOp>(op) && op.getOperand(0) == exchange.temporary.getResult());
      });
      if (isMemory)
        continue;
      Operation *copy = builder.clone(op, mapping);
      if (turn != Turn::copied && storesTemporary(op))
        explain(copy);
    }
    for (auto [value, result] : llvm::zip_equal(state, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(result);
  }

  bool storesTemporary(Operation &op) {
    return op
        .walk([&](memref::StoreOp store) {
          bool isOne = llvm::any_of(
              exchanges, [&](Exchange &exchange) { return store.getMemRef() == exchange.temporary.getResult(); });
          return isOne ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void explain(Operation *op) {
    StatementAttr known = statementAt(op->getLoc());
    if (!known)
      return;
    MLIRContext *context = op->getContext();
    SmallVector<Attribute> decisions;
    if (known.getDecisions())
      llvm::append_range(decisions, known.getDecisions());
    decisions.push_back(StringAttr::get(context, "two arrays take turns in place of a temporary that is copied back"));
    auto statement = StatementAttr::get(context, known.getName(), known.getOps(), known.getTypes(), known.getSweep(),
                                        ArrayAttr::get(context, decisions));
    op->setLoc(FusedLoc::get(context, {op->getLoc()}, statement));
  }

  /// The part of an array that has the temporary's place.
  Value partOf(OpBuilder &builder, Exchange &exchange, Value array) {
    if (exchange.isWhole())
      return array;
    Location loc = exchange.copy.getLoc();
    SmallVector<OpFoldResult> offsets, ones(exchange.offsets.size(), builder.getIndexAttr(1));
    for (const LinearForm &form : exchange.offsets)
      offsets.push_back(getAsOpFoldResult(valueOf(builder, loc, form)));
    return memref::SubViewOp::create(builder, loc, array, offsets, exchange.temporary.getMixedSizes(), ones);
  }

  scf::ForOp loop;
  SmallVector<Exchange> exchanges;
};

struct DoubleBuffer : quernel::impl::DoubleBufferBase<DoubleBuffer> {
  void runOnOperation() override { rewriteLoops<TurnsInPlace>(getOperation()); }
};

} // namespace
