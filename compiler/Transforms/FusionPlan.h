// Decides which arrays are stored; all others are computed in the kernels that read them.
#ifndef QUERNEL_TRANSFORMS_FUSIONPLAN_H
#define QUERNEL_TRANSFORMS_FUSIONPLAN_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <tuple>

namespace quernel {

/// Whether a function has loops, branches or checks of its own, or operations that become loops.
bool hasControlFlow(mlir::func::FuncOp function);

/// Whether an operation is computed by a loop or a call of its own, which stores its results.
bool standsAlone(mlir::Operation *op);

/// How much of a kernel's text an operation is, and how much a kernel has at most: a C++ compiler takes longer for a
/// function than for two of half its length.
double textOf(mlir::Operation *op);
constexpr double largestBody = 4000;

/// Chooses the stored arrays of a function.
///
/// Stored are: results; what a library call or an in-place update reads and writes whole; reductions that would run
/// again for every element of an inner axis; values that cost more to compute again than to load; and what would have
/// to be computed later from an array that has been written meanwhile. All other values live in their consumers.
class FusionPlan {
public:
  FusionPlan(mlir::func::FuncOp function, ShapeAnalysis &shapes);

  bool isStored(mlir::Value value) const { return stored.contains(value); }
  /// Stored values, producers first.
  llvm::ArrayRef<mlir::Value> values() const { return stored.getArrayRef(); }
  /// Values without axes that the program computes where they are defined.
  bool isScalar(mlir::Value value) const { return scalars.contains(value); }
  /// Whether a value that is stored is joined of arrays that are worth a kernel each, instead of one that selects.
  bool isStoredByPieces(mlir::Value value) const;
  /// Whether an element of a value costs so little that it may as well be computed where nobody needs it.
  bool isCheap(mlir::Value value);
  /// Values that may not lose their shape, because something reads them whole.
  bool needsShape(mlir::Value value) const { return shaped.contains(value); }

  /// Why a value is stored that wouldn't have to be, with the two costs, for people to read.
  std::optional<std::string> decisionFor(mlir::Value value) const;

private:
  /// Why a value is stored, and what was compared, in additions an element; 0 where nothing was.
  struct Decision {
    llvm::StringRef why;
    double store = 0, again = 0;
  };

  /// What it costs to compute an element where it is asked for, and how much of a kernel's text does it: what a loop
  /// does counts once there.
  struct Costs {
    double again, text;
  };

  void require(mlir::Value value, bool keepsShape);
  /// Why `value` is stored, beside what has to be; nothing where it is computed where it is asked for.
  std::optional<Decision> worthStoring(mlir::Value value);
  bool isGatheredOften(mlir::Value value);
  bool repeats(mlir::Value value, bool isReduction);
  bool isRepeatedBy(mlir::Operation *reduction, llvm::ArrayRef<int64_t> axes);
  unsigned levelOf(mlir::Operation *op);
  bool isAskedAfterReduction(mlir::Value value);
  llvm::ArrayRef<Shape> spacesBehind(mlir::Value value);
  bool isReducedToFew(mlir::Value value, double cost);
  bool sharesRows(mlir::Value value);
  llvm::SmallVector<mlir::Value> kernelsBehind(mlir::Value value) const;
  std::optional<Decision> feedsSweep(mlir::Value value, double cost);
  std::optional<Decision> feedsUpdates(mlir::Value value, double cost);
  Costs costsOf(mlir::Value value);
  double recomputeCost(mlir::Value value) { return costsOf(value).again; }
  bool isLeaf(mlir::Value value) const;
  void requireWhole(mlir::Operation *op);
  void requireHandedOver(mlir::ValueRange values);
  void demandScalar(mlir::Value value);
  bool feedsKernels(mlir::Value value) const;
  bool isAskedForTwice(mlir::Value value) const;
  bool needsKernel(mlir::Value reduction);
  void pinWhatIsOverwritten(mlir::Operation *writer);
  void pinWhatLoopsRead(mlir::Value value);
  double extent(Dim dim) const;
  double elements(mlir::Value value) const;
  double elements(llvm::ArrayRef<Dim> shape) const;

  ShapeAnalysis &shapes;
  bool controlFlow;
  double roundTrip; // through memory, in additions
  unsigned argumentSymbols;
  llvm::SetVector<mlir::Value> stored;
  llvm::DenseSet<mlir::Value> required, shaped, demanded, pinned, scalars;
  llvm::DenseMap<mlir::Value, Costs> costs;
  llvm::DenseMap<mlir::Value, Decision> decisions;
  /// An array, where in it the axes of a value are, and whether that is a reduction; and whether it leads to a consumer
  /// that asks for the same element again.
  using Repetition = std::tuple<void *, llvm::SmallVector<int64_t>, bool>;
  std::map<Repetition, bool> repetitions;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Shape, 2>> endSpaces;
  /// By block: large arrays of which some reduction goes through pieces of rows.
  llvm::DenseMap<mlir::Block *, llvm::DenseSet<mlir::Value>> sweptInPieces;
  llvm::DenseMap<mlir::Operation *, unsigned> levels;
};

/// What a matrix product reads for an operand: the array behind an exchange of axes, behind a reshape that only joins
/// axes, and behind a slice, all of which are steps through the array's memory.
struct MatmulOperand {
  /// Of the left operand (0) or the right one (1).
  MatmulOperand(MatmulOp product, unsigned side, ShapeAnalysis &shapes);
  mlir::Value source;
  SliceOp slice;
  bool dropsUnitAxes = false;
  /// By axis of the operand: the axis of what is left of the source once axes are joined and cut out, -1 where an axis
  /// of size 1 is none of them.
  llvm::SmallVector<int64_t> permutation;
  /// The source's axes that are one axis, where some are.
  llvm::SmallVector<mlir::ReassociationIndices> joined;

private:
  void findSlice(mlir::Operation *around, ShapeAnalysis &shapes);
  void findJoined(ShapeAnalysis &shapes);
};

} // namespace quernel

#endif
