// The user's lines that operations come from.
#ifndef QUERNEL_DIALECT_USERLINES_H
#define QUERNEL_DIALECT_USERLINES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace quernel {

/// The lines of locations as `f.py:6`, each once, in order.
llvm::SmallVector<std::string> userLines(llvm::ArrayRef<mlir::Location> locations);

} // namespace quernel

#endif
