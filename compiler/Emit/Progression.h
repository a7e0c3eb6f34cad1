// Index vectors that are arithmetic progressions: start, start + stride, start + 2 * stride, …
#ifndef QUERNEL_COMPILER_EMIT_PROGRESSION_H
#define QUERNEL_COMPILER_EMIT_PROGRESSION_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace quernel {

struct Progression {
  int64_t start = 0;
  /// Scalars that are added to the start.
  llvm::SmallVector<mlir::Value, 2> starts;
  /// The constant factor of the stride.
  int64_t stride = 0;
  /// Scalars that the stride is multiplied by.
  llvm::SmallVector<mlir::Value, 2> factors;

  llvm::SmallVector<mlir::Value> values() const {
    llvm::SmallVector<mlir::Value> all(starts.begin(), starts.end());
    all.append(factors.begin(), factors.end());
    return all;
  }
};

/// How the index vector is built from constants, vector.step, broadcasts, sums and products; nothing if it is not.
std::optional<Progression> progressionOf(mlir::Value indices);

} // namespace quernel

#endif
