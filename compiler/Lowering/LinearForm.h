// Indices as sums: 2 * i + n - 1.
#ifndef QUERNEL_LOWERING_LINEARFORM_H
#define QUERNEL_LOWERING_LINEARFORM_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace quernel {

/// A sum of values times constants. What isn't linear (a product of two values, a loaded number) is a value of its own.
struct LinearForm {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms;
  int64_t constant = 0;

  static LinearForm of(int64_t constant) { return {{}, constant}; }
  static LinearForm of(mlir::Value value);
  static LinearForm of(mlir::OpFoldResult fold);

  void add(const LinearForm &other, int64_t scale);
  LinearForm operator+(const LinearForm &other) const;
  LinearForm operator-(const LinearForm &other) const;
  bool operator==(const LinearForm &other) const;
  bool isConstant() const { return terms.empty(); }
};

/// The index that a form is, computed where the builder stands.
mlir::Value valueOf(mlir::OpBuilder &builder, mlir::Location loc, const LinearForm &form);

} // namespace quernel

#endif
