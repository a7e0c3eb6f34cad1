// The loops of a kernel whose turns the threads of a device's grid share.
#ifndef QUERNEL_LOWERING_GRID_H
#define QUERNEL_LOWERING_GRID_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

/// The axes of a grid: x, y and z.
constexpr unsigned mostGridAxes = 3;

/// What the threads along an axis go through.
struct GridAxis {
  mlir::Value lower, upper, step;
};

/// The only parallel loop at the top of a kernel, outside of which nothing is written. Its last axis is x. Where packs
/// are made, the last axis is two loops, inside of the loop over the others: one over packs, and one from its end on.
class Grid {
public:
  explicit Grid(mlir::func::FuncOp kernel);

  /// False where there is no such loop, so that one thread runs the kernel.
  explicit operator bool() const { return outer || rest; }
  unsigned axes() const;
  /// What threads go through along x, y or z. A turn along x is a pack where there are some.
  GridAxis axis(unsigned number) const;
  /// How many turns an axis has, and all of them together have, where constants say it: one without a grid.
  std::optional<int64_t> turnsAlong(unsigned number) const;
  std::optional<int64_t> turns() const;

  bool has(mlir::scf::ParallelOp loop) const { return loop == outer || loop == packs || loop == rest; }
  /// The number of the grid's axis that one of a loop's own is.
  unsigned axisOf(mlir::scf::ParallelOp loop, unsigned number) const;
  /// The loop over all axes; null where there are packs.
  mlir::scf::ParallelOp wholeLoop() const { return rest ? mlir::scf::ParallelOp() : outer; }

private:
  void findPacks(mlir::Block &block);

  mlir::scf::ParallelOp outer, packs, rest;
};

/// The turn of a grid that a lane of a warp has.
struct LaneTurn {
  /// The lane, and the turn that it computes: the last one where there is none of its own.
  mlir::Value lane, turn;
  /// Whether there is its own turn; null where all lanes have one.
  mlir::Value exists;
};

/// Gives the lanes of a warp turns beside each other along x, where each thread had one. Lanes behind the last turn
/// compute that one once more; the caller sees to it that they store nothing. Assumes a grid without lanes or packs,
/// whose step along x is 1.
LaneTurn giveLanesTurns(mlir::func::FuncOp kernel, mlir::scf::ParallelOp grid);

} // namespace quernel

#endif
