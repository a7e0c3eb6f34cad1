// Makes loops and branches anew around kernels. Arrays without axes become scalars in them.
#include "compiler/Transforms/KernelFormer.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace quernel;

static bool isScalarTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

static Type handedOverType(Type type) {
  return isScalarTensor(type) ? signless(cast<RankedTensorType>(type).getElementType()) : type;
}

bool KernelFormer::formInOrder(Operation *op) {
  if (llvm::any_of(op->getResults(), [&](Value value) { return plan->isScalar(value); })) {
    for (Value value : op->getResults())
      if (plan->isScalar(value))
        scalarOf(value);
    return llvm::none_of(op->getResults(), [&](Value value) { return plan->isStored(value); });
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<scf::ForOp>([&](auto loop) { return formFor(loop), true; })
      .Case<scf::WhileOp>([&](auto loop) { return formWhile(loop), true; })
      .Case<scf::IfOp>([&](auto branch) { return formIf(branch), true; })
      .Case<SymbolOp>([&](auto symbol) { return declareSymbol(symbol), true; })
      .Case<CheckOp>([&](auto check) { return formCheck(check), true; })
      .Case<HandOverOp>([&](auto op) { return formHandOver(op), true; })
      .Case<SizeOp>([&](auto size) {
        scalars[size.getResult()] = sizes.value(builder, size.getLoc(), size.getDim().getResult(0));
        return true;
      })
      .Case<AssumeShapeOp>([&](auto alias) {
        stored[alias.getResult()] = {tensorOf(alias.getX())};
        return true;
      })
      .Case<tensor::ExtractOp>([&](auto extract) {
        scalars[extract.getResult()] = scalarOf(extract.getTensor());
        return true;
      })
      .Case<arith::SelectOp>([&](auto select) { return formSelect(select), true; })
      .Case<UpdateSliceOp, ScatterOp>([](auto) { return false; })
      .Default([&](Operation *other) { return copyScalarOp(other), true; });
}

/// Upstream folds turn a branch that only chooses into a select.
void KernelFormer::formSelect(arith::SelectOp select) {
  Value condition = scalar(select.getCondition());
  if (!isa<RankedTensorType>(select.getType())) {
    scalars[select.getResult()] = arith::SelectOp::create(
        builder, select.getLoc(), condition, scalar(select.getTrueValue()), scalar(select.getFalseValue()));
    return;
  }
  Values sides = handedOver({select.getTrueValue(), select.getFalseValue()});
  stored[select.getResult()] = {
      arith::SelectOp::create(builder, select.getLoc(), condition, sides[0], sides[1]).getResult()};
}

/// Arithmetic on indices and conditions that upstream folds left behind.
void KernelFormer::copyScalarOp(Operation *op) {
  if (op->getNumResults() == 0 || op->getNumRegions() != 0)
    return;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, scalar(operand));
  Operation *copy = builder.clone(*op, mapping);
  mapValues(op->getResults(), copy->getResults());
}

Value KernelFormer::scalar(Value old) {
  auto found = scalars.find(old);
  return found == scalars.end() ? old : found->second;
}

Value KernelFormer::scalarOf(Value value) {
  Location loc = value.getLoc();
  if (auto found = stored.find(value); found != stored.end()) {
    Value kept = found->second.tensor;
    auto type = dyn_cast<RankedTensorType>(kept.getType());
    if (!type)
      return kept;
    Values position(type.getRank(), arith::ConstantIndexOp::create(builder, loc, 0));
    return tensor::ExtractOp::create(builder, loc, signless(type.getElementType()), kept, position);
  }
  Value result = here().element(value, {});
  if (value.getParentBlock() == forming) // everything that asks again sees it
    stored[value] = {result};
  return result;
}

KernelFormer::Values KernelFormer::handedOver(ValueRange values) {
  Values result;
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType()))
      result.push_back(scalar(value));
    else
      result.push_back(isScalarTensor(value.getType()) ? scalarOf(value) : tensorOf(value));
  }
  return result;
}

void KernelFormer::mapValues(ValueRange from, ValueRange to) {
  for (auto [old, made] : llvm::zip_equal(from, to)) {
    made.setLoc(old.getLoc());
    if (isa<RankedTensorType>(old.getType()))
      stored[old] = {made};
    else
      scalars[old] = made;
  }
}

void KernelFormer::formRegion(Block &from, Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  if (!to->empty())
    to->getTerminator()->erase();
  builder.setInsertionPointToEnd(to);
  // What the end of the region hands over is made inside, too: nothing outside may see it.
  llvm::SaveAndRestore within(forming, &from);
  formBlock(from);
  Operation *terminator = from.getTerminator();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator)) {
    Values arguments = handedOver(condition.getArgs());
    scf::ConditionOp::create(builder, terminator->getLoc(), scalar(condition.getCondition()), arguments);
    return;
  }
  scf::YieldOp::create(builder, terminator->getLoc(), handedOver(terminator->getOperands()));
}

