// Many small matrices at once: each lane of a vector has a matrix of its own.
#ifndef QUERNEL_RUNTIME_SMALLMATRICES_H
#define QUERNEL_RUNTIME_SMALLMATRICES_H

#include <cstdint>

namespace quernel::runtime {

/// How many matrices are computed at once.
inline constexpr int64_t matrixLanes = 8;

/// The most rows that such matrices have.
inline constexpr int64_t mostLaneRows = 8;

/// A set of lanes, a bit for each.
using LaneSet = uint8_t;

/// Element (i, j) of the matrix of a lane is at [(i * columns + j) * matrixLanes + lane] of each operand.
///
/// All functions factor the matrices `a`, of 1 to mostLaneRows rows, with partial pivoting. They return the lanes whose
/// results may be used: those of matrices whose pivots are of like size, so that other orders of the same operations,
/// LAPACK's for one, give almost the same. What the others hold has no meaning. The results have the same bits on every
/// processor.
struct SmallMatrices {
  /// Replaces each column of `b` by the solution of a x = b.
  LaneSet (*solve)(int64_t rows, int64_t columns, const double *a, double *b);
  /// Puts the determinants into `result`, one a lane.
  LaneSet (*determinant)(int64_t rows, const double *a, double *result);
};

/// The functions for this processor.
const SmallMatrices &smallMatrices();

} // namespace quernel::runtime

#endif
