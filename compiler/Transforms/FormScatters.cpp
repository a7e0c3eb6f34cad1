// Stores of what goes to places that index arrays name.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Transforms/KernelFormer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace quernel;

static constexpr int64_t blockOfUpdates = 1024; // between two questions whether the program has to stop
static constexpr int64_t rowsOfBlock = 16;      // where nobody knows how many updates a row has
static constexpr int64_t leastPiece = 8192;     // updates that are worth a thread
static constexpr int64_t updatesOfPlace = 8;    // that pay for a place in a table of a piece's own
static constexpr int64_t mostPieces = 32;
static constexpr int64_t twoTables = 2; // an update of the place of the one before needn't wait for it

namespace quernel {
/// How updates are cut: into how many pieces, and how many tables each of them has.
struct KernelFormer::Pieces {
  Value count;
  int64_t tables;
};
} // namespace quernel

static ReductionKind combinerOf(ScatterOp op) {
  return ScalarBuilder::loopKind(op.getKind(), getElementTypeOrSelf(op.getResult()));
}

/// Whether updates of one place may be combined in any groups, as long as their order stays: those of tables that begin
/// with what changes nothing.
static bool isAssociative(ScatterOp op) {
  return op.getKind() != "set" && ScalarBuilder::mayRegroup(combinerOf(op), getElementTypeOrSelf(op.getResult()));
}

/// Whether threads of a device may carry out all updates in any order, each in one step.
static bool areAtomic(ArrayRef<ScatterOp> ops) {
  return targetOf(ops.front()).kind == TargetKind::gpu && llvm::all_of(ops, [](ScatterOp op) {
           Type type = signless(getElementTypeOrSelf(op.getResult()));
           return (type.isInteger(32) || type.isInteger(64)) && op.getKind() != "set" && op.getKind() != "prod";
         });
}

/// What a table begins with: added to a zero it leaves the zero's sign.
static Value neutral(OpBuilder &builder, Location loc, ScatterOp op) {
  Type dtype = getElementTypeOrSelf(op.getResult()), type = signless(dtype);
  ScalarBuilder scalars(builder, loc, dtype);
  if (combinerOf(op) == ReductionKind::sum && isa<FloatType>(type))
    return scalars.constant(type, -0.0);
  if (auto complex = dyn_cast<ComplexType>(type); complex && combinerOf(op) == ReductionKind::sum) {
    Value zero = scalars.constant(complex.getElementType(), -0.0);
    return scalars.join(zero, zero);
  }
  return scalars.identity(combinerOf(op), type);
}

/// The number of elements behind the first axis, where it is a constant.
static std::optional<int64_t> constantCount(ArrayRef<Dim> shape) {
  int64_t product = 1;
  for (Dim dim : shape) {
    auto constant = constantDim(dim);
    if (!constant)
      return std::nullopt;
    product *= *constant;
  }
  return product;
}

/// The rows of an iteration space that have about as many updates as a block.
static int64_t blockOf(ArrayRef<Dim> space) {
  auto others = constantCount(space.drop_front());
  return others ? std::max<int64_t>(1, blockOfUpdates / std::max<int64_t>(1, *others)) : rowsOfBlock;
}

