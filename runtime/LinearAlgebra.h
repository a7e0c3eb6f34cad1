// The functions of numpy.linalg, by the same LAPACK routines on the same layouts, so that results have NumPy's bits.
#ifndef QUERNEL_RUNTIME_LINEARALGEBRA_H
#define QUERNEL_RUNTIME_LINEARALGEBRA_H

#include "runtime/Lapack.h"
#include "runtime/abi.h"

namespace quernel::runtime {

/// A routine of LAPACK for matrices of m rows and n columns, with a given library; null for none. `operands` and
/// `strides` are those of `call` of `qn_context`, without what says that a matrix has no answer: the code does.
int32_t solveBy(const qn_context *context, const Lapack *lapack, int32_t routine, int32_t type, void *const *operands,
                const int64_t *strides, int64_t batch, int64_t m, int64_t n, int64_t k);

} // namespace quernel::runtime

#endif
