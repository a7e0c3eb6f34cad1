// From which turns on the clamps and comparisons of a loop's counter give something else than before.
#ifndef QUERNEL_LOWERING_COUNTERCHANGES_H
#define QUERNEL_LOWERING_COUNTERCHANGES_H

#include "compiler/Lowering/LinearForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace quernel {

/// A clamp of an index.
bool isClamp(mlir::Operation *op);

/// Turns from `first` up to `last`, in which some answers change.
struct CutRange {
  LinearForm first, last;
};

/// The cuts of a loop with one counter that steps by 1. Between two of them no clamp or comparison that is known here
/// changes.
///
/// The order of the cuts is that of their turns where these are known; otherwise the program may come to them in
/// another one.
class CounterChanges {
public:
  explicit CounterChanges(mlir::Operation *loop);

  mlir::Value lower, upper, counter;
  llvm::SmallVector<CutRange> cuts;
  /// Whether a clamp is among what changes, or never does.
  bool hasClamp = false;

  /// Turns behind the first `passed` cuts and before all others; or those of the cut that follows them.
  struct Place {
    size_t passed = 0;
    bool isCut = false;
    mlir::Value counter; // of the copy of the loop that runs these turns
  };
  /// Whether the operation takes its first operand, or holds, in all turns of a place; nothing where that isn't known.
  std::optional<bool> answer(mlir::Operation *op, const Place &place) const;
  bool isKnownAtMost(const LinearForm &x, const LinearForm &y) const;

private:
  void find();
  void formCuts();
  bool isInvariant(const LinearForm &form) const;
  std::optional<LinearForm> turnOf(LinearForm sum) const;
  std::optional<bool> outside(const LinearForm &turn) const;
  std::optional<LinearForm> questionOf(mlir::Operation *op, const LinearForm &left, const LinearForm &right) const;
  std::optional<bool> isBehind(const LinearForm &turn, const Place &place) const;
  bool isNeverNegative(const LinearForm &form) const;

  mlir::Operation *loop;
  llvm::SmallVector<LinearForm> turns; // all changes; those of a cut may lie anywhere in the loop
};

} // namespace quernel

#endif
