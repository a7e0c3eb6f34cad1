// The sizes of tensors as values that exist at a given place.
#ifndef QUERNEL_LOWERING_TENSORSIZES_H
#define QUERNEL_LOWERING_TENSORSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include <optional>

namespace quernel {

/// True if the value may be used by an operation that stands where `where` stands.
bool isKnownBefore(mlir::Value value, mlir::Operation *where);

/// The value computed again before `where`, with all that it is made of, unless it exists there already. Null where it
/// needs something that exists only later, or that reads memory.
mlir::Value valueBefore(mlir::OpBuilder &builder, mlir::Value value, mlir::Operation *where);
std::optional<mlir::OpFoldResult> valueBefore(mlir::OpBuilder &builder, mlir::OpFoldResult value,
                                              mlir::Operation *where);

/// The sizes of a tensor, computed before `where`; nothing where they aren't known there. All versions of an array have
/// the same sizes, so that any of them may say what they are.
std::optional<llvm::SmallVector<mlir::OpFoldResult>> sizesBefore(mlir::OpBuilder &builder, mlir::Value tensor,
                                                                 mlir::Operation *where);

} // namespace quernel

#endif
