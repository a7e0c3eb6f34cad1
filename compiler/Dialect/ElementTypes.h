// Element types: how NumPy's dtypes appear in MLIR, and what is left of them in kernels.
#ifndef QUERNEL_DIALECT_ELEMENTTYPES_H
#define QUERNEL_DIALECT_ELEMENTTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quernel {

/// The element type of a dtype by NumPy's name, null for a dtype that programs don't have. Unsigned integers are `ui8`
/// to `ui64` in the quernel dialect.
mlir::Type elementTypeOf(llvm::StringRef dtype, mlir::MLIRContext *context);

/// NumPy's name of an element type.
std::string dtypeName(mlir::Type element);

/// NumPy's kind of an element type: b bool, i integer, u unsigned integer, f float, c complex.
char kindOf(mlir::Type element);

/// Bytes of an element in memory; of an index, too.
int64_t elementBytes(mlir::Type element);

/// Kernels have signless integers alone, since their operations say what the signs are. Works on scalars and on shaped
/// types.
mlir::Type signless(mlir::Type type);
mlir::DenseElementsAttr signless(mlir::DenseElementsAttr elements);

// Kernels have signless integers alone, and plain memory; for the texts of errors, locations and attributes keep the
// user's types.

/// The types, where one of them has a sign that kernels don't have; else null.
mlir::ArrayAttr signedTypes(mlir::MLIRContext *context, mlir::TypeRange types);
/// A location that keeps the type of the array at it, or of its elements.
mlir::Location withType(mlir::Location loc, mlir::Type type);
/// The type that a location keeps if its elements are these but for the sign; else this one.
mlir::Type typeAt(mlir::Location loc, mlir::Type element);

} // namespace quernel

#endif
