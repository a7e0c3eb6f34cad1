// Programs for the tests of the `_runtime` module; docs/architecture.md describes their interface.
#include "runtime/abi.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define ENTRY(name) int32_t name(const qn_context *c, void *const *buffers, const int64_t *sizes)

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
ENTRY(divide) { // the written argument by a scalar, n0 elements
  double *x = buffers[0], divisor = *(double *)buffers[1];
  for (int64_t i = 0; i < sizes[0]; i++)
    x[i] /= divisor;
  return 0;
}
ENTRY(inverse) { // of a scalar
  *(double *)buffers[1] = 1 / *(double *)buffers[0];
  return 0;
}
ENTRY(inverse_fails) { // after it has divided
  volatile double quotient = 1 / *(double *)buffers[0];
  (void)quotient;
  return QN_FIRST_ERROR;
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
void pair_shapes(const int64_t *symbols, int64_t *dims) {
  dims[0] = symbols[0];
  dims[1] = 2;
}

ENTRY(sizes_of) { // everything in `sizes`, as 4 integers
  memcpy(buffers[2], sizes, 4 * sizeof(int64_t));
  return 0;
}
ENTRY(slots) { // the 16-byte slots of two scalars
  if ((uintptr_t)buffers[0] % 16 != 0 || (uintptr_t)buffers[1] % 16 != 0)
    return QN_FIRST_ERROR;
  memcpy(buffers[2], buffers[0], 16);
  memcpy((char *)buffers[2] + 16, buffers[1], 16);
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
ENTRY(tell_bool) { // after an array and a number
  *(uint8_t *)buffers[2] = *(int64_t *)buffers[1] != 0;
  return 0;
}
ENTRY(out_of_memory) { return 1; }
ENTRY(code_of) { return *(int32_t *)buffers[0]; }
ENTRY(bad_index) { // a check of an index against n0, with a temporary to give back
  const int64_t index = *(int64_t *)buffers[1];
  double *held = c->alloc(1 << 20);
  held[0] = 1;
  const int64_t values[] = {index, sizes[0]};
  c->release(held);
  return index < sizes[0] ? 0 : c->fail(c, QN_FIRST_ERROR + 1, values, 2);
}
ENTRY(bare_error) { return QN_FIRST_ERROR + 1; } // without a note

static void *fail_again(void *c) {
  const int64_t values[] = {3, 4};
  ((const qn_context *)c)->fail(c, QN_FIRST_ERROR, values, 2);
  return 0;
}
ENTRY(fails_in_threads) { // the first note is the one that counts, whatever the code at the end
  const int64_t values[] = {1, 2};
  pthread_t thread;
  c->fail(c, QN_FIRST_ERROR + 1, values, 2);
  pthread_create(&thread, 0, fail_again, (void *)c);
  pthread_join(thread, 0);
  return QN_FIRST_ERROR;
}
ENTRY(too_many_values) {
  int64_t values[QN_ERROR_VALUES + 4];
  for (int k = 0; k < QN_ERROR_VALUES + 4; k++)
    values[k] = k;
  return c->fail(c, QN_FIRST_ERROR, values, QN_ERROR_VALUES + 4);
}
ENTRY(until_interrupted) { // a loop that asks, for 20 seconds at most; counts its turns
  int64_t *turns = buffers[0];
  for (*turns = 0; *turns < 20000; ++*turns) {
    usleep(1000);
    int32_t stop = c->poll();
    if (stop)
      return stop;
  }
  return 0;
}
static void *ask_for_a_while(void *c) {
  for (int k = 0; k < 200; k++) {
    usleep(1000);
    if (((const qn_context *)c)->poll())
      return c;
  }
  return 0;
}
ENTRY(asks_elsewhere) { // the thread of the call doesn't ask
  pthread_t thread;
  void *heard = 0;
  pthread_create(&thread, 0, ask_for_a_while, (void *)c);
  pthread_join(thread, &heard);
  return heard ? 77 : 0;
}
ENTRY(deaf) { // asks, and doesn't listen
  for (int k = 0; k < 100; k++) {
    usleep(1000);
    c->poll();
  }
  return 0;
}
ENTRY(positives) { // those of n0 float64, and how many they are
  const double *x = buffers[0];
  double *out = buffers[1];
  int64_t count = 0;
  for (int64_t i = 0; i < sizes[0]; i++)
    if (x[i] > 0)
      out[count++] = x[i];
  *(int64_t *)buffers[2] = count;
  return 0;
}
ENTRY(rows) { // the first rows of [n0, 2], as many as a scalar says
  memcpy(buffers[2], buffers[0], 16 * sizes[0]);
  memcpy(buffers[3], buffers[1], 8);
  return 0;
}
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
