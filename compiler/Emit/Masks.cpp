#include "compiler/Emit/Masks.h"

#include "compiler/Emit/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace quernel {

static constexpr unsigned defaultWidth = 64;

unsigned MaskWidths::of(Value mask) {
  unsigned width = natural(mask);
  return width ? width : defaultWidth;
}

unsigned MaskWidths::natural(Value mask) {
  // A mask that a loop carries leads back to itself; there it has no say.
  auto [found, isNew] = known.try_emplace(mask, 0);
  if (!isNew)
    return found->second;
  unsigned width = compute(mask);
  known[mask] = width;
  return width;
}

/// The width of the first mask that has one.
unsigned MaskWidths::first(ValueRange masks) {
  for (Value mask : masks)
    if (isMask(mask.getType()))
      if (unsigned width = natural(mask))
        return width;
  return 0;
}

unsigned MaskWidths::compute(Value mask) {
  if (auto result = dyn_cast<OpResult>(mask))
    return ofResult(result);
  return ofArgument(cast<BlockArgument>(mask));
}

unsigned MaskWidths::ofResult(OpResult mask) {
  Operation *op = mask.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getTiedLoopRegionIterArg(mask));
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = mask.getResultNumber();
    unsigned width = first({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
    return width ? width : defaultWidth;
  }
  if (isa<vector::LoadOp, vector::GatherOp>(op))
    return 8;
  if (isa<arith::ConstantOp, vector::BroadcastOp>(op) || op->getNumOperands() == 0)
    return 0;
  // Masks that are made of masks follow them; comparisons and the like follow what they look at.
  if (unsigned width = first(op->getOperands()))
    return width;
  Type operand = op->getOperand(0).getType();
  return isMask(operand) || !isa<VectorType>(operand) ? 0 : elementBits(getElementTypeOrSelf(operand));
}

unsigned MaskWidths::ofArgument(BlockArgument mask) {
  auto loop = dyn_cast<scf::ForOp>(mask.getOwner()->getParentOp());
  if (!loop)
    return defaultWidth;
  OpOperand *init = loop.getTiedLoopInit(mask);
  unsigned width = first({init->get(), loop.getTiedLoopYieldedValue(mask)->get()});
  return width ? width : defaultWidth;
}

} // namespace quernel
