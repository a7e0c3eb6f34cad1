/* The interface between the runtime and a compiled program, in plain C. docs/architecture.md describes it. */
#ifndef QUERNEL_RUNTIME_ABI_H
#define QUERNEL_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Part of every cache key and manifest: an object of another version is never loaded. */
#define QN_ABI_VERSION 1

/** What an entry returns. */
enum { QN_OK = 0, QN_OUT_OF_MEMORY = 1 };

/** What the runtime lends to a program; compiler/Emit/Preludes/context.h prints the same layout. */
typedef struct qn_context {
  /** The most threads that a kernel may use; at least 1. */
  int32_t threads;
  /** Memory at a 64-byte boundary, or null where there is none. */
  void *(*alloc)(int64_t bytes);
  /** Takes back what `alloc` gave; null is fine. */
  void (*release)(void *memory);
  /** out[batch, m, n] = a[batch, m, k] @ b[batch, k, n], with `out` contiguous and strides in elements. */
  void (*matmul_f64)(const double *a, const double *b, double *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
  void (*matmul_f32)(const float *a, const float *b, float *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
} qn_context;

/** A program: `buffers` holds the inputs, then the outputs; `sizes` the symbols, then the strides of strided inputs. */
typedef int32_t (*qn_entry)(const qn_context *context, void *const *buffers, const int64_t *sizes);

/** The companion of an entry that has outputs of dynamic shape: every dimension of every output, in order. */
typedef void (*qn_shapes)(const int64_t *symbols, int64_t *dims);

/** What a code means, for the text of an exception. */
static inline const char *qn_error_text(int32_t code) {
  switch (code) {
  case QN_OK:
    return "no error";
  case QN_OUT_OF_MEMORY:
    return "not enough memory for a temporary array";
  default:
    return "an unknown error code of a compiled program";
  }
}

#ifdef __cplusplus
}
#endif

#endif
