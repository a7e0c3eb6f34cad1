// Statements that go through the rows of the same arrays become one loop over pieces of rows.
//
//   parallel i, j: e[i, j] = exp(x[i, j])            parallel p: for j: part[p, j] = 0
//   parallel p, j: s = 0                                         for i in piece p:
//                  for i in piece p: s += e[i, j]                  for j: row[p, j] = exp(x[i, j])
//                  part[p, j] = s                   →              for j: part[p, j] += row[p, j]
//   parallel i: s = 0                                              s = 0
//               for j: s += e[i, j]                                for j: s += row[p, j]
//               out[i] = s                                         out[i] = s
//
// Where no statement reduces pieces of rows, the rows may have several axes: all that the statements share from the
// first one on.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_FUSESWEEPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t shortestRow = 512; // bytes: rows of neighbouring pieces shall not share lines of the cache
constexpr int64_t fewestPieces = 64; // of which threads have enough, where pieces may be of any length
constexpr int64_t fewestTurns = 16;  // of the loop over pieces: fewer don't keep threads busy
constexpr int64_t vectorRow = 64;    // elements; shorter rows are computed by vectors across rows

std::optional<int64_t> sweepOf(Operation *op) {
  StatementAttr statement = isa<scf::ParallelOp>(op) ? statementAt(op->getLoc()) : StatementAttr();
  return statement && statement.getSweep() ? std::optional(statement.getSweep().getInt()) : std::nullopt;
}

/// A statement of a sweep: its first axes count rows, or the first one pieces of rows that a loop inside goes through.
struct Member {
  scf::ParallelOp loop;
  /// The loop over the rows of a piece, null where the first axis counts rows.
  scf::ForOp pieceRows = nullptr;
  int64_t length = 0;
  SmallVector<memref::StoreOp> totals;

  explicit Member(scf::ParallelOp loop) : loop(loop) {}

  Value rowCounter(unsigned axis = 0) {
    return pieceRows ? pieceRows.getInductionVar() : loop.getInductionVars()[axis];
  }
  Value pieceCounter() { return loop.getInductionVars()[0]; }
  /// How many rows there are along an axis.
  Value rows(unsigned axis = 0) {
    return pieceRows ? pieceRows.getUpperBound().getDefiningOp<arith::MinSIOp>().getRhs() : loop.getUpperBound()[axis];
  }

  /// How many elements there are beside those axes of rows, as far as that is known.
  int64_t elementsOfRow(unsigned depth) {
    int64_t elements = 1;
    for (Value size : llvm::drop_begin(loop.getUpperBound(), depth))
      elements *= getConstantIntValue(size).value_or(vectorRow);
    return elements;
  }

  bool countsFrom0(unsigned axis) {
    return getConstantIntValue(loop.getLowerBound()[axis]) == 0 && getConstantIntValue(loop.getStep()[axis]) == 1;
  }

  /// Finds the loop over a piece's rows, `p * length` to `min(p * length + length, rows)`, of which the results are
  /// all that the statement stores. True also where the first axis counts rows.
  bool recognize() {
    if (!countsFrom0(0))
      return false;
    for (scf::ForOp inner : loop.getBody()->getOps<scf::ForOp>())
      if (auto found = pieceLength(inner)) {
        pieceRows = inner;
        length = *found;
      }
    return !pieceRows || storesTotals();
  }

private:
  std::optional<int64_t> pieceLength(scf::ForOp inner) {
    LinearForm lower = LinearForm::of(inner.getLowerBound());
    auto end = inner.getUpperBound().getDefiningOp<arith::MinSIOp>();
    bool isPiece = end && lower.constant == 0 && lower.terms.size() == 1 && lower.terms[0].first == pieceCounter();
    if (!isPiece)
      return std::nullopt;
    LinearForm slack = LinearForm::of(end.getLhs()) - lower;
    bool isWhole = slack.isConstant() && slack.constant == lower.terms[0].second && slack.constant > 0;
    return isWhole && getConstantIntValue(inner.getStep()) == 1 ? std::optional(slack.constant) : std::nullopt;
  }