/// Into how many pieces updates are cut, where it may pay: a number that follows from the sizes alone, so that all
/// machines add in one order. Below 2 the updates are carried out one after the other, as NumPy does. In a loop of the
/// user's a size that isn't known counts as small.
std::optional<KernelFormer::Pieces> KernelFormer::piecesOf(ArrayRef<ScatterOp> ops) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  ArrayRef<Dim> space = shapes.shape(first.getValue());
  auto updates = constantCount(space);
  if (areAtomic(ops) || !llvm::all_of(ops, isAssociative) || (updates && *updates < 2 * leastPiece))
    return std::nullopt;
  bool isKnown =
      updates && llvm::all_of(ops, [&](ScatterOp op) { return constantCount(shapes.shape(op.getBase())).has_value(); });
  Operation *around = builder.getInsertionBlock()->getParentOp();
  if (!isKnown && (isa<LoopLikeOpInterface>(around) || around->getParentOfType<LoopLikeOpInterface>()))
    return std::nullopt;
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value places = index(0);
  for (ScatterOp op : ops)
    places = builder.createOrFold<arith::AddIOp>(loc, places, sizes.count(builder, loc, shapes.shape(op.getBase())));
  const int64_t tables = space.size() == 1 ? twoTables : 1;
  Value least = builder.createOrFold<arith::MulIOp>(loc, places, index(tables * updatesOfPlace));
  least = builder.createOrFold<arith::MaxSIOp>(loc, least, index(leastPiece));
  Value count = builder.createOrFold<arith::DivSIOp>(loc, sizes.count(builder, loc, space), least);
  count = builder.createOrFold<arith::MinSIOp>(loc, count, index(mostPieces));
  return Pieces{count, tables};
}

/// One update of each array, or of that one of its tables.
KernelFormer::Values KernelFormer::scatterElement(ArrayRef<ScatterOp> ops, Nest &at, Value table) {
  IndexFunction elements = here();
  Values results;
  for (auto [each, array] : llvm::zip_equal(ops, at.carried)) {
    ScatterOp op = each;
    Location loc = op.getLoc();
    ArrayRef<Dim> shape = shapes.shape(op.getBase());
    size_t rest = shapes.shape(op.getIndices().front()).size();
    Values position(shape.size());
    for (auto [axis, index] : llvm::zip_equal(op.getAxes(), op.getIndices()))
      position[axis] = elements.position(index, ArrayRef(at.indices).take_front(rest), shape[axis]);
    for (Value &axis : position)
      if (!axis)
        axis = at.indices[rest++];
    if (table)
      position.insert(position.begin(), table);
    Value scalar = elements.element(op.getValue(), at.indices);
    if (op.getKind() != "set") {
      Type element = getElementTypeOrSelf(op.getBase());
      Value sofar = tensor::ExtractOp::create(builder, loc, signless(element), array, position);
      scalar = ScalarBuilder(builder, loc, element).combine(combinerOf(op), sofar, scalar);
    }
    results.push_back(tensor::InsertOp::create(builder, loc, scalar, array, position));
  }
  return results;
}

/// The updates of some blocks, in C order. Where there are tables, rows go to them in turn, the first one of a block to
/// the first table, which is `table`.
KernelFormer::Values KernelFormer::scatterBlocks(ArrayRef<ScatterOp> ops, Value first, Value last, Values carried,
                                                 Nest &outer, int64_t tables, Value table) {
  ScatterOp op = ops.front();
  Location loc = op.getLoc();
  ArrayRef<Dim> space = shapes.shape(op.getValue());
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value rows = sizes.value(builder, loc, space.front());
  Value length = index(blockOf(space));
  auto rowOf = [&](Value row, Values arrays, Value own) {
    Nest at{{row}, {}};
    return nest(loc, space.drop_front(), arrays, at, [&](Nest &inner) { return scatterElement(ops, inner, own); });
  };
  return loop(loc, first, last, carried, outer, [&](Nest &block) -> Values {
    Value lower = builder.createOrFold<arith::MulIOp>(loc, block.indices.back(), length);
    Value upper = builder.createOrFold<arith::AddIOp>(loc, lower, length);
    upper = builder.createOrFold<arith::MinSIOp>(loc, upper, rows);
    Values arrays = block.carried;
    if (tables > 1) {
      Value count = builder.createOrFold<arith::SubIOp>(loc, upper, lower), width = index(tables);
      Value turns = builder.createOrFold<arith::DivUIOp>(loc, count, width);
      Nest along;
      arrays = loop(loc, index(0), turns, arrays, along, [&](Nest &turn) -> Values {
        Value at = builder.createOrFold<arith::MulIOp>(loc, turn.indices.back(), width);
        at = builder.createOrFold<arith::AddIOp>(loc, lower, at);
        Values next = turn.carried;
        for (int64_t lane = 0; lane < tables; ++lane)
          next = rowOf(builder.createOrFold<arith::AddIOp>(loc, at, index(lane)), next,
                       builder.createOrFold<arith::AddIOp>(loc, table, index(lane)));
        return next;
      });
      Value done = builder.createOrFold<arith::MulIOp>(loc, turns, width);
      lower = builder.createOrFold<arith::AddIOp>(loc, lower, done);
    }
    Nest along;
    return loop(loc, lower, upper, arrays, along,
                [&](Nest &row) { return rowOf(row.indices.back(), row.carried, table); });
  });
}

