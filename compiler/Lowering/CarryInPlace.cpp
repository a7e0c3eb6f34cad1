// Loops and branches hand their arrays over in place.
//
//   scf.for … iter_args(%x = %a) {                scf.for … iter_args(%x = %a) {
//     %new = linalg.generic outs(%empty) …   →      %new = linalg.generic outs(%empty) …
//     scf.yield %new                                %kept = bufferization.materialize_in_destination %new in %x
//                                                   scf.yield %kept
//
// Bufferisation then finds one buffer for all turns of a loop, and one for both sides of a branch.
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/TensorVersions.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace quernel {
#define GEN_PASS_DEF_CARRYINPLACE
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// A yielded array and the array whose buffer it goes to.
struct Move {
  OpOperand *operand;
  Value target;
  llvm::SmallSetVector<Value, 4> sources;
};

/// Makes all moves at once: an array is overwritten when no other move reads it any more.
class Handover {
public:
  explicit Handover(Operation *terminator) : builder(terminator) {}

  void add(OpOperand &operand, Value target) {
    if (!isUpdateInPlace(operand.get(), target))
      moves.push_back({&operand, target, originsOf(operand.get())});
  }

  void run() {
    while (!moves.empty()) {
      auto next = llvm::find_if(moves, [&](Move &move) { return isFree(move); });
      if (next == moves.end()) {
        snapshot(moves.front());
        continue;
      }
      Location loc = next->operand->get().getLoc();
      auto kept = bufferization::MaterializeInDestinationOp::create(builder, loc, next->operand->get(), next->target);
      next->operand->set(kept.getResult());
      moves.erase(next);
    }
  }

private:
  bool isFree(Move &move) {
    return llvm::none_of(moves, [&](Move &other) { return &other != &move && other.sources.contains(move.target); });
  }

  void snapshot(Move &move) {
    Value value = move.operand->get();
    auto type = cast<RankedTensorType>(value.getType());
    move.operand->set(bufferization::AllocTensorOp::create(builder, value.getLoc(), type, ValueRange(), value));
    move.sources.clear();
  }

  OpBuilder builder;
  SmallVector<Move> moves;
};

void carry(scf::ForOp loop) {
  Handover handover(loop.getBody()->getTerminator());
  for (auto [yielded, argument] : llvm::zip_equal(loop.getYieldedValuesMutable().value(), loop.getRegionIterArgs()))
    if (isa<RankedTensorType>(argument.getType()))
      handover.add(yielded, argument);
  handover.run();
}

/// The argument of the condition that an array handed on by it is a version of.
BlockArgument versionOf(scf::WhileOp loop, Value value) {
  BlockArgument version;
  for (Value origin : originsOf(value))
    if (auto argument = dyn_cast<BlockArgument>(origin); argument && argument.getOwner() == loop.getBeforeBody())
      version = argument;
  return version && version.getType() == value.getType() ? version : BlockArgument();
}

/// What the condition of a while loop hands on, in the order that bufferisation wants: first what it got itself, or
/// newer versions of that.
class Condition {
public:
  explicit Condition(scf::WhileOp loop) : loop(loop), forwarded(loop.getBeforeArguments()) {}

  /// The loop in that order; null where the condition makes an array of its own.
  scf::WhileOp sorted() {
    for (Value value : loop.getConditionOp().getArgs())
      if (!place(value))
        return {};
    auto inOrder = llvm::seq<unsigned>(0, forwarded.size());
    return llvm::equal(places, inOrder) ? loop : rebuild();
  }

private:
  bool place(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (isa<RankedTensorType>(value.getType())) {
      argument = versionOf(loop, value);
      if (!argument || llvm::is_contained(places, argument.getArgNumber()))
        return false;
    } else if (!argument || argument.getOwner() != loop.getBeforeBody()) {
      places.push_back(forwarded.size());
      forwarded.push_back(value);
      return true;
    }
    places.push_back(argument.getArgNumber());
    forwarded[argument.getArgNumber()] = value;
    return true;
  }

  scf::WhileOp rebuild() {
    OpBuilder builder(loop);
    auto wider = scf::WhileOp::create(builder, loop.getLoc(), ValueRange(forwarded).getTypes(), loop.getInits());
    wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    loop.getConditionOp().getArgsMutable().assign(forwarded);
    wider.getBefore().takeBody(loop.getBefore());
    wider.getAfter().takeBody(loop.getAfter());
    Block *body = wider.getAfterBody();
    unsigned count = body->getNumArguments();
    for (Value value : forwarded)
      body->addArgument(value.getType(), value.getLoc());
    for (auto [old, place] : llvm::enumerate(places)) {
      body->getArgument(count + place).setLoc(body->getArgument(old).getLoc());
      body->getArgument(old).replaceAllUsesWith(body->getArgument(count + place));
      loop.getResult(old).replaceAllUsesWith(wider.getResult(place));
    }
    body->eraseArguments(0, count);
    loop.erase();
    return wider;
  }

  scf::WhileOp loop;
  SmallVector<Value> forwarded;
  SmallVector<unsigned> places;
};

LogicalResult carry(scf::WhileOp unsorted) {
  scf::WhileOp loop = Condition(unsorted).sorted();
  if (!loop)
    return unsorted.emitOpError("has a condition that makes an array of its own");
  Handover decided(loop.getConditionOp()), handover(loop.getYieldOp());
  for (BlockArgument argument : loop.getBeforeArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    unsigned number = argument.getArgNumber();
    decided.add(loop.getConditionOp().getArgsMutable()[number], argument);
    handover.add(loop.getYieldOp()->getOpOperand(number), loop.getAfterArguments()[number]);
  }
  decided.run();
  handover.run();
  return success();
}

/// Finds one array for both sides of a branch to write to.
class Branch {
public:
  explicit Branch(scf::IfOp branch) : branch(branch), builder(branch) {}

  LogicalResult run() {
    Handover inThen(branch.thenYield()), inElse(branch.elseYield());
    for (OpResult result : branch.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      unsigned number = result.getResultNumber();
      OpOperand &left = branch.thenYield()->getOpOperand(number), &right = branch.elseYield()->getOpOperand(number);
      Value target = destination(left.get(), right.get());
      if (!target)
        return branch.emitOpError("gives an array whose size is only known inside");
      inThen.add(left, target);
      inElse.add(right, target);
    }
    inThen.run();
    inElse.run();
    return success();
  }

private:
  Value destination(Value left, Value right) {
    for (Value side : {left, right})
      for (Value origin : originsOf(side))
        if (Value known = outside(origin, side); known && !taken.contains(known) && mayOverwrite(known, branch)) {
          taken.insert(known);
          return known;
        }
    return fresh(left, right);
  }

  /// The last version outside the branch that the value is made from.
  Value outside(Value origin, Value value) {
    auto isOutside = [&](Value version) {
      return !branch->isProperAncestor(version.getParentRegion()->getParentOp()) &&
             version.getParentRegion()->getParentOp() != branch;
    };
    if (!isOutside(origin) || origin.getType() != value.getType())
      return {};
    Value version = value;
    while (version && !isOutside(version))
      version = previousVersion(version);
    // Any other place may be put for an array that nothing is set in yet, for one side alone even.
    bool fits = version && version.getType() == value.getType() && !version.getDefiningOp<tensor::EmptyOp>();
    return fits ? version : Value();
  }

  /// An array that no other place is ever put for.
  Value fresh(Value left, Value right) {
    auto type = cast<RankedTensorType>(left.getType());
    for (Value side : {left, right})
      if (auto sizes = sizesBefore(builder, side, branch)) {
        SmallVector<Value> dynamic;
        for (auto [extent, size] : llvm::zip_equal(type.getShape(), *sizes))
          if (ShapedType::isDynamic(extent))
            dynamic.push_back(getValueOrCreateConstantIndexOp(builder, side.getLoc(), size));
        return bufferization::AllocTensorOp::create(builder, side.getLoc(), type, dynamic);
      }
    return {};
  }

  scf::IfOp branch;
  OpBuilder builder;
  llvm::SmallDenseSet<Value> taken;
};

/// A choice between arrays is a branch.
void expandChoices(func::FuncOp function) {
  SmallVector<arith::SelectOp> choices;
  function.walk([&](arith::SelectOp choice) {
    if (isa<RankedTensorType>(choice.getType()) && choice.getCondition().getType().isInteger(1))
      choices.push_back(choice);
  });
  for (arith::SelectOp choice : choices) {
    OpBuilder builder(choice);
    auto yield = [](Value value) {
      return [value](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, value); };
    };
    auto branch = scf::IfOp::create(builder, choice.getLoc(), choice.getCondition(), yield(choice.getTrueValue()),
                                    yield(choice.getFalseValue()));
    choice.replaceAllUsesWith(branch.getResult(0));
    choice.erase();
  }
}

