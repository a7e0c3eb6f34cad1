// Whether two accesses may touch the same element, in the same or in different turns of a loop.
#ifndef QUERNEL_LOWERING_DEPENDENCE_H
#define QUERNEL_LOWERING_DEPENDENCE_H

#include "compiler/Lowering/LinearForm.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace quernel {

/// A load or store of an element, or of any elements of a buffer.
struct Access {
  mlir::Operation *op;
  mlir::Value buffer;
  /// Nothing where any element may be touched.
  std::optional<llvm::SmallVector<LinearForm>> indices;
  bool isStore;
};

/// All reads and writes of memory in an operation; failure where one can't be told. What `isNone` says of accesses
/// none.
llvm::LogicalResult collectAccesses(mlir::Operation *op, llvm::SmallVectorImpl<Access> &accesses,
                                    llvm::function_ref<bool(mlir::Operation *)> isNone = {});

/// Whether an element that one turn of a loop stores may be one that an access of another turn touches, where one of
/// the two is none of the first `known` accesses.
bool mayTurnsMeet(mlir::scf::ForOp loop, llvm::ArrayRef<Access> accesses, size_t known = 0);

/// The element that an access touches: subscripts of the array behind all views.
struct Element {
  /// The array; null where it isn't known which one it is.
  mlir::Value root;
  /// One subscript an axis of the root; nothing where it isn't linear.
  llvm::SmallVector<std::optional<LinearForm>> subscripts;
};
Element resolveElement(const Access &access);

/// Collects the operations of a turn of a loop that values follow from. False where they follow from what the loop
/// carries, or can't be computed a second time: by an operation with an effect, or a load of what `isChanged` says,
/// which gets the operation of the loop's body that the load is in.
bool collectProducers(mlir::scf::ForOp loop, llvm::SmallVector<mlir::Value> values,
                      llvm::SmallPtrSetImpl<mlir::Operation *> &producers,
                      llvm::function_ref<bool(mlir::Operation *, mlir::memref::LoadOp)> isChanged);

/// The axes of an scf.for, an scf.parallel or a linalg.generic, outermost first.
struct LoopAxes {
  mlir::Operation *loop;
  llvm::SmallVector<mlir::Value> counters;
  explicit LoopAxes(mlir::Operation *loop);
};

/// Whether `first` may touch an element that `second` touches in a later turn: one in which the axes before `axis` are
/// where they were, and `axis` is further on. No is certain, yes is not.
bool mayTouchLater(const Access &first, const Access &second, const LoopAxes &loop, unsigned axis);

/// Whether the two may touch the same element while their counters differ, in any turns of all that is in `scope`.
bool mayTouchApart(const Access &first, mlir::Value firstCounter, const Access &second, mlir::Value secondCounter,
                   mlir::Operation *scope);

/// Whether `form <= bound` whenever control reaches `at`.
bool isAtMost(const LinearForm &form, const LinearForm &bound, mlir::Operation *at);

} // namespace quernel

#endif