  bool storesTotals() {
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto store = dyn_cast<memref::StoreOp>(op)) {
        totals.push_back(store);
        continue;
      }
      if (&op != pieceRows.getOperation() && !isMemoryEffectFree(&op))
        return false;
    }
    bool areResults = llvm::all_of(llvm::enumerate(totals), [&](auto total) {
      Value value = total.value().getValueToStore();
      return total.index() < pieceRows.getNumResults() && value == pieceRows.getResult(total.index()) &&
             value.hasOneUse();
    });
    return totals.size() == pieceRows.getNumResults() && areResults &&
           llvm::all_of(pieceRows.getInitArgs(), [&](Value init) {
             return loop.isDefinedOutsideOfLoop(init) || init.getDefiningOp<arith::ConstantOp>();
           });
  }
};

class Sweep {
public:
  /// Of statements that follow each other but for what makes memory and numbers.
  explicit Sweep(ArrayRef<scf::ParallelOp> loops) {
    for (scf::ParallelOp loop : loops)
      members.emplace_back(loop);
  }

  bool applies() {
    for (Member &member : members) {
      if (!member.recognize())
        return false;
      if (!isEqualConstantIntOrValue(member.rows(), members.front().rows()))
        return false;
      if (!member.pieceRows)
        continue;
      if (length && length != member.length)
        return false;
      length = member.length;
      pieces = member.loop.getUpperBound()[0];
    }
    depth = length ? 1 : sharedAxes();
    if (!stayAtTheirRows())
      return false;
    rows = members.front().rows(depth - 1);
    return pieces || hasEnoughTurns();
  }

  void run() {
    Member &last = members.back();
    OpBuilder builder(last.loop);
    Location loc = describe();
    bringOutside(builder);
    if (!length)
      makePieces(builder);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    SmallVector<Value> upperBounds;
    for (unsigned axis = 0; axis + 1 < depth; ++axis)
      upperBounds.push_back(members.front().rows(axis));
    upperBounds.push_back(pieces);
    auto outer = scf::ParallelOp::create(builder, loc, SmallVector<Value>(depth, zero), upperBounds,
                                         SmallVector<Value>(depth, one),
                                         function_ref<void(OpBuilder &, Location, ValueRange)>());
    bool mayBeEmpty = llvm::any_of(members, [](Member &member) { return scheduleOf(member.loop).maybeEmpty; });
    setSchedule(outer, {.maybeEmpty = mayBeEmpty});
    SmallVector<Value> row(outer.getInductionVars());
    const Value piece = row.back();
    for (unsigned axis = 0; axis + 1 < depth; ++axis)
      row[axis].setLoc(members.front().rowCounter(axis).getLoc());
    builder.setInsertionPointToStart(outer.getBody());
    Value step = arith::ConstantIndexOp::create(builder, loc, length);
    Value lower = arith::MulIOp::create(builder, loc, piece, step);
    Value end = arith::AddIOp::create(builder, loc, lower, step);
    Value upper = arith::MinSIOp::create(builder, loc, end, rows);
    for (Member &member : members)
      if (member.pieceRows)
        storeInits(builder, member, piece);
    auto inner = scf::ForOp::create(builder, loc, lower, upper, one);
    row.back() = inner.getInductionVar();
    row.back().setLoc(members.front().rowCounter(depth - 1).getLoc());
    builder.setInsertionPoint(inner.getBody()->getTerminator());
    for (Member &member : members)
      cloneRow(builder, member, piece, row);
    for (Member &member : members)
      member.loop.erase();
    contract(outer, piece, row);
  }

private:
  /// How many axes all members have from the first one on, but for those of a row that vectors go along.
  unsigned sharedAxes() {
    unsigned shared = 1;
    auto isShared = [&](Member &member) {
      return member.loop.getNumLoops() > shared && member.countsFrom0(shared) &&
             isEqualConstantIntOrValue(member.rows(shared), members.front().rows(shared));
    };
    auto leavesRows = [&](Member &member) { return member.elementsOfRow(shared + 1) >= vectorRow; };
    while (llvm::all_of(members, isShared) && llvm::any_of(members, leavesRows))
      ++shared;
    return shared;
  }

