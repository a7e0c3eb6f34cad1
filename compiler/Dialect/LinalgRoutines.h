/// \file
/// The routines of LAPACK that programs call: which axes their operands have.
#ifndef QUERNEL_DIALECT_LINALGROUTINES_H
#define QUERNEL_DIALECT_LINALGROUTINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace quernel {

/// An operand's axes behind the batch axes: `i` of the matrix's rows, `j` of its columns, `k` of a right-hand side's
/// columns, or of the lesser of rows and columns where there is none.
struct LinalgRoutine {
  llvm::StringRef kind;
  bool isSquare;
  llvm::ArrayRef<llvm::StringRef> inputs, outputs;
  int realOutput; ///< which output is real where the matrix is complex; -1 for none
};

/// The routine of a name; null where there is none.
const LinalgRoutine *findLinalgRoutine(llvm::StringRef kind);

} // namespace quernel

#endif
