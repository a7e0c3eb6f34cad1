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
// A device has threads for many pieces, each with one table, and waits longer for each update.
static constexpr int64_t leastDevicePiece = 512;
static constexpr int64_t mostDevicePieces = 16384;
static constexpr int64_t placesForTables = 4096; // up to which threads have tables where each place has few updates
static constexpr int64_t updatesForTables = 64;  // of a place, from which on they have them for more places
static constexpr int64_t updatesForRounds = 1024;
static constexpr int64_t updatesOfRounds = 64; // of a place on average, at most: each takes a round
static constexpr int64_t placesOfClaim = 256;  // that updates in rounds look after for each update
static constexpr int64_t tablesOfGroup = 128;  // that are added up at the same time as those of other groups

namespace quernel {
/// How updates are cut: into how many pieces, and how many tables each of them has.
struct KernelFormer::Pieces {
  Value count;
  int64_t tables;
};

/// Numbers of tables: those from `first` to `end`, times `scale`.
struct KernelFormer::Range {
  Value first, end, scale;
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

/// Whether sizes are constants, or may be compared: in a loop of the user's those that aren't known count as small.
bool KernelFormer::mayAskSizes(ArrayRef<ScatterOp> ops) {
  ScatterOp first = ops.front();
  bool isKnown = constantCount(shapes.shape(first.getValue())) &&
                 llvm::all_of(ops, [&](ScatterOp op) { return constantCount(shapes.shape(op.getBase())).has_value(); });
  Operation *around = builder.getInsertionBlock()->getParentOp();
  return isKnown || !(isa<LoopLikeOpInterface>(around) || around->getParentOfType<LoopLikeOpInterface>());
}

/// Into how many pieces updates are cut, where it may pay: a number that follows from the sizes alone, so that all
/// machines add in one order. Below 2 the updates are carried out one after the other, as NumPy does. In a loop of the
/// user's a size that isn't known counts as small.
std::optional<KernelFormer::Pieces> KernelFormer::piecesOf(ArrayRef<ScatterOp> ops) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  ArrayRef<Dim> space = shapes.shape(first.getValue());
  auto updates = constantCount(space);
  const bool isDevice = targetOf(first).kind == TargetKind::gpu;
  const int64_t least = isDevice ? leastDevicePiece : leastPiece;
  if (areAtomic(ops) || !llvm::all_of(ops, isAssociative) || (updates && *updates < 2 * least))
    return std::nullopt;
  if (!mayAskSizes(ops))
    return std::nullopt;
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value places = index(0);
  for (ScatterOp op : ops)
    places = builder.createOrFold<arith::AddIOp>(loc, places, sizes.count(builder, loc, shapes.shape(op.getBase())));
  const int64_t tables = space.size() == 1 && !isDevice ? twoTables : 1;
  Value length = places;
  if (!isDevice)
    length = builder.createOrFold<arith::MulIOp>(loc, places, index(tables * updatesOfPlace));
  length = builder.createOrFold<arith::MaxSIOp>(loc, length, index(least));
  Value count = builder.createOrFold<arith::DivSIOp>(loc, sizes.count(builder, loc, space), length);
  count = builder.createOrFold<arith::MinSIOp>(loc, count, index(isDevice ? mostDevicePieces : mostPieces));
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

/// Memory for so many tables of an array's shape.
Value KernelFormer::tablesOf(ScatterOp op, Value count) {
  Location loc = op.getLoc();
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
  return bufferization::AllocTensorOp::create(builder, withType(loc, base.getElementType()), type, dynamic);
}

/// Has some tables begin with what changes nothing.
Value KernelFormer::fillTables(ScatterOp op, Value tables, Value first, Value end) {
  Location loc = op.getLoc();
  Nest outer;
  return loop(loc, first, end, {tables}, outer, [&](Nest &own) -> Values {
    return nest(loc, shapes.shape(op.getBase()), own.carried, own, [&](Nest &at) -> Values {
      Value start = neutral(builder, loc, op);
      return {tensor::InsertOp::create(builder, loc, start, at.carried[0], at.indices)};
    });
  })[0];
}

/// Combines an element, which is at `to`, with those of the tables `first`, `first + 1`, … times `scale`, in this
/// order. Where there are no tables the array has them.
KernelFormer::Values KernelFormer::addTables(ScatterOp op, Value array, const Values &to, Value tables,
                                             const Range &numbers, ArrayRef<Value> place) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getBase());
  Value sofar = tensor::ExtractOp::create(builder, loc, signless(element), array, to);
  Nest over;
  Value sum = loop(loc, numbers.first, numbers.end, {sofar}, over, [&](Nest &table) -> Values {
    Values from{builder.createOrFold<arith::MulIOp>(loc, table.indices.back(), numbers.scale)};
    llvm::append_range(from, place);
    Value more = tensor::ExtractOp::create(builder, loc, signless(element), tables ? tables : array, from);
    return {ScalarBuilder(builder, loc, element).combine(combinerOf(op), table.carried[0], more)};
  })[0];
  return {tensor::InsertOp::create(builder, loc, sum, array, to)};
}

