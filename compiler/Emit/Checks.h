// Where a program may end before its end: at a check that fails, or because the user wants it to stop.
#ifndef QUERNEL_COMPILER_EMIT_CHECKS_H
#define QUERNEL_COMPILER_EMIT_CHECKS_H

#include "compiler/Dialect/Quernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace quernel {

/// An exception that a program may raise.
struct ErrorSite {
  std::string exception, message, file;
  unsigned line = 0;

  bool operator==(const ErrorSite &) const = default;
};

/// The exception of a check or of memory that can't be had; that one is NumPy's own, whose message is
/// the dtype and whose numbers are the shape.
ErrorSite errorSite(mlir::Operation *op);

/// The exceptions of all the module's functions, each once. The code of one is QN_FIRST_ERROR plus its position.
std::vector<ErrorSite> errorSites(mlir::ModuleOp module);

/// In how many turns of the loop the program asks once whether it has to stop; nothing where it needn't ask.
std::optional<unsigned> pollInterval(mlir::Operation *loop);

/// True if the function has a check, or asks whether it has to stop: then it returns a code.
bool mayStop(mlir::func::FuncOp function);

} // namespace quernel

#endif
