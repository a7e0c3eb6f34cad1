#include "compiler/Lowering/TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

bool quernel::isKnownBefore(Value value, Operation *where) {
  Operation *place = value.getParentBlock()->findAncestorOpInBlock(*where);
  if (!place)
    return false;
  Operation *op = value.getDefiningOp();
  return !op || (op != place && op->isBeforeInBlock(place));
}

namespace {

using Sizes = std::optional<SmallVector<OpFoldResult>>;

/// Computes sizes before one operation. What it computes twice is left to common subexpression elimination. A branch or
/// a loop that has been rewritten has no regions any more, and says nothing.
class Rebuilder {
public:
  Rebuilder(OpBuilder &builder, Operation *where) : builder(builder), where(where) {}

  Value value(Value old) {
    if (isKnownBefore(old, where))
      return old;
    if (Value known = copies.lookupOrNull(old))
      return known;
    Operation *op = old.getDefiningOp();
    if (!op)
      return {};
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return sizeOf(dim);
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isa<tensor::ExtractOp>(op))
      return {};
    for (Value operand : op->getOperands()) {
      Value before = value(operand);
      if (!before)
        return {};
      copies.map(operand, before);
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(where);
    return builder.clone(*op, copies)->getResult(cast<OpResult>(old).getResultNumber());
  }

  std::optional<OpFoldResult> fold(OpFoldResult old) {
    auto dynamic = dyn_cast<Value>(old);
    if (!dynamic)
      return old;
    Value before = value(dynamic);
    return before ? std::optional<OpFoldResult>(before) : std::nullopt;
  }

  Sizes sizes(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.hasStaticShape())
      return SmallVector<OpFoldResult>(getAsIndexOpFoldResult(builder.getContext(), type.getShape()));
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return sizesOfArgument(argument);
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    return llvm::TypeSwitch<Operation *, Sizes>(tensor.getDefiningOp())
        .Case<tensor::EmptyOp>([&](auto op) { return folds(op.getMixedSizes()); })
        .Case<bufferization::AllocTensorOp>([&](auto op) {
          if (op.getCopy())
            return sizes(op.getCopy());
          return folds(getMixedValues(type.getShape(), op.getDynamicSizes(), builder));
        })
        .Case<bufferization::ToTensorOp>([&](auto op) { return sizesOfBuffer(op.getBuffer()); })
        .Case<tensor::InsertOp, tensor::InsertSliceOp>([&](auto op) { return sizes(op.getDest()); })
        .Case<linalg::LinalgOp>([&](auto op) { return sizes(op.getDpsInits()[number]); })
        .Case<scf::ForOp>([&](auto op) { return sizes(op.getInitArgs()[number]); })
        .Case<scf::WhileOp>([&](auto op) {
          return op.getBefore().empty() ? std::nullopt : sizes(op.getConditionOp().getArgs()[number]);
        })
        .Case<scf::IfOp>([&](auto op) -> Sizes {
          if (op.getThenRegion().empty())
            return std::nullopt;
          Sizes first = sizes(op.thenYield().getOperand(number));
          return first ? first : sizes(op.elseYield().getOperand(number));
        })
        .Case<tensor::CastOp>([&](auto op) { return sizes(op.getSource()); })
        .Case<tensor::ExpandShapeOp>([&](auto op) { return folds(op.getMixedOutputShape()); })
        .Case<tensor::ExtractSliceOp>([&](auto op) {
          SmallVector<OpFoldResult> kept;
          auto dropped = op.getDroppedDims();
          for (auto [axis, size] : llvm::enumerate(op.getMixedSizes()))
            if (!dropped.test(axis))
              kept.push_back(size);
          return folds(kept);
        })
        .Case<tensor::CollapseShapeOp>([&](auto op) { return joined(op); })
        .Default([](Operation *) { return std::nullopt; });
  }

private:
  Sizes folds(ArrayRef<OpFoldResult> old) {
    SmallVector<OpFoldResult> result;
    for (OpFoldResult size : old) {
      auto before = fold(size);
      if (!before)
        return std::nullopt;
      result.push_back(*before);
    }
    return result;
  }

  Value sizeOf(tensor::DimOp dim) {
    auto axis = dim.getConstantIndex();
    Sizes all = axis ? sizes(dim.getSource()) : std::nullopt;
    if (!all)
      return {};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(where);
    return getValueOrCreateConstantIndexOp(builder, dim.getLoc(), (*all)[*axis]);
  }

  Sizes sizesOfArgument(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner))
      return sizes(loop.getTiedLoopInit(argument)->get());
    if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
      bool isBefore = argument.getOwner() == loop.getBeforeBody();
      return sizes((isBefore ? loop.getInits() : loop.getConditionOp().getArgs())[argument.getArgNumber()]);
    }
    return isKnownBefore(argument, where) ? dimsOf<tensor::DimOp>(argument) : std::nullopt;
  }

  Sizes sizesOfBuffer(Value buffer) {
    if (auto cast = buffer.getDefiningOp<memref::CastOp>())
      return sizesOfBuffer(cast.getSource());
    if (auto view = buffer.getDefiningOp<memref::ReinterpretCastOp>())
      return folds(view.getMixedSizes());
    return isKnownBefore(buffer, where) ? dimsOf<memref::DimOp>(buffer) : std::nullopt;
  }

  template <typename DimOp> Sizes dimsOf(Value array) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(where);
    SmallVector<OpFoldResult> result;
    for (auto [axis, extent] : llvm::enumerate(cast<ShapedType>(array.getType()).getShape())) {
      if (ShapedType::isDynamic(extent))
        result.push_back(DimOp::create(builder, array.getLoc(), array, axis).getResult());
      else
        result.push_back(builder.getIndexAttr(extent));
    }
    return result;
  }

  Sizes joined(tensor::CollapseShapeOp op) {
    Sizes parts = sizes(op.getSrc());
    if (!parts)
      return std::nullopt;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(where);
    SmallVector<OpFoldResult> result;
    for (const auto &group : op.getReassociationIndices()) {
      Value product = getValueOrCreateConstantIndexOp(builder, op.getLoc(), (*parts)[group.front()]);
      for (int64_t axis : ArrayRef(group).drop_front())
        product = builder.createOrFold<arith::MulIOp>(
            op.getLoc(), product, getValueOrCreateConstantIndexOp(builder, op.getLoc(), (*parts)[axis]));
      result.push_back(getAsOpFoldResult(product));
    }
    return result;
  }

  OpBuilder &builder;
  Operation *where;
  IRMapping copies;
};

} // namespace

Value quernel::valueBefore(OpBuilder &builder, Value value, Operation *where) {
  return Rebuilder(builder, where).value(value);
}

std::optional<OpFoldResult> quernel::valueBefore(OpBuilder &builder, OpFoldResult value, Operation *where) {
  return Rebuilder(builder, where).fold(value);
}

std::optional<SmallVector<OpFoldResult>> quernel::sizesBefore(OpBuilder &builder, Value tensor, Operation *where) {
  return Rebuilder(builder, where).sizes(tensor);
}
