// Ends a program where the caller could get no memory for an output.
#ifndef QUERNEL_LOWERING_OUTPUTCHECKS_H
#define QUERNEL_LOWERING_OUTPUTCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quernel {

/// Puts a `quernel.allocated` before the first use of each output on each path, as if the program allocated it there: a
/// path that doesn't use an output doesn't fail for its sake. Assumes that the views of the outputs are still there.
/// Outputs that are surely small are left out.
void checkOutputs(mlir::func::FuncOp program);

} // namespace quernel

#endif
