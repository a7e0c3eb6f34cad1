// Which sizes of a function may be too large to be counted.
#ifndef QUERNEL_TRANSFORMS_SIZECHECKS_H
#define QUERNEL_TRANSFORMS_SIZECHECKS_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace quernel {

/// Sizes whose product is the number of elements of some array, and the operation that makes the array.
struct SizeCheck {
  llvm::SmallVector<Dim> factors;
  mlir::Location loc;
};

/// The products of sizes that may not fit into 64 bits, by where all their symbols are known for the first time: an
/// operation that declares a symbol, or a block's terminator, which stands for the block's beginning.
///
/// NumPy refuses every array with so many elements, also one that our kernels never store. No product is told of that
/// is no greater than the number of bytes of an argument, since that one has been made. What is computed in a branch
/// is told of inside of it; what is computed in a counted loop, before the loop. Products with a symbol that a counted
/// loop declares aren't told of: their allocations are checked where they stand.
class SizeChecks {
public:
  SizeChecks(mlir::func::FuncOp function, ShapeAnalysis &shapes);
  llvm::ArrayRef<SizeCheck> at(mlir::Operation *place) const;

private:
  void addArray(mlir::Value array);
  void add(llvm::ArrayRef<Dim> product, mlir::Operation *op);
  bool isBounded(llvm::ArrayRef<Dim> factors, int64_t constant) const;

  mutable mlir::func::FuncOp function;
  ShapeAnalysis &shapes;
  llvm::DenseMap<int64_t, mlir::Operation *> declared;
  llvm::SmallVector<SymbolBounds> bounds;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<SizeCheck>> checks;
};

} // namespace quernel

#endif
