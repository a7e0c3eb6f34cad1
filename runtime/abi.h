/* The interface between the runtime and a compiled program, in plain C. docs/architecture.md describes it. */
#ifndef QUERNEL_RUNTIME_ABI_H
#define QUERNEL_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Part of every cache key and manifest: an object of another version is never loaded. */
#define QN_ABI_VERSION 8

/** What an entry returns. From QN_FIRST_ERROR on it is that code plus the position in the manifest's "errors". */
enum {
  QN_OK = 0,
  QN_OUT_OF_MEMORY = 1,
  /** The user wants the program to stop: a Python exception is pending. */
  QN_INTERRUPTED = 2,
  /* What `lapack` returns where a matrix has no answer: programs make a value of it, and never return it. */
  QN_SINGULAR = 3,
  QN_NOT_POSITIVE_DEFINITE = 4,
  QN_EIGENVALUES_DIVERGE = 5,
  QN_SVD_DIVERGES = 6,
  QN_QR_FAILED = 7,
  QN_NO_LAPACK = 8,
  QN_NO_TRANSFORM = 9,
  QN_FIRST_ERROR = 16
};

/** The most values that `fail` keeps. */
enum { QN_ERROR_VALUES = 8 };

/** Element types of `lapack` and `transform`, which have the first four, and of `sort`. */
enum {
  QN_F32 = 0,
  QN_F64 = 1,
  QN_C64 = 2,
  QN_C128 = 3,
  QN_BOOL = 4,
  QN_I8 = 5,
  QN_U8 = 6,
  QN_I16 = 7,
  QN_U16 = 8,
  QN_I32 = 9,
  QN_U32 = 10,
  QN_I64 = 11,
  QN_U64 = 12,
  QN_TYPES = 13
};

/**
 * What `sort` gives: the elements in order, or their places before, by NumPy's default algorithm or its stable one. Or
 * the elements so that those at the given positions are what they are in order, and none behind such a one comes before
 * it.
 */
enum { QN_SORT = 0, QN_SORT_STABLE = 1, QN_ARGSORT = 2, QN_ARGSORT_STABLE = 3, QN_PARTITION = 4, QN_SORT_ORDERS = 5 };

/**
 * Routines of `lapack`: inputs -> outputs. `a` is [m, n], or [n, n] with m = n; d is min(m, n). The elements are of the
 * given type, except those called real or complex, which are of the same width. As in NumPy, floats are computed
 * with as doubles.
 */
enum {
  QN_SOLVE = 0,          /**< a, b[n, k] -> x[n, k] */
  QN_INV = 1,            /**< a -> inverse[n, n] */
  QN_CHOLESKY = 2,       /**< a -> lower triangle[n, n]; zeros above */
  QN_CHOLESKY_UPPER = 3, /**< a -> upper triangle[n, n]; zeros below */
  QN_EIGH = 4,           /**< a, whose lower triangle is read -> w[n] real, v[n, n] */
  QN_EIGH_UPPER = 5,
  QN_EIGVALSH = 6, /**< a, whose lower triangle is read -> w[n] real */
  QN_EIGVALSH_UPPER = 7,
  QN_DET = 8,          /**< a -> det[] */
  QN_SLOGDET = 9,      /**< a -> sign[], logdet[] real */
  QN_QR = 10,          /**< a -> q[m, d], r[d, n] */
  QN_QR_COMPLETE = 11, /**< a -> q[m, m], r[m, n] */
  QN_QR_R = 12,        /**< a -> r[d, n] */
  QN_SVD = 13,         /**< a -> u[m, d], s[d] real, vh[d, n] */
  QN_SVD_FULL = 14,    /**< a -> u[m, m], s[d] real, vh[n, n] */
  QN_SVDVALS = 15,     /**< a -> s[d] real */
  QN_EIG = 16,         /**< a -> w[n] complex, v[n, n] complex */
  QN_EIGVALS = 17,     /**< a -> w[n] complex */
  QN_LAPACK_ROUTINES = 18
};

/**
 * What `transform` gives of lines of `points` elements: the discrete Fourier transform or its inverse, of complex
 * numbers into complex ones; the first half of the transform of real numbers, for an even or an odd number of points of
 * the transform; the inverse of such a half, which is real.
 */
enum { QN_FFT = 0, QN_IFFT = 1, QN_RFFT_EVEN = 2, QN_RFFT_ODD = 3, QN_IRFFT = 4, QN_TRANSFORMS = 5 };

/** Some turns of a loop; 0, or why it has to end. `data` is the loop's own. */
typedef int32_t (*qn_turns)(void *data, int64_t begin, int64_t end);
/** The same for turns that call libraries, which get a context of their own. */
typedef int32_t (*qn_tasks)(void *data, const struct qn_context *context, int64_t begin, int64_t end);

/**
 * What the runtime lends to a program; compiler/Emit/Preludes/context.h prints the same layout. Another layout is
 * another QN_ABI_VERSION.
 */
