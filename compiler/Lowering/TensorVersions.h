// Arrays as chains of versions: what an array was before its last update.
#ifndef QUERNEL_LOWERING_TENSORVERSIONS_H
#define QUERNEL_LOWERING_TENSORVERSIONS_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {

/// Where an update takes the array that it changes: an update's destination, a loop's initial value, the first updates
/// in both sides of a branch. All hold one value of the same type; none where the value begins.
llvm::SmallVector<mlir::OpOperand *> updatedOperands(mlir::Value value);

/// The array that the value is an update of; null where the value begins.
mlir::Value previousVersion(mlir::Value value);

/// The beginnings of the arrays that the value may share memory with, through updates and views.
llvm::SmallSetVector<mlir::Value, 4> originsOf(mlir::Value value);

/// True if the array's memory may be changed at `where`, since nothing reads this version after it.
bool mayOverwrite(mlir::Value version, mlir::Operation *where);

/// True if something reads the array at or after the operation, which updates it.
bool isReadAfterUpdate(mlir::Value version, mlir::Operation *update);

/// True if the value is made from the target by updates alone, each of which may happen in place.
bool isUpdateInPlace(mlir::Value value, mlir::Value target);

/// The sizes of an array, computed before `where`; nothing where they aren't known there.
std::optional<llvm::SmallVector<mlir::OpFoldResult>> sizesBefore(mlir::OpBuilder &builder, mlir::Value value,
                                                                 mlir::Operation *where);

} // namespace quernel

#endif