  /// Of the first `depth` axes, those along which an access is at the row that its statement is at.
  unsigned axesAtRow(const Element &element, Member &member) {
    unsigned axis = 0;
    while (axis < std::min<size_t>(depth, element.subscripts.size()) && element.subscripts[axis] &&
           *element.subscripts[axis] == LinearForm::of(member.rowCounter(axis)))
      ++axis;
    return axis;
  }

  /// Whether threads have enough to share.
  bool hasEnoughTurns() {
    int64_t turns = 1;
    for (unsigned axis = 0; axis < depth; ++axis)
      turns *= getConstantIntValue(members.front().rows(axis)).value_or(fewestTurns);
    return turns >= fewestTurns;
  }

  /// Whether what one member stores is touched by all of them at their own rows alone, and totals by their member. Rows
  /// have as many axes as that is so for.
  bool stayAtTheirRows() {
    struct Touch {
      unsigned member;
      bool isStore, isTotal;
      unsigned axesAtRow;
    };
    llvm::MapVector<Value, SmallVector<Touch>> touches;
    for (auto [number, member] : llvm::enumerate(members)) {
      SmallVector<Access> accesses;
      if (failed(collectAccesses(member.loop, accesses)) ||
          member.loop->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted())
        return false;
      for (const Access &access : accesses) {
        Element element = resolveElement(access);
        if (!element.root || !access.indices)
          return false;
        bool isTotal = member.pieceRows && !member.pieceRows->isAncestor(access.op);
        touches[element.root].push_back(
            {static_cast<unsigned>(number), access.isStore, isTotal, axesAtRow(element, member)});
      }
    }
    for (auto &[root, all] : touches) {
      if (llvm::none_of(all, [](const Touch &touch) { return touch.isStore; }))
        continue;
      bool areTotals = llvm::all_of(all, [&](const Touch &touch) {
        return touch.isTotal && touch.isStore && touch.member == all.front().member;
      });
      if (areTotals)
        continue;
      for (const Touch &touch : all)
        depth = std::min(depth, touch.isTotal ? 0 : touch.axesAtRow);
    }
    return depth > 0;
  }

  /// A sweep is named after its last statement; its lines and operations are those of all.
  Location describe() {
    MLIRContext *context = members.front().loop.getContext();
    SmallVector<Location> lines;
    SmallVector<StatementAttr> statements;
    for (Member &member : members) {
      lines.push_back(member.loop.getLoc());
      statements.push_back(statementAt(member.loop.getLoc()));
    }
    auto how = StringAttr::get(context, "one loop over rows in place of " + Twine(members.size()));
    return FusedLoc::get(context, lines, joinStatements(statements.back().getName(), statements, how));
  }

  /// What stands between the statements is memory and numbers, which nothing of a statement is needed for.
  void bringOutside(OpBuilder &builder) {
    Operation *first = members.front().loop;
    SmallVector<Operation *> between;
    for (Operation *op = first->getNextNode(); op != members.back().loop; op = op->getNextNode())
      if (!isa<scf::ParallelOp>(op))
        between.push_back(op);
    for (Operation *op : between)
      op->moveBefore(first);
  }

  /// Nothing is added up along pieces, so they may be as short as threads need them.
  void makePieces(OpBuilder &builder) {
    Location loc = members.front().loop.getLoc();
    int64_t outside = 1;
    for (unsigned axis = 0; axis + 1 < depth; ++axis)
      outside *= getConstantIntValue(members.front().rows(axis)).value_or(1);
    const int64_t wanted = llvm::divideCeil(fewestPieces, std::max<int64_t>(outside, 1));
    const int64_t known = getConstantIntValue(rows).value_or(wanted * numerics::rowsOfPiece);
    length = std::clamp<int64_t>(known / wanted, 1, numerics::rowsOfPiece);
    Value divisor = arith::ConstantIndexOp::create(builder, loc, length);
    pieces = builder.createOrFold<arith::CeilDivSIOp>(loc, rows, divisor);
  }

