// Vectors of booleans are integer vectors whose lanes are 0 or -1. The comparison that made one decides how wide its
// lanes are.
#ifndef QUERNEL_COMPILER_EMIT_MASKS_H
#define QUERNEL_COMPILER_EMIT_MASKS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace quernel {

class MaskWidths {
public:
  /// Bits of a lane of the mask; 0 if any width will do, as for a constant.
  unsigned natural(mlir::Value mask);
  /// The same with a width for every mask.
  unsigned of(mlir::Value mask);

private:
  unsigned compute(mlir::Value mask);
  unsigned ofResult(mlir::OpResult mask);
  unsigned ofArgument(mlir::BlockArgument mask);
  unsigned first(mlir::ValueRange masks);

  llvm::DenseMap<mlir::Value, unsigned> known;
};

} // namespace quernel

#endif
