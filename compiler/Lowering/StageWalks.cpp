// Loops that hand on numbers, whose turns of the grid each walk along memory, get their elements from tiles in shared
// memory, which the threads of a warp load and store side by side.
//
//   parallel p:                                  parallel p0 step 32: p = p0 + lane
//     for k from lower(p): s += x[k]               for chunk of 32 elements:
//                          y[k] = s                  each of 32 pieces: lanes load x along the piece into its row
//                                            →       join
//                                                    for c in chunk: s += row[p][c]; row[p][c] = s
//                                                    join
//                                                    each of 32 pieces: lanes store its row along y
//
// What a turn of the loop computes of memory alone is computed where tiles are filled, by the lane that has the
// element, and what is stored follows from the tiles again. The numbers that are handed on go through the same
// operations in the same order, so that no bit changes.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_STAGEWALKS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t segmentBytes = 128;         // that a warp loads at once
constexpr int64_t fewestElements = 16;        // of a row of a tile, and of a walk that is worth tiles
constexpr int64_t mostBytes = blockBytes / 2; // of a warp's tiles
constexpr int64_t rowsAtOnce = 8;             // of a lane: their loads hide the way to memory
constexpr int64_t nearby = 2;                 // elements between neighbours that a warp still loads together

bool isNumber(Value value) { return value.getType().isIntOrIndexOrFloat(); }
int64_t bytesOf(Value value) { return elementBytes(value.getType()); }
Type keptType(Type type) { return type.isIndex() ? Type(IntegerType::get(type.getContext(), 64)) : type; }

void keep(OpBuilder &builder, Value value, Value memory, Value place) {
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(builder, value.getLoc(), builder.getI64Type(), value);
  memref::StoreOp::create(builder, value.getLoc(), value, memory, place);
}

Value kept(OpBuilder &builder, Value value, Value memory, Value place) {
  Value loaded = memref::LoadOp::create(builder, value.getLoc(), memory, place);
  if (value.getType().isIndex())
    loaded = arith::IndexCastOp::create(builder, value.getLoc(), builder.getIndexType(), loaded);
  return loaded;
}

/// An operation that loads or stores an element.
struct Access {
  Operation *op;
  Value buffer, index;
  bool isStore;
};

class Walk {
public:
  Walk(func::FuncOp kernel, scf::ParallelOp grid, scf::ForOp loop)
      : kernel(kernel), grid(grid), loop(loop), x(grid.getInductionVars().back()), builder(loop) {}

  bool applies() {
    const Schedule schedule = scheduleOf(loop);
    return loop.getNumRegionIterArgs() > 0 && schedule.order == TurnOrder::sequential &&
           schedule.vector == VectorForm::none && getConstantIntValue(loop.getStep()) == 1 &&
           getConstantIntValue(grid.getLowerBound().back()) == 0 && getConstantIntValue(grid.getStep().back()) == 1 &&
           llvm::all_of(loop.getRegionIterArgs(), isNumber) && collectAccesses() && isLong() && jumps() &&
           splitTurn() && mayMoveStores() && hasRoom();
  }