  /// The statement's axes but those of rows, as a parallel loop; the body gets a mapping of the old counters.
  void overOtherAxes(OpBuilder &builder, Member &member, IRMapping &mapping, function_ref<void(OpBuilder &)> body) {
    scf::ParallelOp loop = member.loop;
    if (loop.getNumLoops() == depth)
      return body(builder);
    SmallVector<Value> lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep());
    auto others = [&](SmallVector<Value> &values) { return ValueRange(values).drop_front(depth); };
    auto rest = scf::ParallelOp::create(builder, loop.getLoc(), others(lower), others(upper), others(step),
                                        function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(rest, scheduleOf(loop));
    for (auto [old, fresh] :
         llvm::zip_equal(llvm::drop_begin(loop.getInductionVars(), depth), rest.getInductionVars())) {
      mapping.map(old, fresh);
      fresh.setLoc(old.getLoc());
    }
    OpBuilder inner(rest.getBody()->getTerminator());
    body(inner);
  }

  void cloneNumbers(OpBuilder &builder, Member &member, IRMapping &mapping) {
    for (Operation &op : member.loop.getBody()->without_terminator())
      if (&op != member.pieceRows.getOperation() && !isa<memref::StoreOp>(op))
        builder.clone(op, mapping);
  }

  SmallVector<Value> indicesOf(memref::StoreOp store, IRMapping &mapping) {
    return llvm::map_to_vector(store.getIndices(), [&](Value index) { return mapping.lookupOrDefault(index); });
  }

  void storeInits(OpBuilder &builder, Member &member, Value piece) {
    IRMapping mapping;
    mapping.map(member.pieceCounter(), piece);
    overOtherAxes(builder, member, mapping, [&](OpBuilder &inner) {
      cloneNumbers(inner, member, mapping);
      for (auto [total, init] : llvm::zip_equal(member.totals, member.pieceRows.getInitArgs()))
        memref::StoreOp::create(inner, total.getLoc(), mapping.lookupOrDefault(init), total.getMemRef(),
                                indicesOf(total, mapping));
    });
  }

  void cloneRow(OpBuilder &builder, Member &member, Value piece, ArrayRef<Value> row) {
    IRMapping mapping;
    if (member.pieceRows)
      mapping.map(member.pieceCounter(), piece);
    else
      for (auto [axis, counter] : llvm::enumerate(row))
        mapping.map(member.rowCounter(axis), counter);
    overOtherAxes(builder, member, mapping, [&](OpBuilder &inner) {
      if (!member.pieceRows) {
        for (Operation &op : member.loop.getBody()->without_terminator())
          inner.clone(op, mapping);
        return;
      }
      cloneNumbers(inner, member, mapping);
      mapping.map(member.rowCounter(), row.back());
      for (auto [total, carried] : llvm::zip_equal(member.totals, member.pieceRows.getRegionIterArgs()))
        mapping.map(
            carried,
            memref::LoadOp::create(inner, total.getLoc(), total.getMemRef(), indicesOf(total, mapping)).getResult());
      for (Operation &op : member.pieceRows.getBody()->without_terminator())
        inner.clone(op, mapping);
      for (auto [total, next] : llvm::zip_equal(member.totals, member.pieceRows.getYieldedValues()))
        memref::StoreOp::create(inner, total.getLoc(), mapping.lookupOrDefault(next), total.getMemRef(),
                                indicesOf(total, mapping));
    });
  }

