// Kernels of a device, as the programs and the printer see them.
#ifndef QUERNEL_LOWERING_OFFLOAD_H
#define QUERNEL_LOWERING_OFFLOAD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quernel {

/// How many threads share a turn of the kernel's grid: its lanes, or one.
int64_t lanesOf(mlir::func::FuncOp kernel);

/// The bytes of shared memory that the kernel declares for a turn of its grid.
int64_t sharedBytesOf(mlir::func::FuncOp kernel);

/// Whether a turn of the kernel's grid has a block for itself, whose workers compute it together.
bool hasTeams(mlir::func::FuncOp kernel);

/// How many threads a block of the kernel has at most. Those of several turns each have shared memory of their own.
int64_t blockOf(mlir::func::FuncOp kernel);

/// What casts show.
mlir::Value withoutCasts(mlir::Value buffer);

/// Whether a buffer of a program is the host's: a constant, or the parts of a number that is handed over by value.
bool isOnHost(mlir::Value buffer);

} // namespace quernel

#endif
