/* Programs of the ABI, written by hand: the runtime's tests and the binding's call them. */
#include "runtime/abi.h"
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* out = a * b + c on float64 arrays of sizes[0] elements. */
EXPORT int32_t add_mul(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  const double *a = buffers[0], *b = buffers[1], *c = buffers[2];
  double *out = buffers[3];
  for (int64_t i = 0; i < sizes[0]; ++i)
    out[i] = a[i] * b[i] + c[i];
  return QN_OK;
}

/* A program whose temporary didn't fit. */
EXPORT int32_t out_of_memory(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  return QN_OUT_OF_MEMORY;
}

/* A code that no version of the ABI knows. */
EXPORT int32_t unknown_error(const qn_context *context, void *const *buffers, const int64_t *sizes) { return 77; }

/* Drops the first row of a float64 array [n, 2], n = sizes[0]; the output's shape is asked of the companion. */
EXPORT int32_t tail(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  const double *in = buffers[0];
  double *out = buffers[1];
  for (int64_t i = 0; i < 2 * (sizes[0] - 1); ++i)
    out[i] = in[i + 2];
  return QN_OK;
}

EXPORT void tail_shapes(const int64_t *symbols, int64_t *dims) {
  dims[0] = symbols[0] - 1;
  dims[1] = 2;
}

/* out = 2 * a for a strided float64 array: sizes are its length and its stride. */
EXPORT int32_t twice_strided(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  const double *in = buffers[0];
  double *out = buffers[1];
  for (int64_t i = 0; i < sizes[0]; ++i)
    out[i] = 2 * in[i * sizes[1]];
  return QN_OK;
}

/* a *= factor in place: a float64 array of sizes[0] elements, and a scalar; the output is the sum before. */
EXPORT int32_t scale(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  double *a = buffers[0];
  const double factor = *(const double *)buffers[1];
  double sum = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    sum += a[i];
    a[i] *= factor;
  }
  *(double *)buffers[2] = sum;
  return QN_OK;
}

static int32_t multiply(const qn_context *context, int32_t type, void *const *buffers, const int64_t *sizes) {
  const int64_t m = sizes[0], n = sizes[1], k = sizes[2];
  const int64_t strides[] = {0, sizes[3], sizes[4], 0, sizes[5], sizes[6], m * n, n, 1}, extents[] = {1, m, k, n};
  return context->call(context, QN_MATMUL, type, buffers, strides, extents);
}

/* out[m, n] = a[m, k] @ b[k, n] through the context, with sizes m, n, k and the strides of both. */
EXPORT int32_t matmul(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  return multiply(context, QN_F64, buffers, sizes);
}

/* The float32 twin of matmul. */
EXPORT int32_t matmul_f32(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  return multiply(context, QN_F32, buffers, sizes);
}

/* The reversed array of sizes[0] float64, through a temporary; the scalar output is the context's threads (int64). */
EXPORT int32_t reversed(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  const double *in = buffers[0];
  double *out = buffers[1], *copy = context->alloc(sizes[0] * (int64_t)sizeof(double));
  if (copy == NULL)
    return QN_OUT_OF_MEMORY;
  for (int64_t i = 0; i < sizes[0]; ++i)
    copy[i] = in[i];
  for (int64_t i = 0; i < sizes[0]; ++i)
    out[i] = copy[sizes[0] - 1 - i];
  context->release(copy);
  *(int64_t *)buffers[2] = context->threads;
  return QN_OK;
}

/* What a program for a device has: images, which these are no real ones of, and the names of their kernels. */
static const char *const names[] = {"first", "second", 0};
static const qn_binary first_binaries[] = {{"an image", sizeof "an image", 90, 0}, {0}};
static const qn_binary other_binaries[] = {{"another", 7, 80, 1}, {0}};
EXPORT const qn_image on_device_images[] = {{first_binaries, names}, {other_binaries, names + 2}, {0}};
EXPORT int32_t on_device(const qn_context *context, void *const *buffers, const int64_t *sizes) { return QN_OK; }
