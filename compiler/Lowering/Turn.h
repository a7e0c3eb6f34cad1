// A turn of a serial loop as statements that can each be restricted to some rows, and how far they wait for each other.
#ifndef QUERNEL_LOWERING_TURN_H
#define QUERNEL_LOWERING_TURN_H

#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/IR/IRMapping.h"

namespace quernel {

/// A part of a turn's body: `scf.parallel`, an `scf.for` without results, or the store of a single element.
struct Statement {
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> lower, upper, step, counters;
  llvm::SmallVector<Access> accesses;

  explicit Statement(mlir::scf::ParallelOp loop);
  explicit Statement(mlir::scf::ForOp loop);
  explicit Statement(mlir::memref::StoreOp store) : op(store) {}

  /// In additions.
  int64_t work() const { return mlir::isa<mlir::memref::StoreOp>(op) ? 1 : loopWork(op); }
  std::optional<int64_t> knownTrips(unsigned axis) const { return averageTrips(lower[axis], upper[axis], step[axis]); }
  int64_t trips(unsigned axis) const;
};

/// How a statement goes along a direction.
struct Path {
  /// The axis of the statement that counts rows; none of one that touches a single row, `p[0, :] = p[1, :]`.
  std::optional<unsigned> axis;
  /// The row that the statement is at: the counter plus this where there is an axis.
  LinearForm row;
  /// How many rows a tile has lost, on its lower and its upper side, when it comes to the statement in the first turn.
  int64_t below = 0, above = 0;
  /// How many rows it has to be behind the turn's first statement where rows are gone through in order; negative where
  /// it may be ahead.
  int64_t behind = 0;
};

/// A way to number rows: an axis of each array that the loop stores, such that what a statement touches is a known
/// distance from the row that it is at. Tiles and strips are cut across it.
class Direction {
public:
  std::vector<Path> paths; // of each statement
  /// How many rows a tile loses with each turn on its lower and its upper side.
  int64_t slopeBelow = 0, slopeAbove = 0;
  int64_t slope() const { return slopeBelow + slopeAbove; }
  /// How many rows a turn has to be behind the one before where both go through the rows in order.
  int64_t turnBehind = 0;

  /// The most that a tile has lost in its first turn.
  int64_t edge() const;
  int64_t mostBelow() const { return mostOf(&Path::below); }
  int64_t mostAbove() const { return mostOf(&Path::above); }
  /// How many rows there are.
  int64_t rows(llvm::ArrayRef<Statement> statements) const;
  bool rowsAreKnown(llvm::ArrayRef<Statement> statements) const;
  /// The bytes that the statements touch at a row, each array once.
  int64_t bytesOfRow(llvm::ArrayRef<Statement> statements) const;
  /// Which axis of an array counts rows, if one is known to.
  std::optional<unsigned> axisOf(mlir::Value root) const;

private:
  friend class Turn;
  /// Where an access goes: the row of its statement, plus `offset`.
  struct RowAccess {
    unsigned statement;
    Element element;
    bool isStore;
    LinearForm offset;
  };

  explicit Direction(mlir::scf::ForOp loop) : loop(loop) {}

  int64_t mostOf(int64_t Path::*lost) const;
  std::optional<LinearForm> offsetFrom(const Statement &statement, const Path &path,
                                       const std::optional<LinearForm> &subscript);
  bool findPath(const Statement &statement, Path &path, unsigned firstAxis);
  bool findOffsets(llvm::ArrayRef<Statement> statements, const llvm::SmallPtrSetImpl<mlir::Value> &stored);
  bool findSlopes();

  mlir::scf::ForOp loop;
  llvm::MapVector<mlir::Value, unsigned> rowAxis;
  std::vector<RowAccess> accesses;
};

/// The rows of a direction that a copy of a statement is restricted to.
struct Border {
  const Direction *direction;
  mlir::Value from, to;
};

/// The body of a loop.
class Turn {
public:
  explicit Turn(mlir::scf::ForOp loop) : loop(loop) {}

  /// Whether the body consists of parallel statements, of serial ones that `isStatement` allows, of stores of elements,
  /// of branches around them, numbers that no turn stores, and memory of a size that is the same in all turns; all
  /// accesses are to known elements of known arrays, and nothing may fail.
  bool collect(llvm::function_ref<bool(mlir::scf::ForOp)> isStatement);
  llvm::ArrayRef<Statement> statements() const { return all; }

  /// The direction of the given axis of the statement that has most axes, if each access allows it.
  std::optional<Direction> findDirection(unsigned axis) const;

  /// Takes the memory that a turn takes once, for all of them, at the builder's place.
  mlir::IRMapping hoistArrays(mlir::OpBuilder &builder);
  /// The first row that a statement is at in a direction, and the one behind the last.
  std::pair<mlir::Value, mlir::Value> rangeOf(mlir::OpBuilder &builder, const Direction &direction);
  /// Copies a block of the body, its numbers and branches, and hands its statements to `onStatement`.
  void clone(mlir::OpBuilder &builder, mlir::Block &block, mlir::IRMapping mapping,
             llvm::function_ref<void(mlir::OpBuilder &, unsigned, mlir::IRMapping &)> onStatement,
             llvm::SmallVectorImpl<mlir::Value> &yielded);
  /// Copies a statement, at its rows between the borders.
  void cloneStatement(mlir::OpBuilder &builder, unsigned number, mlir::IRMapping mapping,
                      llvm::ArrayRef<Border> borders);
  /// A location with the lines and operations of all statements, named after the last one, whose decision is `how`.
  mlir::Location describe(const llvm::Twine &how);

private:
  bool collectIn(mlir::Block &block, llvm::function_ref<bool(mlir::scf::ForOp)> isStatement);
  bool collectAccesses();

  mlir::scf::ForOp loop;
  std::vector<Statement> all;
  llvm::SmallVector<mlir::memref::AllocOp> arrays;
  llvm::SmallVector<mlir::memref::LoadOp> numbers;
  llvm::SmallPtrSet<mlir::Value, 8> stored;
};

} // namespace quernel

#endif
