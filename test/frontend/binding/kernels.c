// Programs for the tests of the `_runtime` module; docs/architecture.md describes their interface.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int32_t threads;
  void *(*alloc)(int64_t);
  void (*release)(void *);
} context;
#define ENTRY(name) int32_t name(const context *c, void *const *buffers, const int64_t *sizes)

ENTRY(fused) { // a * b + c on n0 elements
  const double *x = buffers[0], *y = buffers[1], *z = buffers[2];
  double *out = buffers[3];
  for (int64_t i = 0; i < sizes[0]; i++)
    out[i] = x[i] * y[i] + z[i];
  return 0;
}
void fused_shapes(const int64_t *symbols, int64_t *dims) { dims[0] = symbols[0]; }

ENTRY(increment) { // the written argument, n0 elements
  double *x = buffers[0];
  for (int64_t i = 0; i < sizes[0]; i++)
    x[i] += 1;
  return 0;
}
ENTRY(copy_from) { // the first argument becomes the second
  memcpy(buffers[0], buffers[1], sizes[0] * sizeof(double));
  return 0;
}
ENTRY(gather) { // strided n0 x n1 to contiguous
  const double *x = buffers[0];
  double *out = buffers[1];
  for (int64_t i = 0; i < sizes[0]; i++)
    for (int64_t j = 0; j < sizes[1]; j++)
      *out++ = x[i * sizes[2] + j * sizes[3]];
  return 0;
}
void gather_shapes(const int64_t *symbols, int64_t *dims) { memcpy(dims, symbols, 16); }

ENTRY(sizes_of) { // everything in `sizes`, as 4 integers
  memcpy(buffers[2], sizes, 4 * sizeof(int64_t));
  return 0;
}
ENTRY(words) { // the 8-byte slots of two scalars
  memcpy(buffers[2], buffers[0], 8);
  memcpy((char *)buffers[2] + 8, buffers[1], 8);
  return 0;
}
ENTRY(scalars) { // a float64, a bool, a complex128
  *(double *)buffers[0] = 2.5;
  *(uint8_t *)buffers[1] = 1;
  ((double *)buffers[2])[0] = 3;
  ((double *)buffers[2])[1] = -4;
  return 0;
}
ENTRY(threads) {
  *(int64_t *)buffers[0] = c->threads;
  return 0;
}
ENTRY(nothing) { return 0; }
ENTRY(answer2) {
  *(int64_t *)buffers[0] = 2;
  return 0;
}
ENTRY(tell1) {
  *(int64_t *)buffers[1] = 1;
  return 0;
} // after an input
ENTRY(tell2) {
  *(int64_t *)buffers[1] = 2;
  return 0;
}
ENTRY(out_of_memory) { return 1; }
ENTRY(unknown_code) { return 77; }
void negative_shapes(const int64_t *symbols, int64_t *dims) { dims[0] = -5; }
void huge_shapes(const int64_t *symbols, int64_t *dims) { dims[0] = INT64_MAX / 4; }

ENTRY(wait_for_flag) { // returns when another thread has written the first argument
  volatile double *flag = buffers[0];
  for (int k = 0; k < 20000; k++) {
    if (*flag != 0)
      return 0;
    usleep(500);
  }
  return 1;
}
