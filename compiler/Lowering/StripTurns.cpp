// Turns that each go through the same large arrays do so together, piece by piece, while a piece is in the cache.
//
//   parallel for i:                            for i0, step 16:
//     parallel p: part[p] = f(i, x[piece p])     parallel p: for b: part[b, p] = f(i0 + b, x[piece p])
//     out[i] = g(part)                     →     parallel for b: out[i0 + b] = g(part[b])
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_STRIPTURNS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t turnsAtOnce = 16;
constexpr int64_t mostText = 200; // operations of a turn; with more of them, reading is a small part of its time

class Strip {
public:
  explicit Strip(scf::ForOp turns) : turns(turns) {}

  /// Whether the first statement of a turn reads large arrays, the same in all turns, and gives the rest of the turn a
  /// few numbers, in memory of the turn's own.
  bool applies() {
    if (!isParallelLoop(turns) || turns.getNumResults() > 0 || getConstantIntValue(turns.getStep()) != 1 ||
        staticTrips(turns).value_or(2 * turnsAtOnce) < 2 * turnsAtOnce)
      return false;
    for (Operation &op : turns.getBody()->without_terminator()) {
      if (auto found = dyn_cast<scf::ParallelOp>(op)) {
        statement = found;
        break;
      }
      const bool isNumber = op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<memref::LoadOp>(op));
      if (!isNumber && !isa<memref::AllocaOp>(op))
        return false;
    }
    return statement && boundsAreOutside() && hasNoWayOut() && storesOwnMemory() && readsTheSame();
  }

  void run() {
    OpBuilder builder(turns);
    Location loc = turns.getLoc();
    Value width = arith::ConstantIndexOp::create(builder, loc, turnsAtOnce);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = turns.getStep();
    auto strips = scf::ForOp::create(builder, loc, turns.getLowerBound(), turns.getUpperBound(), width);
    strips.getInductionVar().setLoc(turns.getInductionVar().getLoc());
    Schedule serial = scheduleOf(turns), together = serial;
    serial.order = TurnOrder::sequential;
    setSchedule(strips, serial);
    builder.setInsertionPoint(strips.getBody()->getTerminator());
    first = strips.getInductionVar();
    Value left = arith::SubIOp::create(builder, loc, turns.getUpperBound(), first);
    Value count = arith::MinSIOp::create(builder, loc, left, width);
    IRMapping arrays;
    for (memref::AllocaOp own : owns) {
      SmallVector<int64_t> shape{turnsAtOnce};
      llvm::append_range(shape, own.getType().getShape());
      auto type = MemRefType::get(shape, own.getType().getElementType());
      arrays.map(own.getResult(), memref::AllocOp::create(builder, own.getLoc(), type).getResult());
    }
    makeStatement(builder, zero, count, one, arrays);
    // What is left of the turns.
    auto rest = scf::ForOp::create(builder, loc, zero, count, one);
    rest.getInductionVar().setLoc(turns.getInductionVar().getLoc());
    setSchedule(rest, together);
    builder.setInsertionPoint(rest.getBody()->getTerminator());
    IRMapping mapping = turnOf(builder, rest.getInductionVar(), arrays);
    for (Operation &op : turns.getBody()->without_terminator())
      if (&op != statement.getOperation() && !isOwn(&op))
        clone(builder, op, rest.getInductionVar(), mapping);
    turns.erase();
    remaining = rest;
  }

  scf::ForOp remaining;

