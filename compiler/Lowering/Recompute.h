// A value computed once more in another place.
#ifndef QUERNEL_LOWERING_RECOMPUTE_H
#define QUERNEL_LOWERING_RECOMPUTE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {

/// Computes a value again, and what it is computed from inside of `around`; `mapping` has what stands for other values
/// there, such as counters, and gets what is computed. Assumes that all of it may be computed where the builder is.
mlir::Value recompute(mlir::OpBuilder &builder, mlir::Value value, mlir::Operation *around, mlir::IRMapping &mapping);

} // namespace quernel

#endif