typedef struct qn_context {
  /** The most threads that a kernel may use; at least 1. */
  int32_t threads;
  /** Memory at a 64-byte boundary, or null where there is none. */
  void *(*alloc)(int64_t bytes);
  /** Takes back what `alloc` gave; null is fine. */
  void (*release)(void *memory);
  /**
   * out[batch, m, n] = a[batch, m, k] @ b[batch, k, n], with `out` contiguous and strides in elements. Polls. Returns
   * QN_INTERRUPTED or QN_OK.
   */
  int32_t (*matmul_f64)(const struct qn_context *context, const double *a, const double *b, double *out, int64_t batch,
                        int64_t m, int64_t n, int64_t k, int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch,
                        int64_t b_row, int64_t b_col);
  int32_t (*matmul_f32)(const struct qn_context *context, const float *a, const float *b, float *out, int64_t batch,
                        int64_t m, int64_t n, int64_t k, int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch,
                        int64_t b_row, int64_t b_col);
  /** The same for complex elements: pairs of real and imaginary part. Strides are in complex elements. */
  int32_t (*matmul_c128)(const struct qn_context *context, const double *a, const double *b, double *out, int64_t batch,
                         int64_t m, int64_t n, int64_t k, int64_t a_batch, int64_t a_row, int64_t a_col,
                         int64_t b_batch, int64_t b_row, int64_t b_col);
  int32_t (*matmul_c64)(const struct qn_context *context, const float *a, const float *b, float *out, int64_t batch,
                        int64_t m, int64_t n, int64_t k, int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch,
                        int64_t b_row, int64_t b_col);
  /**
   * Notes the error that the program is about to return, with the numbers of its message; the first of a call counts.
   * Any thread may call it. Returns `code`.
   */
  int32_t (*fail)(const struct qn_context *context, int32_t code, const int64_t *values, int32_t count);
  /**
   * QN_INTERRUPTED where the user wants the program to stop, else QN_OK. Costs a few nanoseconds. Only the thread that
   * called the entry learns of it: others hear QN_OK.
   */
  int32_t (*poll)(void);
  /**
   * A routine of numpy.linalg, for `batch` matrices. `operands` holds the inputs, then the outputs. For each of them
   * `strides` has three numbers, in elements: from matrix to matrix, from row to row, from column to column; a vector
   * is one column. An output may have the very memory of an input, else no output overlaps another operand. `k` counts
   * the columns of b. Polls. Returns an error code; then the outputs hold anything.
   */
  int32_t (*lapack)(const struct qn_context *context, int32_t routine, int32_t type, void *const *operands,
                    const int64_t *strides, int64_t batch, int64_t m, int64_t n, int64_t k);
  /**
   * Calls `turns` for ranges that together are the turns from `begin` to `end`, which are a multiple of `step` apart
   * but for the last one; at the same time where threads are free, and waits for all of them. All of it is one range
   * where there are fewer steps than `grain`, so many as are worth a thread. A range takes about a millisecond; between
   * two of them a thread polls. Returns QN_OK, else why not all turns were computed: the code of a range, or the
   * poll's.
   */
  int32_t (*parallel_for)(const struct qn_context *context, int64_t begin, int64_t end, int64_t step, int64_t grain,
                          qn_turns turns, void *data);
  /**
   * The same for turns that call libraries and are each worth a thread. Libraries compute each call in the thread that
   * makes it, and of several checks that fail, that of the first turn counts: `tasks` gets the context that they need.
   */
  int32_t (*parallel_tasks)(const struct qn_context *context, int64_t begin, int64_t end, int64_t step, qn_tasks tasks,
                            void *data);
  /**
   * Sorts each of `rows` rows of `count` elements, NaN last, from `values` into `out`, which may be the same memory;
   * places are int64. `strides` has, in elements, the steps from row to row and from element to element of `values`,
   * then of `out`, and the step of `positions`, of which there are `wanted`; only a partition has some, and puts in
   * place nothing but what belongs there. Polls. Returns QN_OUT_OF_MEMORY, QN_INTERRUPTED or QN_OK.
   */
  int32_t (*sort)(const struct qn_context *context, int32_t order, int32_t type, const void *values, void *out,
                  const int64_t *strides, int64_t rows, int64_t count, const int64_t *positions, int64_t wanted);
  /**
   * A Fourier transform of each of `lines` lines of `points` elements of a type into a line of `results`, times a real
   * scale, as NumPy's: what is missing of a line counts as zeros, what is too much isn't read. `strides` has, in
   * elements of each, the steps from line to line and along a line (and a third number, which means nothing) of the
   * input, the scale and the output, which may be the very memory of the input. Polls between lines. Returns
   * QN_OUT_OF_MEMORY, QN_INTERRUPTED or QN_OK, or QN_NO_TRANSFORM where NumPy lends none.
   */
  int32_t (*transform)(const struct qn_context *context, int32_t kind, int32_t type, const void *in, const void *scale,
                       void *out, const int64_t *strides, int64_t lines, int64_t points, int64_t results);
} qn_context;

/** A program: `buffers` holds the inputs, then the outputs; `sizes` the symbols, then the strides of strided inputs. */
typedef int32_t (*qn_entry)(const qn_context *context, void *const *buffers, const int64_t *sizes);

/** The companion of an entry that has outputs of dynamic shape: every dimension of every output, in order. */
typedef void (*qn_shapes)(const int64_t *symbols, int64_t *dims);

/** What a code below QN_FIRST_ERROR means, for the text of an exception; NumPy's own texts where it has them. */
static inline const char *qn_error_text(int32_t code) {
  switch (code) {
  case QN_OK:
    return "no error";
  case QN_OUT_OF_MEMORY:
    return "not enough memory for a temporary array";
  case QN_INTERRUPTED:
    return "interrupted";
  case QN_NO_LAPACK:
    return "NumPy's linear algebra library isn't loaded";
  case QN_NO_TRANSFORM:
    return "NumPy lends no Fourier transforms";
  default:
    return "an unknown error code of a compiled program";
  }
}

#ifdef __cplusplus
}
#endif

#endif
