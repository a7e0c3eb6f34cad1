// Which loops quernel-pack-turns takes.
#ifndef QUERNEL_LOWERING_PACKTURNS_H
#define QUERNEL_LOWERING_PACKTURNS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

/// How many elements an operation loads in a turn, each once: one for each turn of the loops inside of the turn that
/// what it depends on has counters of. `counters` are those of further loops, with their turns.
int64_t elementsLoaded(mlir::Operation *load, mlir::Operation *turn,
                       const llvm::DenseMap<mlir::Value, int64_t> &counters = llvm::DenseMap<mlir::Value, int64_t>());

/// Whether the threads of a grid with this loop alone would load and store packs.
bool mayPackTurns(mlir::scf::ParallelOp loop);

} // namespace quernel

#endif
