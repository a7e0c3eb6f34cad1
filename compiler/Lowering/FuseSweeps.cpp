// Statements that go through the rows of the same arrays become one loop over pieces of rows.
//
//   parallel i, j: e[i, j] = exp(x[i, j])            parallel p: for j: part[p, j] = 0
//   parallel p, j: s = 0                                         for i in piece p:
//                  for i in piece p: s += e[i, j]                  for j: row[p, j] = exp(x[i, j])
//                  part[p, j] = s                   →              for j: part[p, j] += row[p, j]
//   parallel i: s = 0                                              s = 0
//               for j: s += e[i, j]                                for j: s += row[p, j]
//               out[i] = s                                         out[i] = s
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

std::optional<int64_t> sweepOf(Operation *op) {
  StatementAttr statement = isa<scf::ParallelOp>(op) ? statementAt(op->getLoc()) : StatementAttr();
  return statement && statement.getSweep() ? std::optional(statement.getSweep().getInt()) : std::nullopt;
}

/// A statement of a sweep: its first axis counts rows, or pieces of rows that a loop inside goes through.
struct Member {
  scf::ParallelOp loop;
  /// The loop over the rows of a piece, null where the first axis counts rows.
  scf::ForOp pieceRows = nullptr;
  int64_t length = 0;
  SmallVector<memref::StoreOp> totals;

  explicit Member(scf::ParallelOp loop) : loop(loop) {}

  Value rowCounter() { return pieceRows ? pieceRows.getInductionVar() : loop.getInductionVars()[0]; }
  Value pieceCounter() { return loop.getInductionVars()[0]; }
  /// How many rows there are.
  Value rows() {
    return pieceRows ? pieceRows.getUpperBound().getDefiningOp<arith::MinSIOp>().getRhs() : loop.getUpperBound()[0];
  }

  /// Finds the loop over a piece's rows, `p * length` to `min(p * length + length, rows)`, of which the results are
  /// all that the statement stores. True also where the first axis counts rows.
  bool recognize() {
    if (!startsAtZero(0))
      return false;
    for (scf::ForOp inner : loop.getBody()->getOps<scf::ForOp>())
      if (auto found = pieceLength(inner)) {
        pieceRows = inner;
        length = *found;
      }
    return !pieceRows || storesTotals();
  }

private:
  bool startsAtZero(unsigned axis) {
    return getConstantIntValue(loop.getLowerBound()[axis]) == 0 && getConstantIntValue(loop.getStep()[axis]) == 1;
  }

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
      rows = rows ? rows : member.rows();
      if (!isEqualConstantIntOrValue(member.rows(), rows))
        return false;
      if (!member.pieceRows)
        continue;
      if (length && length != member.length)
        return false;
      length = member.length;
      pieces = member.loop.getUpperBound()[0];
    }
    return stayAtTheirRows();
  }

  void run() {
    Member &last = members.back();
    OpBuilder builder(last.loop);
    Location loc = describe();
    bringOutside(builder);
    if (!length)
      makePieces(builder);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto outer = scf::ParallelOp::create(builder, loc, zero, pieces, one,
                                         function_ref<void(OpBuilder &, Location, ValueRange)>());
    bool mayBeEmpty = llvm::any_of(members, [](Member &member) { return scheduleOf(member.loop).maybeEmpty; });
    setSchedule(outer, {.maybeEmpty = mayBeEmpty});
    Value piece = outer.getInductionVars()[0];
    builder.setInsertionPointToStart(outer.getBody());
    Value step = arith::ConstantIndexOp::create(builder, loc, length);
    Value lower = arith::MulIOp::create(builder, loc, piece, step);
    Value end = arith::AddIOp::create(builder, loc, lower, step);
    Value upper = arith::MinSIOp::create(builder, loc, end, rows);
    for (Member &member : members)
      if (member.pieceRows)
        storeInits(builder, member, piece);
    auto inner = scf::ForOp::create(builder, loc, lower, upper, one);
    inner.getInductionVar().setLoc(members.front().rowCounter().getLoc());
    builder.setInsertionPoint(inner.getBody()->getTerminator());
    for (Member &member : members)
      cloneRow(builder, member, piece, inner.getInductionVar());
    for (Member &member : members)
      member.loop.erase();
    contract(outer, piece, inner.getInductionVar());
  }

