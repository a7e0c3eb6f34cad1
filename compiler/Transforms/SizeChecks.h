// Which sizes of a function may be too large to be counted.
#ifndef QUERNEL_TRANSFORMS_SIZECHECKS_H
#define QUERNEL_TRANSFORMS_SIZECHECKS_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace quernel {

/// Sizes whose product is the number of bytes of some array, and the line that makes the array.
struct SizeCheck {
  llvm::SmallVector<Dim> factors;
  /// Of the counted loops around the array that the check stands before: none has a turn where it isn't positive.
  llvm::SmallVector<Dim> turns;
  mlir::Location loc;
};

/// The products of sizes that may not fit into 64 bits, by the operation before which NumPy would refuse the array.
///
/// NumPy refuses every array of so many bytes, also one that our kernels never store. No product is told of that is
/// proven to be small because an argument has been made. What is computed in a branch is told of inside of it; what is
/// computed in a counted loop without other checks, before the loop. Products with a symbol that a counted loop
/// declares aren't told of: their allocations are checked where they stand.
class SizeChecks {
public:
  SizeChecks(mlir::func::FuncOp function, ShapeAnalysis &shapes);
  llvm::ArrayRef<SizeCheck> at(mlir::Operation *place) const;

private:
  void addArray(mlir::Value array);
  void add(llvm::ArrayRef<Dim> product, int64_t constant, mlir::Operation *op);
  bool isKnown(Dim size, mlir::Operation *place) const;
  bool isRepeated(const SizeCheck &check, mlir::Operation *place) const;
  bool isBounded(llvm::ArrayRef<Dim> factors, int64_t constant) const;

  mutable mlir::func::FuncOp function;
  ShapeAnalysis &shapes;
  llvm::DenseMap<int64_t, mlir::Operation *> declared;
  llvm::SmallVector<SymbolBounds> bounds;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<SizeCheck>> checks;
};

} // namespace quernel

#endif
