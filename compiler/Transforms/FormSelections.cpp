// Stores of what masks choose.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Transforms/KernelFormer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace quernel;

/// The numbers of elements that a mask chooses in pieces of its first axis, where these have been counted for the size
/// of what it chooses; else null. Pieces follow each other in C order.
ReduceOp KernelFormer::countsOf(CompressOp op) {
  auto size = dyn_cast<AffineSymbolExpr>(op.getSize().getResult(0));
  ReduceOp pieces;
  function.walk([&](SymbolOp symbol) {
    auto sum = symbol.getValue().getDefiningOp<ReduceOp>();
    if (!size || symbol.getNumber() != size.getPosition())
      return;
    for (; sum; sum = sum.getX().getDefiningOp<ReduceOp>())
      pieces = sum;
  });
  auto cast = pieces ? pieces.getX().getDefiningOp<CastOp>() : CastOp();
  const bool areCounts = cast && pieces.getChunk() && pieces.getKind() == "sum" && cast.getX() == op.getMask() &&
                         getElementTypeOrSelf(cast.getResult()).isInteger(64) && stored.count(pieces.getResult()) &&
                         pieces.getAxes().size() == shapes.shape(op.getMask()).size() && pieces.getAxes()[0] == 0;
  return areCounts ? pieces : ReduceOp();
}

/// Goes through the elements of a mask whose first index is in a range: what it chooses of each array goes to the
/// places from the last carried value on, which is the first place, up to `end`. Gives the arrays.
KernelFormer::Values KernelFormer::storeChosen(MutableArrayRef<CompressOp> ops, Value lower, Value upper, Value end,
                                               Values carried, Nest &outer) {
  Location loc = ops.front().getLoc();
  ArrayRef<Dim> masked = shapes.shape(ops.front().getMask());
  // Where an element costs next to nothing, each is stored at the next place, and the place moves on behind one that is
  // chosen: a processor can't foresee a mask, but it foresees that there still is a place. A device foresees nothing.
  const bool storesEach = targetOf(ops.front()).kind == TargetKind::cpu && llvm::all_of(ops, [&](CompressOp op) {
                            return shapes.shape(op.getX()).size() == masked.size() && plan->isCheap(op.getX());
                          });
  auto element = [&](Nest &inner) -> Values {
    Value chosen = here().element(ops.front().getMask(), inner.indices), place = inner.carried.pop_back_val();
    Value stores = chosen;
    if (storesEach)
      stores = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, end);
    auto branch = scf::IfOp::create(builder, loc, ValueRange(inner.carried).getTypes(), stores, true);
    Value step = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), chosen);
    Value next = arith::AddIOp::create(builder, loc, place, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, inner.carried);
    builder.setInsertionPointToEnd(branch.thenBlock());
    Values filled;
    for (auto [op, array] : llvm::zip(ops, inner.carried)) {
      Nest rest{inner.indices, {}};
      ArrayRef<Dim> others = shapes.shape(op.getX()).drop_front(masked.size());
      llvm::append_range(filled, nest(loc, others, {array}, rest, [&](Nest &at) -> Values {
                           Value scalar = here().element(op.getX(), at.indices);
                           Values position{place};
                           llvm::append_range(position, ArrayRef(at.indices).drop_front(masked.size()));
                           return {tensor::InsertOp::create(builder, loc, scalar, at.carried[0], position)};
                         }));
    }
    scf::YieldOp::create(builder, loc, filled);
    Values results(branch.getResults());
    results.push_back(next);
    return results;
  };
  Values results = masked.empty() ? (outer.carried = carried, element(outer))
                                  : loop(loc, lower, upper, carried, outer, [&](Nest &inner) -> Values {
                                      return nest(loc, masked.drop_front(), inner.carried, inner, element);
                                    });
  results.pop_back();
  return results;
}

void KernelFormer::storeCompress(ArrayRef<Value> members) {
  auto ops = llvm::map_to_vector(members, [](Value member) { return member.getDefiningOp<CompressOp>(); });
  CompressOp first = ops.front();
  Location loc = first.getLoc();
  ArrayRef<Dim> masked = shapes.shape(first.getMask());
  Values arrays, results;
  for (Value member : members)
    arrays.push_back(unwritten(loc, shapes.shape(member), getElementTypeOrSelf(member)));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value rows = masked.empty() ? Value() : sizes.value(builder, loc, masked.front());
  Nest outer;
  if (ReduceOp counts = countsOf(first)) {
    results = storePiecesOfMask(ops, counts, rows, arrays);
  } else {
    Value end = sizes.value(builder, loc, shapes.shape(members.front()).front());
    arrays.push_back(zero);
    results = storeChosen(ops, zero, rows, end, arrays, outer);
  }
  for (auto [member, result] : llvm::zip(members, results))
    stored[member] = {result};
}

/// The same piece by piece: it is known how many elements each one chooses, and so where those of the next one begin.
/// No piece stores where another one does.
KernelFormer::Values KernelFormer::storePiecesOfMask(MutableArrayRef<CompressOp> ops, ReduceOp counts, Value rows,
                                                     Values arrays) {
  Location loc = ops.front().getLoc();
  ArrayRef<Dim> shape = shapes.shape(counts.getResult());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value length = arith::ConstantIndexOp::create(builder, loc, *counts.getChunk());
  Value pieces = sizes.value(builder, loc, shape.front());
  auto countOf = [&](Value piece) -> Value {
    Value count = here().element(counts.getResult(), {piece});
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), count);
  };
  Nest scan, outer;
  Value begin = unwritten(loc, shape, builder.getI64Type());
  begin = loop(loc, zero, pieces, {begin, zero}, scan, [&](Nest &at) -> Values {
    Value piece = at.indices.back(), place = at.carried[1];
    Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), place);
    Value noted = tensor::InsertOp::create(builder, loc, number, at.carried[0], piece);
    return {noted, arith::AddIOp::create(builder, loc, place, countOf(piece))};
  })[0];
  Values results = loop(loc, zero, pieces, arrays, outer, [&](Nest &at) -> Values {
    Value piece = at.indices.back();
    Value place = tensor::ExtractOp::create(builder, loc, begin, piece);
    place = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), place);
    Value end = arith::AddIOp::create(builder, loc, place, countOf(piece));
    Value lower = arith::MulIOp::create(builder, loc, piece, length);
    Value upper = arith::AddIOp::create(builder, loc, lower, length);
    upper = arith::MinSIOp::create(builder, loc, upper, rows);
    Values carried = at.carried;
    carried.push_back(place);
    Nest inner;
    return storeChosen(ops, lower, upper, end, carried, inner);
  });
  setSchedule(results.front().getDefiningOp(), {.order = TurnOrder::parallel});
  return results;
}
