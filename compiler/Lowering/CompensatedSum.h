// Compensated addition by Knuth's two-sum, on scalars and vectors.
#ifndef QUERNEL_LOWERING_COMPENSATEDSUM_H
#define QUERNEL_LOWERING_COMPENSATEDSUM_H

#include "compiler/Dialect/ScalarBuilder.h"

namespace quernel {

/// A running total and what rounding has lost of it.
struct CompensatedSum {
  mlir::Value total, correction;

  /// Adds `next`. Branch-free two-sum; the lost part of an infinite or NaN total is dropped, so that it stays what it
  /// is.
  void add(ScalarBuilder &s, mlir::Value next) {
    mlir::Value sum = s.add(total, next);
    mlir::Value shadow = s.sub(sum, total);
    mlir::Value lost = s.add(s.sub(total, s.sub(sum, shadow)), s.sub(next, shadow));
    correction = s.add(correction, lost);
    total = sum;
  }

  mlir::Value value(ScalarBuilder &s) {
    mlir::Value corrected = s.add(total, correction);
    return s.select(s.isfinite(corrected), corrected, total);
  }
};

} // namespace quernel

#endif
