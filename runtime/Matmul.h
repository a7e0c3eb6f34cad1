// numpy.matmul, with NumPy's choice of the BLAS function for every case, so that results have NumPy's bits.
#ifndef QUERNEL_RUNTIME_MATMUL_H
#define QUERNEL_RUNTIME_MATMUL_H

#include "runtime/Blas.h"
#include "runtime/abi.h"
#include <cstdint>

namespace quernel::runtime {

/// One operand of a product: where its element [0, 0] is, and its strides in elements.
template <typename T> struct Matrix {
  T *data;
  int64_t row;
  int64_t column;

  Matrix transposed() const { return {data, column, row}; }
};

/// out[m, n] = a[m, k] @ b[k, n] with a contiguous `out`, which overlaps no operand. Without a BLAS it is a plain loop.
/// The cases are those of numpy/_core/src/umath/matmul.c.src.
template <typename T>
void multiply(const Blas *blas, Matrix<const T> a, Matrix<const T> b, T *out, int64_t m, int64_t n, int64_t k);

/// out[batch, m, n] = a[batch, m, k] @ b[batch, k, n], with `out` contiguous and strides in elements, with the BLAS of
/// the process, or with `multiplyThin` where that takes a product. A batch of rows of one matrix, by one other matrix,
/// is one product. T is the element type, maybe complex. Real products that the compiler makes loops of where it knows
/// the sizes are summed in the order of those loops, so that a program for all sizes gives the bits of one for these.
/// Polls. Returns QN_INTERRUPTED or QN_OK.
template <typename T>
int32_t matmul(const qn_context *context, const T *a, const T *b, T *out, int64_t batch, int64_t m, int64_t n,
               int64_t k, int64_t aBatch, int64_t aRow, int64_t aColumn, int64_t bBatch, int64_t bRow, int64_t bColumn);

} // namespace quernel::runtime

#endif
