#include "compiler/Lowering/Recompute.h"

using namespace mlir;

Value quernel::recompute(OpBuilder &builder, Value value, Operation *around, IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  if (op && !mapping.contains(value) && around->isProperAncestor(op)) {
    for (Value operand : op->getOperands())
      recompute(builder, operand, around, mapping);
    builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(value);
}