KernelFormer::Values KernelFormer::scatterInOrder(ArrayRef<ScatterOp> ops, Values arrays) {
  ScatterOp op = ops.front();
  Location loc = op.getLoc();
  ArrayRef<Dim> space = shapes.shape(op.getValue());
  Nest outer;
  auto rows = space.empty() ? std::nullopt : constantDim(space.front());
  bool isCombined = llvm::any_of(ops, [](ScatterOp each) { return each.getKind() != "set"; });
  if (!isCombined || areAtomic(ops) || space.empty() || (rows && *rows <= blockOf(space)))
    return nest(loc, space, arrays, outer, [&](Nest &at) { return scatterElement(ops, at, Value()); });
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value blocks = sizes.value(builder, loc, space.front().ceilDiv(blockOf(space)));
  return scatterBlocks(ops, zero, blocks, arrays, outer, 1, Value());
}

/// Adds up all tables into an array, in their order. Threads share the array's first axis.
Value KernelFormer::combineTables(ScatterOp op, Value array, Value tables, Value count) {
  Location loc = op.getLoc();
  ArrayRef<Dim> shape = shapes.shape(op.getBase());
  Type element = getElementTypeOrSelf(op.getBase());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value length = arith::ConstantIndexOp::create(builder, loc, blockOf(shape));
  Value all = sizes.value(builder, loc, shape.front());
  Value parts = sizes.value(builder, loc, shape.front().ceilDiv(blockOf(shape)));
  Nest outer;
  Value result = loop(loc, zero, parts, {array}, outer, [&](Nest &part) -> Values {
    Value lower = builder.createOrFold<arith::MulIOp>(loc, part.indices.back(), length);
    Value upper = builder.createOrFold<arith::AddIOp>(loc, lower, length);
    upper = builder.createOrFold<arith::MinSIOp>(loc, upper, all);
    Nest over;
    return loop(loc, zero, count, part.carried, over, [&](Nest &table) -> Values {
      Nest along;
      return loop(loc, lower, upper, table.carried, along, [&](Nest &row) -> Values {
        return nest(loc, shape.drop_front(), row.carried, row, [&](Nest &at) -> Values {
          Values from{table.indices.back()};
          llvm::append_range(from, at.indices);
          Value sofar = tensor::ExtractOp::create(builder, loc, signless(element), at.carried[0], at.indices);
          Value more = tensor::ExtractOp::create(builder, loc, signless(element), tables, from);
          Value sum = ScalarBuilder(builder, loc, element).combine(combinerOf(op), sofar, more);
          return {tensor::InsertOp::create(builder, loc, sum, at.carried[0], at.indices)};
        });
      });
    });
  })[0];
  setSchedule(result.getDefiningOp(), {.order = TurnOrder::parallel});
  return result;
}