private:
  /// Whether what one member stores is touched by all of them at their own rows alone, and totals by their member.
  bool stayAtTheirRows() {
    struct Touch {
      unsigned member;
      bool isStore, isAtRow, isTotal;
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
        bool isAtRow = !element.subscripts.empty() && element.subscripts[0] &&
                       *element.subscripts[0] == LinearForm::of(member.rowCounter());
        bool isTotal = member.pieceRows && !member.pieceRows->isAncestor(access.op);
        touches[element.root].push_back({static_cast<unsigned>(number), access.isStore, isAtRow, isTotal});
      }
    }
    for (auto &[root, all] : touches) {
      if (llvm::none_of(all, [](const Touch &touch) { return touch.isStore; }))
        continue;
      bool areTotals = llvm::all_of(all, [&](const Touch &touch) {
        return touch.isTotal && touch.isStore && touch.member == all.front().member;
      });
      if (!areTotals && !llvm::all_of(all, [](const Touch &touch) { return touch.isAtRow && !touch.isTotal; }))
        return false;
    }
    return true;
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

  void makePieces(OpBuilder &builder) {
    Location loc = members.front().loop.getLoc();
    length = numerics::rowsOfPiece;
    Value divisor = arith::ConstantIndexOp::create(builder, loc, length);
    pieces = builder.createOrFold<arith::CeilDivSIOp>(loc, rows, divisor);
  }

  /// The statement's axes but the first, as a parallel loop; the body gets a mapping of the old counters.
  void overOtherAxes(OpBuilder &builder, Member &member, IRMapping &mapping, function_ref<void(OpBuilder &)> body) {
    scf::ParallelOp loop = member.loop;
    if (loop.getNumLoops() == 1)
      return body(builder);
    SmallVector<Value> lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep());
    auto others = [](SmallVector<Value> &values) { return ValueRange(values).drop_front(); };
    auto rest = scf::ParallelOp::create(builder, loop.getLoc(), others(lower), others(upper), others(step),
                                        function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(rest, scheduleOf(loop));
    for (auto [old, fresh] : llvm::zip_equal(llvm::drop_begin(loop.getInductionVars()), rest.getInductionVars())) {
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

  void cloneRow(OpBuilder &builder, Member &member, Value piece, Value row) {
    IRMapping mapping;
    mapping.map(member.pieceRows ? member.pieceCounter() : member.rowCounter(), member.pieceRows ? piece : row);
    overOtherAxes(builder, member, mapping, [&](OpBuilder &inner) {
      if (!member.pieceRows) {
        for (Operation &op : member.loop.getBody()->without_terminator())
          inner.clone(op, mapping);
        return;
      }
      cloneNumbers(inner, member, mapping);
      mapping.map(member.rowCounter(), row);
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
  void contract(scf::ParallelOp outer, Value piece, Value row) {
    SmallVector<memref::AllocOp> arrays;
    for (Operation &op : *outer->getBlock())
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        arrays.push_back(alloc);
    for (memref::AllocOp array : arrays)
      if (isOfRows(array, outer, row))
        makeRowsOfPieces(array, outer, piece);
  }

  static bool isOfRows(memref::AllocOp array, scf::ParallelOp outer, Value row) {
    MemRefType type = array.getType();
    if (type.getRank() < 2 || !type.getLayout().isIdentity() || array->use_empty())
      return false;
    int64_t bytes = elementBytes(type.getElementType());
    for (int64_t size : type.getShape().drop_front())
      bytes *= ShapedType::isDynamic(size) ? shortestRow : size;
    return bytes >= shortestRow && llvm::all_of(array->getUses(), [&](OpOperand &use) {
             Operation *user = use.getOwner();
             if (isa<memref::DeallocOp>(user))
               return true;
             auto load = dyn_cast<memref::LoadOp>(user);
             auto store = dyn_cast<memref::StoreOp>(user);
             Value first = load ? load.getIndices()[0] : store ? store.getIndices()[0] : Value();
             return outer->isAncestor(user) && first == row && !(store && store.getValueToStore() == array.getResult());
           });
  }

  void makeRowsOfPieces(memref::AllocOp array, scf::ParallelOp outer, Value piece) {
    OpBuilder builder(outer);
    MemRefType type = array.getType();
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> sizes(array.getDynamicSizes());
    if (shape[0] == ShapedType::kDynamic)
      sizes.erase(sizes.begin());
    auto count = getConstantIntValue(pieces);
    shape[0] = count.value_or(ShapedType::kDynamic);
    if (!count)
      sizes.insert(sizes.begin(), pieces);
    auto fresh = memref::AllocOp::create(builder, array.getLoc(), MemRefType::get(shape, type.getElementType()), sizes);
    for (OpOperand &use : llvm::make_early_inc_range(array->getUses())) {
      if (auto load = dyn_cast<memref::LoadOp>(use.getOwner()))
        load.getIndicesMutable()[0].set(piece);
      if (auto store = dyn_cast<memref::StoreOp>(use.getOwner()))
        store.getIndicesMutable()[0].set(piece);
      use.set(fresh);
    }
    array.erase();
  }

  std::vector<Member> members;
  int64_t length = 0;
  Value rows, pieces;
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