  void run() {
    beginRows();
    Location loc = loop.getLoc();
    Value zero = index(0);
    auto chunks = scf::ForOp::create(builder, loc, zero, spanOf(), index(width), loop.getInitArgs());
    keepNames(loop, chunks);
    chunks.getInductionVar().setLoc(named("chunk"));
    head.setInsertionPoint(chunks);
    builder.setInsertionPointToStart(chunks.getBody());
    Value chunk = chunks.getInductionVar();
    join();
    if (!given.empty()) {
      fill(chunk);
      join();
    }
    SmallVector<Value> next = walk(chunk, chunks.getRegionIterArgs());
    if (!afterOps.empty()) {
      join();
      storeElements(chunk);
    }
    scf::YieldOp::create(builder, loc, next);
    if (firstKept) {
      builder.setInsertionPoint(firstKept);
      join();
    }
    loop.replaceAllUsesWith(chunks.getResults());
    loop.erase();
  }

private:
  Location named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), loop.getLoc()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loop.getLoc(), value); }
  void join() { JoinLanesOp::create(builder, loop.getLoc(), threadsOfWarp); }

  /// The operation of a turn that gives a value; null for what comes from outside.
  Operation *opOf(Value value) {
    Operation *op = value.getDefiningOp();
    return op ? loop.getBody()->findAncestorOpInBlock(*op) : nullptr;
  }

  /// The loads and stores of the grid's turns. False where a turn does anything else to memory, or stores outside of
  /// the loop but at its end.
  bool collectAccesses() {
    bool isPlain = true;
    grid.getBody()->walk([&](Operation *op) {
      isPlain &= llvm::all_of(op->getResults(), isNumber);
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        isPlain &= load.getIndices().size() == 1;
        if (isPlain)
          accesses.push_back({op, withoutCasts(load.getMemRef()), load.getIndices()[0], false});
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        const bool isInLoop = loop->isAncestor(op);
        isPlain &= store.getIndices().size() == 1 &&
                   (isInLoop || (op->getBlock() == grid.getBody() && loop->isBeforeInBlock(op)));
        if (isPlain)
          accesses.push_back({op, withoutCasts(store.getMemRef()), store.getIndices()[0], true});
      } else if (!isa<scf::ReduceOp>(op)) {
        isPlain &= isMemoryEffectFree(op) || isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
      }
    });
    return isPlain;
  }

  /// How many elements a turn of the grid walks along at most, where that is the same for all of them.
  bool isLong() {
    if (auto most = greatestRange(loop.getLowerBound(), loop.getUpperBound())) {
      span = *most;
      return *most >= fewestElements;
    }
    return grid.isDefinedOutsideOfLoop(loop.getLowerBound()) && grid.isDefinedOutsideOfLoop(loop.getUpperBound());
  }

  Value spanOf() {
    if (span)
      return index(*span);
    return arith::SubIOp::create(builder, loop.getLoc(), loop.getUpperBound(), loop.getLowerBound());
  }

  /// Whether a turn of the grid goes along memory where its neighbours are far away, and nothing is the other way
  /// round.
  bool jumps() {
    bool anyJumps = false;
    for (const Access &access : accesses) {
      if (!loop->isAncestor(access.op))
        continue;
      auto along = coefficientOf(access.index, loop.getInductionVar()), across = coefficientOf(access.index, x);
      const bool isNear = across && std::abs(*across) <= nearby;
      if (!along || along == 0)
        continue;
      if (isNear && across != 0 && std::abs(*along) > nearby)
        return false;
      anyJumps |= !isNear && std::abs(*along) <= nearby;
    }
    return anyJumps;
  }

  /// Finds out which operations of a turn follow from what is carried, which of them the walk needs, what these take
  /// from the others, and what stores take from them.
  bool splitTurn() {
    for (Operation &op : loop.getBody()->without_terminator())
      if (llvm::any_of(usedBy(&op), [&](Value value) { return isCarried(value); }))
        carried.insert(&op);
    findWalk();
    for (Operation &op : loop.getBody()->without_terminator())
      if (stores(&op)) {
        if (walkOps.contains(&op))
          return false;
        afterOps.insert(&op);
      }
    findAfter();
    for (Value value : given)
      fillOps.insert(opOf(value));
    for (size_t i = 0; i < fillOps.size(); ++i)
      for (Value value : usedBy(fillOps[i]))
        if (Operation *op = opOf(value))
          fillOps.insert(op);
    return llvm::none_of(fillOps, stores) && llvm::all_of(given, isNumber) && llvm::all_of(left, isNumber);
  }

  bool isCarried(Value value) {
    return llvm::is_contained(loop.getRegionIterArgs(), value) || carried.contains(opOf(value));
  }

  void findWalk() {
    SmallVector<Value> open(loop.getYieldedValues());
    while (!open.empty()) {
      Value value = open.pop_back_val();
      Operation *op = opOf(value);
      if (!op)
        continue;
      if (!carried.contains(op) && !isSmallerBefore(op))
        given.insert(value);
      else if (walkOps.insert(op).second)
        llvm::append_range(open, usedBy(op));
    }
  }

  /// Whether what an operation is computed from takes no more room in a tile than its result: a comparison of a number
  /// of 8 bits, a conversion.
  bool isSmallerBefore(Operation *op) {
    if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumRegions() != 0 || !isPure(op))
      return false;
    int64_t bytes = 0;
    llvm::SmallDenseSet<Value> operands(op->operand_begin(), op->operand_end());
    for (Value operand : operands)
      if (opOf(operand))
        bytes += bytesOf(operand);
    return bytes <= bytesOf(op->getResult(0));
  }

  void findAfter() {
    for (size_t i = 0; i < afterOps.size(); ++i)
      for (Value value : usedBy(afterOps[i])) {
        Operation *op = opOf(value);
        if (!op ? isCarried(value) : walkOps.contains(op) && carried.contains(op))
          left.insert(value);
        else if (op && given.contains(value))
          givenAfter.insert(value);
        else if (op)
          afterOps.insert(op);
      }
  }

  /// Whether the elements that turns of the loop store are others in each, and those that they load of the same array
  /// are the ones that they store later. Then any lane may store them, in any order.
  bool mayMoveStores() {
    for (const Access &store : accesses) {
      if (!store.isStore)
        continue;
      const bool isInLoop = loop->isAncestor(store.op);
      const LinearForm form = LinearForm::of(store.index);
      const bool isCounted = isInLoop && llvm::any_of(form.terms, [&](auto &term) { return isCarried(term.first); });
      if (isInLoop && (isCounted ? !isPlaceOfCount(store) : !isElementOfTurn(store)))
        return false;
      for (const Access &other : accesses) {
        if (other.op == store.op || other.buffer != store.buffer)
          continue;
        if (!isInLoop || isCounted || !loop->isAncestor(other.op) || !(LinearForm::of(other.index) == form))
          return false;
        Operation *first = loop.getBody()->findAncestorOpInBlock(*other.op);
        if (!other.isStore && !first->isBeforeInBlock(loop.getBody()->findAncestorOpInBlock(*store.op)))
          return false;
      }
    }
    return true;
  }

  /// Whether a store stands in branches of a turn alone.
  bool isOncePerTurn(const Access &store, function_ref<void(scf::IfOp, Operation *)> branch) {
    for (Operation *op = store.op; op->getParentOp() != loop; op = op->getParentOp()) {
      auto around = dyn_cast<scf::IfOp>(op->getParentOp());
      if (!around)
        return false;
      branch(around, op);
    }
    return true;
  }

  bool isElementOfTurn(const Access &store) {
    return isOncePerTurn(store, [](scf::IfOp, Operation *) {}) &&
           coefficientOf(store.index, loop.getInductionVar()).value_or(0) != 0;
  }

  /// Whether a store goes to the place that a count of what is stored says: `if c: y[n] = …`, and `n += c`.
  bool isPlaceOfCount(const Access &store) {
    llvm::SmallDenseSet<Value> conditions;
    const bool isOnce = isOncePerTurn(store, [&](scf::IfOp branch, Operation *inside) {
      if (inside->getBlock() == branch.thenBlock())
        conditions.insert(branch.getCondition());
    });
    auto place = dyn_cast<BlockArgument>(store.index);
    if (!isOnce || !place || place.getOwner() != loop.getBody() || !place.getType().isIndex())
      return false;
    auto sum = loop.getTiedLoopYieldedValue(place)->get().getDefiningOp<arith::AddIOp>();
    if (!sum || (sum.getLhs() != place && sum.getRhs() != place))
      return false;
    auto step = (sum.getLhs() == place ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::IndexCastUIOp>();
    return step && conditions.contains(step.getIn());
  }

  /// Chooses how long the rows of a tile are, and which tile has which numbers: what is left lies where something of
  /// the same type was given that no store needs.
  bool hasRoom() {
    int64_t widest = 1, bytes = 0;
    llvm::SmallDenseSet<Value> taken(givenAfter.begin(), givenAfter.end());
    for (Value value : given) {
      tileOf[value] = tiles.size();
      tiles.push_back(keptType(value.getType()));
    }
    for (Value value : left) {
      Type type = keptType(value.getType());
      auto same = llvm::find_if(
          given, [&](Value other) { return !taken.contains(other) && keptType(other.getType()) == type; });
      if (same != given.end()) {
        taken.insert(*same);
        tileOf[value] = tileOf.lookup(*same);
      } else {
        tileOf[value] = tiles.size();
        tiles.push_back(type);
      }
    }
    for (Type type : tiles) {
      widest = std::max(widest, elementBytes(type));
      bytes += elementBytes(type);
    }
    width = std::clamp(segmentBytes / widest, fewestElements, threadsOfWarp);
    while (width > fewestElements && threadsOfWarp * (width + 1) * bytes > mostBytes)
      width /= 2;
    return threadsOfWarp * (width + 1) * bytes <= mostBytes;
  }

  /// Has each lane of a warp a turn of the grid's last axis for its own. Those behind the end repeat the last turn, but
  /// store nothing.
  void beginRows() {
    rows = grid.getUpperBound().back();
    const LaneTurn given = giveLanesTurns(kernel, grid);
    lane = given.lane, turn = given.turn, isThere = given.exists;
    if (isThere)
      for (Operation &op : llvm::make_early_inc_range(grid.getBody()->without_terminator()))
        if (isa<memref::StoreOp>(op)) {
          builder.setInsertionPoint(&op);
          auto branch = scf::IfOp::create(builder, op.getLoc(), isThere, /*withElseRegion=*/false);
          op.moveBefore(branch.thenBlock()->getTerminator());
        }
    builder.setInsertionPoint(loop);
    for (Type type : tiles)
      memory.push_back(memref::AllocaOp::create(builder, named("tile"), sharedMemory(threadsOfWarp * (width + 1), type))
                           .getResult());
    column = width == threadsOfWarp ? lane
                                    : arith::RemUIOp::create(builder, named("column"), lane, index(width)).getResult();
    firstRow = width == threadsOfWarp
                   ? index(0)
                   : arith::DivUIOp::create(builder, named("first_row"), lane, index(width)).getResult();
  }

  /// What a value from outside of the loop is in another turn of the grid, that of a row of the tiles. Cheap numbers
  /// are computed again; others each lane has stored for its own turn.
  Value atRow(Value value, Value row, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    if (!op || mapping.contains(value) || !grid->isProperAncestor(op))
      return mapping.lookupOrDefault(value);
    if (isa<arith::ArithDialect>(op->getDialect()) && op->getNumRegions() == 0 && isPure(op)) {
      for (Value operand : op->getOperands())
        atRow(operand, row, mapping);
      builder.clone(*op, mapping);
      return mapping.lookup(value);
    }
    Value &memory = keptRows[value];
    if (!memory) {
      memory = memref::AllocaOp::create(head, named("kept"), sharedMemory(threadsOfWarp, keptType(value.getType())));
      if (!firstKept)
        firstKept = memory.getDefiningOp();
      keep(head, value, memory, lane);
    }
    Value number = kept(builder, value, memory, row);
    mapping.map(value, number);
    return number;
  }

  /// The place of an element in a tile. Rows are one element longer than they need to be, so that lanes that walk along
  /// rows beside each other are in different banks.
  Value placeOf(Value row, Value at) {
    Value first = arith::MulIOp::create(builder, loop.getLoc(), row, index(width + 1));
    return arith::AddIOp::create(builder, loop.getLoc(), first, at);
  }

  /// Has lanes go along the rows of a chunk, where there are elements. Some rows' loads are under way at once.
  void forElements(Value chunk, function_ref<void(IRMapping &, Value)> element) {
    Location loc = loop.getLoc();
    OpBuilder::InsertionGuard guard(builder);
    // A number that the kernel computes, also where it is 32 everywhere: NVRTC doesn't unroll the outer loop then.
    Value end =
        arith::MinSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, rows, x), index(threadsOfWarp));
    const int64_t step = threadsOfWarp / width;
    auto some = scf::ForOp::create(builder, loc, firstRow, end, index(rowsAtOnce * step));
    some.getInductionVar().setLoc(named("first"));
    builder.setInsertionPointToStart(some.getBody());
    auto each = scf::ForOp::create(builder, loc, index(0), index(rowsAtOnce * step), index(step));
    setSchedule(each, {.order = TurnOrder::parallel, .vector = VectorForm::parallel});
    builder.setInsertionPointToStart(each.getBody());
    Value row = arith::AddIOp::create(builder, named("row"), some.getInductionVar(), each.getInductionVar());
    Value other = arith::AddIOp::create(builder, loc, x, row);
    IRMapping mapping;
    mapping.map(turn, other);
    Value lower = atRow(loop.getLowerBound(), row, mapping), upper = atRow(loop.getUpperBound(), row, mapping);
    Value at = arith::AddIOp::create(builder, loc, lower, arith::AddIOp::create(builder, loc, chunk, column));
    Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at, upper);
    if (isThere) {
      Value isTurn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, other, rows);
      exists = arith::AndIOp::create(builder, loc, isTurn, exists);
    }
    auto branch = scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    mapping.map(loop.getInductionVar(), at);
    auto prepare = [&](const llvm::SetVector<Operation *> &ops) {
      for (Operation *op : ops)
        for (Value value : usedBy(op))
          if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
            atRow(value, row, mapping);
    };
    prepare(fillOps);
    prepare(afterOps);
    element(mapping, placeOf(row, column));
  }

  void cloneOps(const llvm::SetVector<Operation *> &ops, IRMapping &mapping) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (ops.contains(&op))
        builder.clone(op, mapping);
  }

  void fill(Value chunk) {
    forElements(chunk, [&](IRMapping &mapping, Value place) {
      cloneOps(fillOps, mapping);
      for (Value value : given)
        keep(builder, mapping.lookup(value), memory[tileOf.lookup(value)], place);
    });
  }

  /// The turns of a chunk, one after the other, with numbers from a row of the tiles. Gives what is carried on.
  SmallVector<Value> walk(Value chunk, ValueRange init) {
    Location loc = loop.getLoc();
    OpBuilder::InsertionGuard guard(builder);
    Value begin = arith::AddIOp::create(builder, loc, loop.getLowerBound(), chunk);
    Value count = arith::SubIOp::create(builder, loc, loop.getUpperBound(), begin);
    count = arith::MinSIOp::create(builder, named("turns"), count, index(width));
    if (isThere)
      count = arith::SelectOp::create(builder, named("turns"), isThere, count, index(0));
    auto turns = scf::ForOp::create(builder, loc, index(0), count, index(1), init);
    keepNames(loop, turns);
    builder.setInsertionPointToStart(turns.getBody());
    Value at = turns.getInductionVar(), place = placeOf(lane, at);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), arith::AddIOp::create(builder, loc, begin, at).getResult());
    mapping.map(loop.getRegionIterArgs(), turns.getRegionIterArgs());
    for (Value value : given)
      mapping.map(value, kept(builder, value, memory[tileOf.lookup(value)], place));
    for (Operation &op : loop.getBody()->without_terminator())
      if (walkOps.contains(&op))
        builder.clone(op, mapping);
    for (Value value : left)
      keep(builder, mapping.lookup(value), memory[tileOf.lookup(value)], place);
    auto next = llvm::map_to_vector(loop.getYieldedValues(), [&](Value each) { return mapping.lookupOrDefault(each); });
    scf::YieldOp::create(builder, loc, next);
    return turns.getResults();
  }

  void storeElements(Value chunk) {
    forElements(chunk, [&](IRMapping &mapping, Value place) {
      for (Value value : llvm::concat<const Value>(givenAfter, left))
        mapping.map(value, kept(builder, value, memory[tileOf.lookup(value)], place));
      cloneOps(afterOps, mapping);
    });
  }

  func::FuncOp kernel;
  scf::ParallelOp grid;
  scf::ForOp loop;
  /// The grid's counter: that of a warp's first turn, once lanes have turns for their own.
  Value x;
  OpBuilder builder;
  SmallVector<Access> accesses;
  /// How many elements a walk has at most, if that is a constant.
  std::optional<int64_t> span;
  /// What follows from what is carried, and what of that, and of what goes into it, is computed one turn after the
  /// other.
  llvm::SmallPtrSet<Operation *, 16> carried, walkOps;
  /// What the walk takes from tiles, what of that is needed again where elements are stored, and what it leaves for
  /// that.
  llvm::SetVector<Value> given, givenAfter, left;
  /// What is computed where tiles are filled, and where elements are stored.
  llvm::SetVector<Operation *> fillOps, afterOps;
  /// The elements' types, and the number of the tile that has a value.
  SmallVector<Type> tiles;
  llvm::DenseMap<Value, unsigned> tileOf;
  /// The elements of a tile's row.
  int64_t width = 0;

  /// Where numbers of the lanes' own turns are stored, and the first of them.
  OpBuilder head = builder;
  Operation *firstKept = nullptr;
  llvm::DenseMap<Value, Value> keptRows;
  SmallVector<Value> memory;
  Value lane, rows, turn, isThere, column, firstRow;
};

struct StageWalks : quernel::impl::StageWalksBase<StageWalks> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!hasRole(kernel, FunctionRole::kernel) || lanesOf(kernel) > 1)
      return;
    scf::ParallelOp grid = Grid(kernel).wholeLoop();
    if (!grid)
      return;
    for (auto loop : grid.getBody()->getOps<scf::ForOp>())
      if (Walk walk(kernel, grid, loop); walk.applies())
        return walk.run();
  }
};

} // namespace