/// Each piece has tables of its own, which begin with what changes nothing and take its updates in turn; then all
/// tables are combined with the array, in the order of the pieces.
KernelFormer::Values KernelFormer::scatterByPieces(ArrayRef<ScatterOp> ops, Values arrays, const Pieces &pieces) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  ArrayRef<Dim> space = shapes.shape(first.getValue());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value own = arith::ConstantIndexOp::create(builder, loc, pieces.tables);
  Value count = builder.createOrFold<arith::MulIOp>(loc, pieces.count, own);
  Value blocks = sizes.value(builder, loc, space.front().ceilDiv(blockOf(space)));
  Value length = builder.createOrFold<arith::CeilDivSIOp>(loc, blocks, pieces.count);
  Values tables;
  for (ScatterOp op : ops) {
    auto base = cast<RankedTensorType>(tensorOf(op.getBase()).getType());
    SmallVector<int64_t> extents{getConstantIntValue(count).value_or(ShapedType::kDynamic)};
    Values dynamic;
    if (ShapedType::isDynamic(extents[0]))
      dynamic.push_back(count);
    for (Dim dim : shapes.shape(op.getBase())) {
      extents.push_back(constantDim(dim).value_or(ShapedType::kDynamic));
      if (!constantDim(dim))
        dynamic.push_back(sizes.value(builder, loc, dim));
    }
    auto type = RankedTensorType::get(extents, base.getElementType());
    tables.push_back(
        bufferization::AllocTensorOp::create(builder, withType(loc, base.getElementType()), type, dynamic));
  }
  Nest outer;
  tables = loop(loc, zero, pieces.count, tables, outer, [&](Nest &piece) -> Values {
    Value number = piece.indices.back();
    Value row = builder.createOrFold<arith::MulIOp>(loc, number, own);
    Value end = builder.createOrFold<arith::AddIOp>(loc, row, own);
    Values filled;
    for (auto [each, table] : llvm::zip_equal(ops, piece.carried)) {
      ScatterOp op = each;
      Nest fill;
      llvm::append_range(filled, loop(loc, row, end, {table}, fill, [&](Nest &own) -> Values {
                           return nest(loc, shapes.shape(op.getBase()), own.carried, own, [&](Nest &at) -> Values {
                             Value start = neutral(builder, loc, op);
                             return {tensor::InsertOp::create(builder, loc, start, at.carried[0], at.indices)};
                           });
                         }));
    }
    Value lower = builder.createOrFold<arith::MulIOp>(loc, number, length);
    Value upper = builder.createOrFold<arith::AddIOp>(loc, lower, length);
    upper = builder.createOrFold<arith::MinSIOp>(loc, upper, blocks);
    Nest inner;
    return scatterBlocks(ops, lower, upper, filled, inner, pieces.tables, row);
  });
  setSchedule(tables.front().getDefiningOp(), {.order = TurnOrder::parallel});
  Values results;
  for (auto [op, array, table] : llvm::zip_equal(ops, arrays, tables))
    results.push_back(combineTables(op, array, table, count));
  return results;
}

void KernelFormer::storeScatters(ArrayRef<Value> members) {
  auto ops = llvm::map_to_vector(members, [](Value member) { return member.getDefiningOp<ScatterOp>(); });
  Location loc = ops.front().getLoc();
  Values arrays = llvm::map_to_vector(ops, [&](ScatterOp op) { return tensorOf(op.getBase()); });
  bool isLoop = !shapes.shape(ops.front().getValue()).empty();
  std::optional<Pieces> pieces = isLoop ? piecesOf(ops) : std::nullopt;
  auto known = pieces ? getConstantIntValue(pieces->count) : std::optional<int64_t>(0);
  Values results;
  if (known) {
    results = *known > 1 ? scatterByPieces(ops, arrays, *pieces) : scatterInOrder(ops, arrays);
  } else {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value isCut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, pieces->count, one);
    auto branch = scf::IfOp::create(builder, loc, ValueRange(arrays).getTypes(), isCut, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, loc, scatterByPieces(ops, arrays, *pieces));
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, scatterInOrder(ops, arrays));
    results = Values(branch.getResults());
  }
  for (auto [member, result] : llvm::zip_equal(members, results))
    stored[member] = {result};
}
