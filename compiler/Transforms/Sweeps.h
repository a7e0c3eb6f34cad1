// Which kernels go through the rows of the same arrays, so that one loop over rows may hold them all.
#ifndef QUERNEL_TRANSFORMS_SWEEPS_H
#define QUERNEL_TRANSFORMS_SWEEPS_H

#include "compiler/Dialect/Quernel.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {

/// The rows that a kernel goes through: those of its results, one turn a row, or those of an operand that it reduces in
/// pieces of `chunk` rows.
struct RowSpace {
  Dim rows;
  std::optional<int64_t> chunk;
  bool operator==(const RowSpace &other) const { return rows == other.rows && chunk == other.chunk; }
};

/// What is read of an array: the row that the kernel's turn is at (`isOwnRow`), or anything else.
struct RowRead {
  mlir::Value array;
  bool isOwnRow;
};

/// The rows that the kernel which stores `value` goes through, if it has any.
std::optional<RowSpace> rowSpaceOf(mlir::Value value, ShapeAnalysis &shapes);

/// All that the kernel of `value` reads, an array that `isStored` or is an argument each time once for both answers.
llvm::SmallVector<RowRead> rowReadsOf(mlir::Value value, ShapeAnalysis &shapes,
                                      llvm::function_ref<bool(mlir::Value)> isStored);

/// Whether rows of an array of this shape are long enough for vectors along them.
bool hasLongRows(llvm::ArrayRef<Dim> shape);

/// Whether an array of this shape is too large to stay in a core's cache between two kernels.
bool isLarge(llvm::ArrayRef<Dim> shape);

} // namespace quernel

#endif
