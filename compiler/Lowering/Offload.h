// Kernels of a device, as the programs and the printer see them.
#ifndef QUERNEL_LOWERING_OFFLOAD_H
#define QUERNEL_LOWERING_OFFLOAD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace quernel {

/// Threads of a block where nothing asks for another number.
constexpr int64_t usualBlock = 256;

/// How many threads share a turn of the kernel's grid: its lanes, or one.
int64_t lanesOf(mlir::func::FuncOp kernel);

/// The bytes of shared memory that the kernel has for a turn of its grid.
int64_t sharedBytesOf(mlir::func::FuncOp kernel);

/// The bytes of shared memory that launches of the kernel have to ask for, as they are more than a kernel may declare:
/// all that a block's only turn has. 0 for other kernels.
int64_t dynamicBytesOf(mlir::func::FuncOp kernel);

/// Where an allocation of shared memory begins in what launches ask for.
int64_t dynamicPlaceOf(mlir::memref::AllocaOp memory);

/// How many threads a block has at least whose workers share a turn: where few blocks have room on a multiprocessor,
/// these still have so many threads that memory is kept busy.
int64_t leastThreadsOf(mlir::func::FuncOp kernel);

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
