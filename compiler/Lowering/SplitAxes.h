// A parallel loop of several axes as one loop an axis.
#ifndef QUERNEL_LOWERING_SPLITAXES_H
#define QUERNEL_LOWERING_SPLITAXES_H

#include "compiler/Dialect/Attributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace quernel {

/// Opens one loop per axis, in order, and moves the body inside: `scf.parallel` for the axis that threads share, if
/// there is one, and loops of the order `parallel` for the others.
void splitAxes(mlir::scf::ParallelOp loop, std::optional<unsigned> threads = std::nullopt);

/// Leaves the first axes to a parallel loop, which is returned; the others become loops inside, of the given order.
mlir::scf::ParallelOp keepFirstAxes(mlir::scf::ParallelOp loop, unsigned kept, TurnOrder order);

} // namespace quernel

#endif