/// Arrays in which nothing is set yet are no common subexpressions: each is filled with something else.
void separateEmptyArrays(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> arrays;
  function.walk([&](tensor::EmptyOp empty) { arrays.push_back(empty); });
  for (tensor::EmptyOp empty : arrays)
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses()))
      if (!empty->hasOneUse())
        use.set(OpBuilder(use.getOwner()).clone(*empty)->getResult(0));
}

/// True for an array of one value that isn't read from anywhere.
bool isFill(linalg::GenericOp generic) {
  return generic && generic->getNumResults() == 1 && generic.getNumDpsInputs() == 0 && !generic.getLibraryCallAttr() &&
         llvm::all_of(generic.getBody()->getOperations(), [](Operation &op) {
           return op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>();
         });
}

/// Fills each place of its own, instead of one array that is copied to all of them.
void separateFills(func::FuncOp function) {
  SmallVector<tensor::InsertSliceOp> inserts;
  function.walk([&](tensor::InsertSliceOp insert) { inserts.push_back(insert); });
  for (tensor::InsertSliceOp insert : inserts) {
    auto fill = insert.getSource().getDefiningOp<linalg::GenericOp>();
    if (isFill(fill) && !fill->getResult(0).hasOneUse())
      insert.getSourceMutable().assign(OpBuilder(insert).clone(*fill)->getResult(0));
  }
}

struct CarryInPlace : quernel::impl::CarryInPlaceBase<CarryInPlace> {
  void runOnOperation() override {
    expandChoices(getOperation());
    separateFills(getOperation());
    separateEmptyArrays(getOperation());
    SmallVector<Operation *> structures;
    getOperation().walk([&](Operation *op) {
      if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) || op->getParentOfType<linalg::GenericOp>())
        return;
      structures.push_back(op);
      // The loops that may run for long, in which the program looks whether the user wants it to stop.
      if (isa<scf::ForOp>(op) && !op->hasAttr("quernel.reduce"))
        op->setAttr("quernel.turns", UnitAttr::get(op->getContext()));
    });
    for (Operation *op : structures) {
      LogicalResult result = success();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carry(loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        result = carry(loop);
      else if (auto branch = cast<scf::IfOp>(op); branch.getNumResults() != 0)
        result = Branch(branch).run();
      if (failed(result))
        return signalPassFailure();
    }
  }
};

} // namespace