void KernelFormer::formFor(scf::ForOp old) {
  Values inits = handedOver(old.getInitArgs());
  auto made = scf::ForOp::create(builder, old.getLoc(), scalar(old.getLowerBound()), scalar(old.getUpperBound()),
                                 scalar(old.getStep()), inits);
  mapValues(old.getBody()->getArguments(), made.getBody()->getArguments());
  formRegion(*old.getBody(), made.getBody());
  mapValues(old.getResults(), made.getResults());
  replaced.push_back(old);
}

void KernelFormer::formWhile(scf::WhileOp old) {
  Values inits = handedOver(old.getInits());
  SmallVector<Type> types = llvm::map_to_vector(old.getResultTypes(), handedOverType);
  auto made = scf::WhileOp::create(builder, old.getLoc(), types, inits);
  auto formSide = [&](Block &from, Region &region) {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> arguments = llvm::map_to_vector(from.getArgumentTypes(), handedOverType);
    Block *to = builder.createBlock(&region, {}, arguments, SmallVector<Location>(arguments.size(), old.getLoc()));
    mapValues(from.getArguments(), to->getArguments());
    formRegion(from, to);
  };
  formSide(old.getBefore().front(), made.getBefore());
  formSide(old.getAfter().front(), made.getAfter());
  mapValues(old.getResults(), made.getResults());
  replaced.push_back(old);
}

void KernelFormer::formIf(scf::IfOp old) {
  SmallVector<Type> types = llvm::map_to_vector(old.getResultTypes(), handedOverType);
  bool hasElse = !old.getElseRegion().empty();
  auto made = scf::IfOp::create(builder, old.getLoc(), types, scalar(old.getCondition()), hasElse);
  formRegion(*old.thenBlock(), made.thenBlock());
  if (hasElse)
    formRegion(*old.elseBlock(), made.elseBlock());
  mapValues(old.getResults(), made.getResults());
  replaced.push_back(old);
}

void KernelFormer::declareSymbol(SymbolOp op) {
  Value value = op.getValue();
  Value index = value.getType().isIndex()
                    ? scalar(value)
                    : builder.createOrFold<arith::IndexCastOp>(op.getLoc(), builder.getIndexType(), scalarOf(value));
  sizes.define(op.getNumber(), index);
}

void KernelFormer::checkSizes(Operation *place) {
  for (const SizeCheck &check : sizeChecks.at(place)) {
    // NumPy takes no notice of sizes of 0 here.
    Value one = arith::ConstantIndexOp::create(builder, check.loc, 1);
    Values factors = llvm::map_to_vector(check.factors, [&](Dim dim) -> Value {
      return builder.createOrFold<arith::MaxSIOp>(check.loc, sizes.value(builder, check.loc, dim), one);
    });
    auto count = CountOp::create(builder, check.loc, builder.getIndexType(), factors);
    Value none = arith::ConstantIndexOp::create(builder, check.loc, std::numeric_limits<int64_t>::max());
    Value fits = arith::CmpIOp::create(builder, check.loc, arith::CmpIPredicate::slt, count, none);
    for (Dim turns : check.turns) {
      Value zero = arith::ConstantIndexOp::create(builder, check.loc, 0);
      Value number = sizes.value(builder, check.loc, turns);
      Value never = arith::CmpIOp::create(builder, check.loc, arith::CmpIPredicate::sle, number, zero);
      fits = arith::OrIOp::create(builder, check.loc, fits, never);
    }
    written.insert(count);
    written.insert(
        CheckOp::create(builder, check.loc, fits, ValueRange(), ValueRange(), ValueRange(), "ValueError",
                        "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."));
  }
}

/// A copy of the array, which becomes the array itself where nothing else has its memory.
void KernelFormer::formHandOver(HandOverOp op) {
  Value array = tensorOf(op.getArray());
  Location loc = withType(op.getArray().getLoc(), getElementTypeOrSelf(op.getArray()));
  Value own =
      bufferization::AllocTensorOp::create(builder, loc, cast<RankedTensorType>(array.getType()), ValueRange(), array);
  auto made = AddressOp::create(builder, op.getLoc(), builder.getI64Type(), own);
  written.insert(made);
  stored[op.getAddress()] = {made.getAddress()};
}

void KernelFormer::formCheck(CheckOp op) {
  Value ok = handedOver(op.getOk())[0];
  Values values = handedOver(op.getValues()), state = handedOver(op.getState());
  auto made =
      CheckOp::create(builder, op.getLoc(), ok, values, state, ValueRange(), op.getException(), op.getMessage());
  written.insert(made);
}