  /// An array of rows that nothing outside of the sweep uses has one row a piece.
  void contract(scf::ParallelOp outer, Value piece, ArrayRef<Value> row) {
    SmallVector<memref::AllocOp> arrays;
    for (Operation &op : *outer->getBlock())
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        arrays.push_back(alloc);
    for (memref::AllocOp array : arrays)
      if (isOfRows(array, outer, row))
        makeRowsOfPieces(array, outer, piece);
  }

  static bool isOfRows(memref::AllocOp array, scf::ParallelOp outer, ArrayRef<Value> row) {
    MemRefType type = array.getType();
    if (type.getRank() <= static_cast<int64_t>(row.size()) || !type.getLayout().isIdentity() || array->use_empty())
      return false;
    int64_t bytes = elementBytes(type.getElementType());
    for (int64_t size : type.getShape().drop_front(row.size()))
      bytes *= ShapedType::isDynamic(size) ? shortestRow : size;
    return bytes >= shortestRow && llvm::all_of(array->getUses(), [&](OpOperand &use) {
             Operation *user = use.getOwner();
             if (isa<memref::DeallocOp>(user))
               return true;
             auto load = dyn_cast<memref::LoadOp>(user);
             auto store = dyn_cast<memref::StoreOp>(user);
             if (!outer->isAncestor(user) || (!load && !store) ||
                 (store && store.getValueToStore() == array.getResult()))
               return false;
             return llvm::equal((load ? load.getIndices() : store.getIndices()).take_front(row.size()), row);
           });
  }

  void makeRowsOfPieces(memref::AllocOp array, scf::ParallelOp outer, Value piece) {
    OpBuilder builder(outer);
    MemRefType type = array.getType();
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> sizes(array.getDynamicSizes());
    const unsigned axis = depth - 1;
    auto *place = sizes.begin() + llvm::count(ArrayRef(shape).take_front(axis), ShapedType::kDynamic);
    if (shape[axis] == ShapedType::kDynamic)
      sizes.erase(place);
    auto count = getConstantIntValue(pieces);
    shape[axis] = count.value_or(ShapedType::kDynamic);
    if (!count)
      sizes.insert(place, pieces);
    auto fresh = memref::AllocOp::create(builder, array.getLoc(), MemRefType::get(shape, type.getElementType()), sizes);
    for (OpOperand &use : llvm::make_early_inc_range(array->getUses())) {
      if (auto load = dyn_cast<memref::LoadOp>(use.getOwner()))
        load.getIndicesMutable()[axis].set(piece);
      if (auto store = dyn_cast<memref::StoreOp>(use.getOwner()))
        store.getIndicesMutable()[axis].set(piece);
      use.set(fresh);
    }
    array.erase();
  }

  std::vector<Member> members;
  unsigned depth = 1; // axes of rows
  int64_t length = 0;
  Value rows, pieces; // along the last of these axes
};

/// Whether an operation between two statements of a sweep may stand before the first: what it needs may, too, as
/// statements have no results.
bool mayMoveUp(Operation *op) {
  return isa<memref::AllocOp>(op) || (isMemoryEffectFree(op) && op->getNumRegions() == 0);
}

void fuseIn(Block &block) {
  SmallVector<SmallVector<scf::ParallelOp>> runs;
  std::optional<int64_t> open;
  for (Operation &op : block) {
    auto sweep = sweepOf(&op);
    if (sweep && sweep == open) {
      runs.back().push_back(cast<scf::ParallelOp>(op));
    } else if (sweep) {
      runs.push_back({cast<scf::ParallelOp>(op)});
      open = sweep;
    } else if (open && !mayMoveUp(&op)) {
      open.reset();
    }
  }
  for (ArrayRef<scf::ParallelOp> run : runs)
    if (run.size() > 1)
      if (Sweep sweep(run); sweep.applies())
        sweep.run();
}

struct FuseSweeps : quernel::impl::FuseSweepsBase<FuseSweeps> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (!isa<scf::ParallelOp>(block->getParentOp()))
        fuseIn(*block);
  }
};

} // namespace
