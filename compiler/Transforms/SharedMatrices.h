// Products of one matrix with several vectors, which one pass over the matrix can compute.
#ifndef QUERNEL_TRANSFORMS_SHAREDMATRICES_H
#define QUERNEL_TRANSFORMS_SHAREDMATRICES_H

#include "compiler/Dialect/Quernel.h"

namespace quernel {

/// A real product of a vector and a matrix, by the matrix as it lies in memory.
struct VectorProduct {
  MatmulOp op;
  mlir::Value matrix, vector;
  /// Whether sums go along the matrix' rows (`matrix @ vector`), or down its columns (`vector @ matrix`).
  bool alongRows;
};

/// The product that an operation is; an exchange of the matrix' axes is one of the sides. Nothing for other products.
std::optional<VectorProduct> vectorProductOf(MatmulOp op, ShapeAnalysis &shapes);

/// Whether a matrix has the rows of a sweep, and is read from memory each time.
bool isLargeMatrix(mlir::Value matrix, ShapeAnalysis &shapes);

/// The products of a function that have a partner: another one, in the same block, of the same large matrix. A partner
/// needs no result of the other one, or, as in `(a @ x) @ a`, sums down the columns what the other one has found of the
/// row that is at hand, and of nothing else.
llvm::DenseSet<mlir::Operation *> productsOfSharedMatrices(mlir::Operation *function, ShapeAnalysis &shapes);

} // namespace quernel

#endif