/// Updates on a device, whose threads have a table each, which begins with what changes nothing. Neighbours take
/// updates beside each other: those of a piece are as far apart as there are pieces. The tables are added up in groups
/// first.
KernelFormer::Values KernelFormer::scatterByThreads(ArrayRef<ScatterOp> ops, Values arrays, const Pieces &pieces) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  ArrayRef<Dim> space = shapes.shape(first.getValue());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value size = arith::ConstantIndexOp::create(builder, loc, tablesOfGroup);
  Value rows = sizes.value(builder, loc, space.front());
  Value groups = builder.createOrFold<arith::CeilDivSIOp>(loc, pieces.count, size);
  Values tables = llvm::map_to_vector(
      ops, [&](ScatterOp op) { return fillTables(op, tablesOf(op, pieces.count), zero, pieces.count); });
  Nest outer;
  tables = loop(loc, zero, pieces.count, tables, outer, [&](Nest &piece) -> Values {
    Value number = piece.indices.back();
    Value left = builder.createOrFold<arith::SubIOp>(loc, rows, number);
    Value turns = builder.createOrFold<arith::CeilDivSIOp>(loc, left, pieces.count);
    Nest along;
    return loop(loc, zero, turns, piece.carried, along, [&](Nest &turn) -> Values {
      Value row = builder.createOrFold<arith::MulIOp>(loc, turn.indices.back(), pieces.count);
      Nest at{{builder.createOrFold<arith::AddIOp>(loc, row, number)}, {}};
      return nest(loc, space.drop_front(), turn.carried, at,
                  [&](Nest &inner) { return scatterElement(ops, inner, number); });
    });
  });
  setSchedule(tables.front().getDefiningOp(), {.order = TurnOrder::parallel});
  Values results;
  for (auto [each, array, own] : llvm::zip_equal(ops, arrays, tables)) {
    ScatterOp op = each;
    Nest over;
    Value sums = loop(loc, zero, groups, {own}, over, [&](Nest &group) -> Values {
      Value table = builder.createOrFold<arith::MulIOp>(loc, group.indices.back(), size);
      Value next = builder.createOrFold<arith::AddIOp>(loc, table, one);
      Value end = builder.createOrFold<arith::AddIOp>(loc, table, size);
      end = builder.createOrFold<arith::MinSIOp>(loc, end, pieces.count);
      Nest at;
      return nest(loc, shapes.shape(op.getBase()), group.carried, at, [&](Nest &place) -> Values {
        Values to{table};
        llvm::append_range(to, place.indices);
        return addTables(op, place.carried[0], to, Value(), {next, end, one}, place.indices);
      });
    })[0];
    setSchedule(sums.getDefiningOp(), {.order = TurnOrder::parallel});
    Nest at;
    results.push_back(nest(loc, shapes.shape(op.getBase()), {array}, at, [&](Nest &place) -> Values {
      return addTables(op, place.carried[0], place.indices, sums, {zero, groups, size}, place.indices);
    })[0]);
  }
  return results;
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
  Values tables = llvm::map_to_vector(ops, [&](ScatterOp op) { return tablesOf(op, count); });
  Nest outer;
  tables = loop(loc, zero, pieces.count, tables, outer, [&](Nest &piece) -> Values {
    Value number = piece.indices.back();
    Value row = builder.createOrFold<arith::MulIOp>(loc, number, own);
    Value end = builder.createOrFold<arith::AddIOp>(loc, row, own);
    Values filled;
    for (auto [each, table] : llvm::zip_equal(ops, piece.carried)) {
      ScatterOp op = each;
      filled.push_back(fillTables(op, table, row, end));
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

/// How many updates index arrays have, and how many places they may name.
std::pair<Value, Value> KernelFormer::updatesAndPlaces(ScatterOp op) {
  Shape places;
  for (int64_t axis : op.getAxes())
    places.push_back(shapes.shape(op.getBase())[axis]);
  return {sizes.count(builder, op.getLoc(), shapes.shape(op.getIndices().front())),
          sizes.count(builder, op.getLoc(), places)};
}

/// Whether updates go to tables of pieces.
Value KernelFormer::areCut(ArrayRef<ScatterOp> ops, const std::optional<Pieces> &pieces) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  if (!pieces)
    return arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto isMore = [&](Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, a, b);
  };
  Value some = isMore(pieces->count, index(1));
  if (targetOf(first).kind == TargetKind::cpu)
    return some;
  auto [updates, places] = updatesAndPlaces(first);
  Value many = builder.createOrFold<arith::MulIOp>(loc, places, index(updatesForTables));
  Value pays =
      builder.createOrFold<arith::OrIOp>(loc, isMore(index(placesForTables + 1), places), isMore(updates, many));
  return builder.createOrFold<arith::AndIOp>(loc, some, pays);
}

/// Whether a device carries out updates in rounds.
Value KernelFormer::takeRounds(ArrayRef<ScatterOp> ops) {
  ScatterOp first = ops.front();
  Location loc = first.getLoc();
  const bool arePossible = targetOf(first).kind == TargetKind::gpu && !areAtomic(ops) &&
                           !shapes.shape(first.getIndices().front()).empty() && mayAskSizes(ops) &&
                           llvm::all_of(ops, [&](ScatterOp op) {
                             return llvm::all_of(op.getAxes(), [&](int64_t axis) {
                               return shapes.shape(op.getBase())[axis] == shapes.shape(first.getBase())[axis];
                             });
                           });
  if (!arePossible)
    return arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto [updates, places] = updatesAndPlaces(first);
  Value most = builder.createOrFold<arith::MulIOp>(loc, updates, index(placesOfClaim));
  Value areMany = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, updates, index(updatesForRounds));
  Value areNear = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, places, most);
  Value take = builder.createOrFold<arith::AndIOp>(loc, areMany, areNear);
  if (first.getKind() == "set") // one round
    return take;
  Value afford = builder.createOrFold<arith::MulIOp>(loc, places, index(updatesOfRounds));
  Value areFew = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, updates, afford);
  return builder.createOrFold<arith::AndIOp>(loc, take, areFew);
}

