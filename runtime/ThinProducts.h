// Products of a large matrix and a few vectors, at the speed of memory.
#ifndef QUERNEL_RUNTIME_THINPRODUCTS_H
#define QUERNEL_RUNTIME_THINPRODUCTS_H

#include "runtime/Matmul.h"
#include "runtime/abi.h"
#include <optional>

namespace quernel::runtime {

/// Computes out[m, n] = a[m, k] @ b[k, n] with a contiguous `out`, which overlaps no operand, where that is faster than
/// a BLAS: one of m and n is small, the other operand is large, and its elements follow each other along one axis.
/// Nothing where it isn't, where the processor has no instructions for it, or where memory is out; else a code of
/// abi.h, of a poll where it isn't QN_OK. Sizes and strides alone decide, and the order of additions follows from them:
/// threads and addresses change no bit.
template <typename T>
std::optional<int32_t> multiplyThin(const qn_context *context, Matrix<const T> a, Matrix<const T> b, T *out, int64_t m,
                                    int64_t n, int64_t k);

} // namespace quernel::runtime

#endif
