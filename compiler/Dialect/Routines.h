/// \file
/// The routines of libraries that programs call on whole arrays: the rows of runtime/Library.def.
#ifndef QUERNEL_DIALECT_ROUTINES_H
#define QUERNEL_DIALECT_ROUTINES_H

#include "mlir/IR/BuiltinTypes.h"
#include "runtime/Library.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace quernel {

/// The elements of an operand: those of the routine's first input, real or complex numbers of the same width, int64,
/// uint64, float64, float32.
enum class RoutineElement { own, real, complex, places, words, doubles, floats };

/// An operand's axes beside those of the batch, a letter each; equal letters are equal sizes. An input without letters
/// is one number for all problems where it has no axes at all.
struct RoutineOperand {
  llvm::StringRef axes;
  RoutineElement element;
};

/// A row of the table, with its signature taken apart.
struct Routine {
  explicit Routine(const RoutineRow &row);

  llvm::StringRef name;
  Library library;
  llvm::SmallVector<RoutineOperand, 4> inputs, outputs;
  /// Of the first input's elements: a letter for each kind, of `b`, `i`, `u`, `h` (float16), `f`, `c`.
  llvm::StringRef elements;
  bool isSquare, mayFail, hasContiguousResults, alwaysEnds;

  bool takes(mlir::Type element) const;
  /// All letters, in alphabetical order: the axes of the routine's iteration space behind those of the batch.
  llvm::SmallVector<char> letters() const;
  /// The inputs, then the outputs, without what says whether a problem has no answer.
  llvm::SmallVector<RoutineOperand> arrays() const;
  /// How many axes the batch has where the first input is of a rank.
  unsigned batchRank(unsigned rank) const {
    const unsigned own = inputs.front().axes.size();
    return rank > own ? rank - own : 0;
  }
  /// Whether an input without axes is one number for all that a letter counts.
  bool takesNumbers() const { return library == Library::random; }
};

/// The routine of a name; null where there is none.
const Routine *findRoutine(llvm::StringRef name);

/// The type of an operand's elements where those of the first input are given.
mlir::Type routineElement(RoutineElement element, mlir::Type own);

/// What stands for a routine in a program until it is a call of the ABI: a function such as `qn_solve_f64`.
struct RoutineFunction {
  const Routine *routine;
  llvm::StringRef type; ///< of the first input's elements

  static std::string nameOf(llvm::StringRef routine, mlir::Type element);
  /// What a function's name says; nothing where that is no routine's.
  static std::optional<RoutineFunction> find(llvm::StringRef name);

  /// The numbers that the ABI has for the routine and the type.
  unsigned routineNumber() const;
  unsigned typeNumber() const;
};

} // namespace quernel

#endif