/// One of two ways to change arrays, or a branch where only the run knows which.
KernelFormer::Values KernelFormer::choose(Value condition, const Values &arrays, function_ref<Values()> first,
                                          function_ref<Values()> second) {
  if (auto known = getConstantIntValue(condition))
    return *known != 0 ? first() : second();
  auto branch =
      scf::IfOp::create(builder, condition.getLoc(), ValueRange(arrays).getTypes(), condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [block, way] : {std::pair(branch.thenBlock(), first), std::pair(branch.elseBlock(), second)}) {
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, condition.getLoc(), way());
  }
  return Values(branch.getResults());
}

void KernelFormer::storeScatters(ArrayRef<Value> members) {
  auto ops = llvm::map_to_vector(members, [](Value member) { return member.getDefiningOp<ScatterOp>(); });
  Values arrays = llvm::map_to_vector(ops, [&](ScatterOp op) { return tensorOf(op.getBase()); });
  bool isLoop = !shapes.shape(ops.front().getValue()).empty();
  std::optional<Pieces> pieces = isLoop ? piecesOf(ops) : std::nullopt;
  auto byTables = [&] {
    const bool isDevice = targetOf(ops.front()).kind == TargetKind::gpu;
    return isDevice ? scatterByThreads(ops, arrays, *pieces) : scatterByPieces(ops, arrays, *pieces);
  };
  auto inRounds = [&] { return scatterInRounds(ops, arrays); };
  auto inOrder = [&] { return scatterInOrder(ops, arrays); };
  Values results =
      choose(areCut(ops, pieces), arrays, byTables, [&] { return choose(takeRounds(ops), arrays, inRounds, inOrder); });
  for (auto [member, result] : llvm::zip_equal(members, results))
    stored[member] = {result};
}
