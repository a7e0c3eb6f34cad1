#include "compiler/Lowering/TensorVersions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace quernel;

static OpOperand *handedIn(scf::WhileOp loop, unsigned number) {
  Value forwarded = loop.getConditionOp().getArgs()[number];
  while (forwarded && forwarded.getParentBlock() == loop.getBeforeBody() && !isa<BlockArgument>(forwarded))
    forwarded = previousVersion(forwarded);
  auto argument = dyn_cast_or_null<BlockArgument>(forwarded);
  bool isCarried = argument && argument.getOwner() == loop.getBeforeBody();
  return isCarried ? &loop.getInitsMutable()[argument.getArgNumber()] : nullptr;
}

/// Where the updates in one side of a branch take the array from outside.
static SmallVector<OpOperand *> takenFromOutside(OpOperand &yielded) {
  Region *side = yielded.getOwner()->getParentRegion();
  SmallVector<OpOperand *> operands{&yielded};
  while (!operands.empty() && side->isAncestor(operands.front()->get().getParentRegion()))
    operands = updatedOperands(operands.front()->get());
  return operands;
}

/// The same for both sides, if they update one array.
static SmallVector<OpOperand *> updatedByBoth(scf::IfOp branch, unsigned number) {
  SmallVector<OpOperand *> operands;
  for (scf::YieldOp side : {branch.thenYield(), branch.elseYield()}) {
    SmallVector<OpOperand *> taken = takenFromOutside(side->getOpOperand(number));
    if (taken.empty() || (!operands.empty() && operands.front()->get() != taken.front()->get()))
      return {};
    operands.append(taken);
  }
  return operands;
}

SmallVector<OpOperand *> quernel::updatedOperands(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return {&insert.getDestMutable()};
  if (auto update = dyn_cast<DestinationStyleOpInterface>(op))
    return {&update.getDpsInitsMutable()[number]};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {&loop.getInitsMutable()[number]};
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    OpOperand *init = handedIn(loop, number);
    return init ? SmallVector<OpOperand *>{init} : SmallVector<OpOperand *>();
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch ? updatedByBoth(branch, number) : SmallVector<OpOperand *>();
}

Value quernel::previousVersion(Value value) {
  SmallVector<OpOperand *> operands = updatedOperands(value);
  return operands.empty() ? Value() : operands.front()->get();
}

static void collectOrigins(Value value, llvm::SmallSetVector<Value, 4> &origins, llvm::SmallDenseSet<Value> &seen) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (op && isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
    return collectOrigins(op->getOperand(0), origins, seen);
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    collectOrigins(branch.thenYield().getOperand(number), origins, seen);
    collectOrigins(branch.elseYield().getOperand(number), origins, seen);
    return;
  }
  if (Value before = previousVersion(value))
    return collectOrigins(before, origins, seen);
  origins.insert(value);
}

llvm::SmallSetVector<Value, 4> quernel::originsOf(Value value) {
  llvm::SmallSetVector<Value, 4> origins;
  llvm::SmallDenseSet<Value> seen;
  collectOrigins(value, origins, seen);
  return origins;
}

static Operation *enclosingLoop(Operation *op) { return op->getParentOfType<LoopLikeOpInterface>(); }

/// An argument of a program that it doesn't write, or a constant.
static bool isWritable(Value origin) {
  auto argument = dyn_cast<BlockArgument>(origin);
  if (!argument)
    return isa<tensor::EmptyOp, bufferization::AllocTensorOp>(origin.getDefiningOp());
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return true;
  auto updates = function->getAttrOfType<DenseI64ArrayAttr>("quernel.updates");
  return updates && llvm::is_contained(updates.asArrayRef(), static_cast<int64_t>(argument.getArgNumber()));
}

