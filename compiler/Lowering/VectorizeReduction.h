// Reductions along memory become vectors.
#ifndef QUERNEL_LOWERING_VECTORIZEREDUCTION_H
#define QUERNEL_LOWERING_VECTORIZEREDUCTION_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

/// `lower + (upper - lower) / unit * unit`: where whole vectors end.
mlir::Value wholeEnd(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lower, mlir::Value upper, int64_t unit);

/// Whether constants say that there is nothing between two bounds.
bool isEmptyRange(mlir::Value lower, mlir::Value upper);

/// Replaces a reduction by one whose lanes have accumulators of their own, `mostLanes` at most; `widest` is the bytes
/// of its widest element. `inBlocks`: what its turns carry is combined of blocks of a few steps, as float sums always
/// are; results that aren't rounded are the same ones.
void vectorizeReduction(mlir::scf::ForOp loop, int64_t widest, int64_t mostLanes, bool inBlocks);

/// How many lanes a reduction gets whose widest element has so many bytes.
int64_t lanesOfReduction(mlir::scf::ForOp loop, int64_t widest, int64_t mostLanes);

} // namespace quernel

#endif
