// Where a program may end before its end: at a check that fails, or because the user wants it to stop.
#ifndef QUERNEL_COMPILER_EMIT_CHECKS_H
#define QUERNEL_COMPILER_EMIT_CHECKS_H

#include "compiler/Dialect/Quernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace quernel {

/// An exception that a program may raise.
struct ErrorSite {
  std::string exception, message, file;
  unsigned line = 0;
  /// The number of what has called the function of that line, as capture counts; 0 for the user's function itself.
  unsigned callers = 0;

  bool operator==(const ErrorSite &) const = default;
};

/// Whether a call is one of a routine that may end the program: with no library, or with no memory.
bool mayEndProgram(mlir::func::CallOp call);

/// Whether a call draws one number from a random stream and nothing else, by a routine that has no parameters.
bool isSingleDraw(mlir::func::CallOp call);

/// The exception of a check, of memory that can't be had, or of a routine of a library. That of memory is NumPy's own,
/// whose message is the dtype and whose numbers are the shape; a routine's has no message, its number is the code that
/// the runtime has given.
ErrorSite errorSite(mlir::Operation *op);

/// The exceptions of all the module's functions, each once. The code of one is QN_FIRST_ERROR plus its position.
std::vector<ErrorSite> errorSites(mlir::ModuleOp module);

/// What an operation's function returns where it ends the program, as a number of the module's exceptions.
int64_t errorCode(llvm::ArrayRef<ErrorSite> errors, mlir::Operation *op);

/// What a turn of the loop counts for when the program decides whether to ask if it has to stop: 0 where it asks in
/// each turn, nothing where it needn't ask.
std::optional<unsigned> pollCharge(mlir::Operation *loop);

/// True for the loop over what a vectorised one before it leaves over: it starts where that one ends.
bool isRemainder(mlir::scf::ForOp loop);

/// True for a loop that doesn't ask but may take long within one that does: its elements count where it begins.
bool isCharged(mlir::scf::ForOp loop);

/// True if a check, or a question whether the program has to stop, is in it: then its function returns a code.
bool mayStop(mlir::Operation *root);

} // namespace quernel

#endif