static bool isReadAfter(Value value, Operation *where) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (where->isProperAncestor(user))
      return false;
    for (Operation *place = where; place; place = place->getParentOp())
      if (Operation *sibling = place->getBlock() ? place->getBlock()->findAncestorOpInBlock(*user) : nullptr) {
        if (place->isBeforeInBlock(sibling))
          return true;
        break;
      }
    bool isView = isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(user);
    return isView && isReadAfter(user->getResult(0), where);
  });
}

bool quernel::mayOverwrite(Value version, Operation *where) {
  Operation *home = isa<BlockArgument>(version) ? cast<BlockArgument>(version).getOwner()->getParentOp() : nullptr;
  bool isCarried = home && isa<LoopLikeOpInterface>(home);
  Operation *loop = isCarried ? home : enclosingLoop(home ? home : version.getDefiningOp());
  if (loop != enclosingLoop(where))
    return false;
  return llvm::all_of(originsOf(version), isWritable) && !isReadAfter(version, where);
}

bool quernel::isReadAfterUpdate(Value version, Operation *update) {
  return llvm::any_of(version.getUsers(), [&](Operation *user) {
    if (update->isProperAncestor(user))
      return isa<LoopLikeOpInterface>(update);
    Operation *sibling = update->getBlock()->findAncestorOpInBlock(*user);
    return sibling && update->isBeforeInBlock(sibling);
  });
}

bool quernel::isUpdateInPlace(Value value, Value target) {
  while (value && value != target) {
    Value before = previousVersion(value);
    Operation *update = value.getDefiningOp();
    if (!before || isReadAfterUpdate(before, update))
      return false;
    if (auto branch = dyn_cast<scf::IfOp>(update)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (!isUpdateInPlace(branch.thenYield().getOperand(number), before) ||
          !isUpdateInPlace(branch.elseYield().getOperand(number), before))
        return false;
    }
    value = before;
  }
  return value == target;
}

/// Computes a size again before `where`, if nothing that it is made of is computed later.
static Value valueBefore(OpBuilder &builder, Value value, Operation *where, IRMapping &copies) {
  if (value.getParentRegion()->isProperAncestor(where->getParentRegion()) && isa<BlockArgument>(value))
    return value;
  if (Value known = copies.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentRegion() == where->getParentRegion() ? value : Value();
  if (!where->isProperAncestor(op))
    return value;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isa<tensor::ExtractOp>(op))
    return {};
  for (Value operand : op->getOperands()) {
    Value before = valueBefore(builder, operand, where, copies);
    if (!before)
      return {};
    copies.map(operand, before);
  }
  builder.setInsertionPoint(where);
  return builder.clone(*op, copies)->getResult(cast<OpResult>(value).getResultNumber());
}

std::optional<SmallVector<OpFoldResult>> quernel::sizesBefore(OpBuilder &builder, Value value, Operation *where) {
  Value version = value;
  while (where->isProperAncestor(version.getParentBlock()->getParentOp()) ||
         version.getParentBlock()->getParentOp() == where) {
    if (auto empty = version.getDefiningOp<tensor::EmptyOp>()) {
      SmallVector<OpFoldResult> sizes;
      IRMapping copies;
      for (OpFoldResult size : empty.getMixedSizes()) {
        if (auto dynamic = dyn_cast<Value>(size)) {
          size = valueBefore(builder, dynamic, where, copies);
          if (!cast<Value>(size))
            return std::nullopt;
        }
        sizes.push_back(size);
      }
      return sizes;
    }
    auto argument = dyn_cast<BlockArgument>(version);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    version = loop ? loop.getTiedLoopInit(argument)->get() : previousVersion(version);
    if (!version)
      break;
  }
  if (!version) {
    if (cast<RankedTensorType>(value.getType()).hasStaticShape())
      return getAsIndexOpFoldResult(value.getContext(), cast<RankedTensorType>(value.getType()).getShape());
    return std::nullopt;
  }
  builder.setInsertionPoint(where);
  return tensor::getMixedSizes(builder, value.getLoc(), version);
}
