/// \file
/// The routines of libraries that programs call on whole arrays: LAPACK's, sorting, Fourier transforms.
#ifndef QUERNEL_DIALECT_ROUTINES_H
#define QUERNEL_DIALECT_ROUTINES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace quernel {

/// The elements of an operand: those of the routine's first input, real or complex numbers of the same width, int64.
enum class RoutineElement { own, real, complex, places };

/// An operand's axes beside those of the batch, a letter each; equal letters are equal sizes. An input without letters
/// is one number for all problems where it has no axes at all.
struct RoutineOperand {
  llvm::StringRef axes;
  RoutineElement element = RoutineElement::own;
};

/// Letters of outputs that no input has: `k` of LAPACK's routines is the lesser of rows and columns, others are sizes
/// that the operation names.
struct Routine {
  enum class Library { lapack, sorting, fourier };

  llvm::StringRef kind;
  Library library;
  llvm::ArrayRef<RoutineOperand> inputs, outputs;
  /// Of the first input's elements: a letter for each kind, of `b`, `i`, `f`, `c`.
  llvm::StringRef elements;
  /// Whether rows and columns are equally many.
  bool isSquare = false;
  /// Whether there is one more output behind the others, an int64 that isn't 0 where a problem of the batch had no
  /// answer.
  bool mayFail = false;

  /// All letters, in alphabetical order: the axes of the routine's iteration space behind those of the batch.
  llvm::SmallVector<char> letters() const;
  /// How many axes the batch has where the first input is of a rank.
  unsigned batchRank(unsigned rank) const { return rank - inputs.front().axes.size(); }
};

/// The routine of a name; null where there is none.
const Routine *findRoutine(llvm::StringRef kind);

/// The type of an operand's elements where those of the first input are given.
mlir::Type routineElement(RoutineElement element, mlir::Type own);

} // namespace quernel

#endif