private:
  bool isOwn(Operation *op) { return llvm::is_contained(owns, op); }

  bool boundsAreOutside() {
    auto isOutside = [&](Value value) { return turns.isDefinedOutsideOfLoop(value); };
    return llvm::all_of(statement.getLowerBound(), isOutside) && llvm::all_of(statement.getUpperBound(), isOutside) &&
           llvm::all_of(statement.getStep(), isOutside);
  }

  /// Neither a check, before which nothing of later turns may be done, nor a call.
  bool hasNoWayOut() {
    int64_t operations = 0;
    bool hasWayOut =
        turns
            .walk([&](Operation *op) {
              ++operations;
              return isa<CheckOp, func::CallOp, scf::WhileOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted();
    return !hasWayOut && operations <= mostText;
  }

  bool storesOwnMemory() {
    SmallVector<memref::StoreOp> stores;
    statement.walk([&](memref::StoreOp store) { stores.push_back(store); });
    for (memref::StoreOp store : stores) {
      auto own = store.getMemRef().getDefiningOp<memref::AllocaOp>();
      if (!own || own->getBlock() != turns.getBody())
        return false;
      if (isOwn(own))
        continue;
      bool isPlain = own.getType().hasStaticShape() && own.getType().getLayout().isIdentity() &&
                     llvm::all_of(own->getUsers(), [](Operation *user) {
                       return isa<memref::LoadOp>(user) ||
                              (isa<memref::StoreOp>(user) && user->getOperand(0) != user->getOperand(1));
                     });
      if (!isPlain)
        return false;
      owns.push_back(own);
    }
    return !owns.empty();
  }

  /// Whether what the statement reads at the same places in all turns is more than the cache holds.
  bool readsTheSame() {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(statement, accesses)))
      return false;
    llvm::MapVector<Value, bool> arrays; // whether all turns read the same elements
    for (const Access &access : accesses) {
      Element element = resolveElement(access);
      if (!element.root)
        return false;
      bool isSame = llvm::all_of(element.subscripts, [&](const std::optional<LinearForm> &subscript) {
        return subscript && llvm::all_of(subscript->terms, [&](auto term) { return isSameInAllTurns(term.first); });
      });
      auto [entry, isNew] = arrays.try_emplace(element.root, isSame);
      entry->second &= isSame;
    }
    double bytes = 0;
    for (auto [array, isSame] : arrays)
      if (auto type = dyn_cast<MemRefType>(array.getType()); isSame && type && !isOwn(array.getDefiningOp()))
        bytes += bytesOf(array);
    return bytes > static_cast<double>(targetOf(turns).cacheBytes);
  }

  /// A counter of the statement's own, or a number from outside of the turns.
  bool isSameInAllTurns(Value value) {
    if (turns.isDefinedOutsideOfLoop(value))
      return true;
    auto counter = dyn_cast<BlockArgument>(value);
    return counter && statement->isAncestor(counter.getOwner()->getParentOp());
  }

  /// Of the elements that the statement goes through, as far as sizes are known; unknown ones are many.
  double bytesOf(Value array) {
    auto type = cast<MemRefType>(array.getType());
    double bytes = static_cast<double>(elementBytes(type.getElementType()));
    for (int64_t size : type.getShape())
      bytes *= static_cast<double>(ShapedType::isDynamic(size) ? targetOf(turns).cacheBytes : size);
    return bytes;
  }

  /// The numbers that a turn of the strip begins with.
  IRMapping turnOf(OpBuilder &builder, Value number, const IRMapping &arrays) {
    IRMapping mapping = arrays;
    Value turn = arith::AddIOp::create(builder, turns.getLoc(), first, number);
    mapping.map(turns.getInductionVar(), turn);
    return mapping;
  }

  /// Clones an operation, which finds the turn's own memory in the row `number` of the strip's.
  void clone(OpBuilder &builder, Operation &op, Value number, IRMapping &mapping) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](Operation *inner) {
      auto load = dyn_cast<memref::LoadOp>(inner);
      auto store = dyn_cast<memref::StoreOp>(inner);
      Value memory = load ? load.getMemRef() : store ? store.getMemRef() : Value();
      if (!memory ||
          !llvm::any_of(owns, [&](memref::AllocaOp own) { return mapping.lookup(own.getResult()) == memory; }))
        return;
      MutableOperandRange indices = load ? load.getIndicesMutable() : store.getIndicesMutable();
      SmallVector<Value> all{number};
      for (OpOperand &index : indices)
        all.push_back(index.get());
      indices.assign(all);
    });
  }

  void makeStatement(OpBuilder &builder, Value zero, Value count, Value one, const IRMapping &arrays) {
    auto made =
        scf::ParallelOp::create(builder, statement.getLoc(), statement.getLowerBound(), statement.getUpperBound(),
                                statement.getStep(), function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(made, scheduleOf(statement));
    OpBuilder inner(made.getBody()->getTerminator());
    auto loop = scf::ForOp::create(inner, statement.getLoc(), zero, count, one);
    loop.getInductionVar().setLoc(turns.getInductionVar().getLoc());
    inner.setInsertionPoint(loop.getBody()->getTerminator());
    IRMapping mapping = turnOf(inner, loop.getInductionVar(), arrays);
    for (Operation &op : turns.getBody()->without_terminator()) {
      if (&op == statement.getOperation())
        break;
      if (!isa<memref::AllocaOp>(op))
        inner.clone(op, mapping);
    }
    for (auto [old, fresh] : llvm::zip_equal(statement.getInductionVars(), made.getInductionVars())) {
      mapping.map(old, fresh);
      fresh.setLoc(old.getLoc());
    }
    for (Operation &op : statement.getBody()->without_terminator())
      clone(inner, op, loop.getInductionVar(), mapping);
  }

  scf::ForOp turns;
  scf::ParallelOp statement;
  SmallVector<memref::AllocaOp> owns; // memory of a turn that the statement stores into
  Value first;                        // turn of the strip
};

struct StripTurns : quernel::impl::StripTurnsBase<StripTurns> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isa<func::FuncOp>(loop->getParentOp()))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      // What is left of the turns may begin with such a statement again.
      for (scf::ForOp next = loop; next;) {
        Strip strip(next);
        if (strip.applies())
          strip.run();
        next = strip.remaining;
      }
  }
};

} // namespace
