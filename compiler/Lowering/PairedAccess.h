// Accesses whose elements lie side by side in memory, as the parts of a complex number do.
#ifndef QUERNEL_LOWERING_PAIREDACCESS_H
#define QUERNEL_LOWERING_PAIREDACCESS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace quernel {

/// The load or store after `first` of the next element of its buffer, where nothing in between can tell whether the two
/// happen at once; null if there is none.
mlir::Operation *secondOfPair(mlir::Operation *first);

/// Whether an access goes along memory with a loop's variable, element by element or pair by pair.
bool runsAlong(mlir::Operation *access, mlir::Value variable);

} // namespace quernel

#endif
