/* Programs for devices, written by hand; IMAGE is the path of an image with the kernels of test_device_calls.py. */
#include "runtime/abi.h"
#include <stddef.h>

#define TEXT(words) #words
#define STRING(words) TEXT(words)
static const char *const names[] = {"add", "scale", NULL};
/* An entry with its image, which goes into the object as it is. */
#define PROGRAM(name)                                                                                                  \
  __asm__(".pushsection .rodata\n.balign 64\n.globl " #name "_image, " #name "_end\n" #name                            \
          "_image: .incbin \"" STRING(IMAGE) "\"\n" #name "_end:\n.popsection");                                       \
  extern const char name##_image[], name##_end[];                                                                      \
  static qn_binary name##_binaries[] = {{name##_image, 0, 80, 0}, {0}};                                                \
  qn_image name##_images[] = {{name##_binaries, names}, {0}};                                                          \
  __attribute__((constructor)) static void name##_measure(void) {                                                      \
    name##_binaries[0].size = name##_end - name##_image;                                                               \
  }                                                                                                                    \
  int32_t name(const qn_context *context, void *const *buffers, const int64_t *sizes)

static const qn_grid threads = {{4, 1, 1}, {64, 1, 1}, 0};

static const qn_device *device_of(const qn_context *context) { return (const qn_device *)context; }

static int32_t launch_add(const qn_context *context, const void *a, const void *b, void *out, int64_t count) {
  void *arguments[] = {&a, &b, &out, &count};
  return device_of(context)->launch(device_of(context), 0, &threads, arguments);
}

/* out = a + b + b on sizes[0] doubles */
PROGRAM(add_twice) {
  void *sum = context->alloc(sizes[0] * 8);
  if (!sum)
    return QN_OUT_OF_MEMORY;
  int32_t code = launch_add(context, buffers[0], buffers[1], sum, sizes[0]);
  if (code == QN_OK)
    code = launch_add(context, sum, buffers[1], buffers[2], sizes[0]);
  context->release(sum);
  return code;
}

/* Multiplies a strided matrix by a number, and gives the number of its elements; it refuses the number 0 afterwards. */
PROGRAM(scale_matrix) {
  void *x = buffers[0];
  double factor = *(double *)buffers[1];
  int64_t rows = sizes[0], columns = sizes[1], row = sizes[2], column = sizes[3];
  void *arguments[] = {&x, &rows, &columns, &row, &column, &factor};
  const int64_t count = rows * columns;
  int32_t code = device_of(context)->write(device_of(context), buffers[2], &count, sizeof(count));
  if (code == QN_OK)
    code = device_of(context)->launch(device_of(context), 1, &threads, arguments);
  if (code == QN_OK && factor == 0)
    code = context->fail(context, QN_FIRST_ERROR, sizes, 2);
  return code;
}

/* Twice an array of sizes[0] doubles, in memory that it hands over. */
PROGRAM(hand_over_twice) {
  void *memory = context->alloc(sizes[0] * 8);
  int32_t code = memory ? QN_OK : QN_OUT_OF_MEMORY;
  if (code == QN_OK)
    code = device_of(context)->write(device_of(context), buffers[1], &memory, sizeof(memory));
  return code == QN_OK ? launch_add(context, buffers[0], buffers[0], memory, sizes[0]) : code;
}

/* The product of matrices of sizes[0] rows and columns */
PROGRAM(product) {
  const int64_t n = sizes[0], strides[] = {0, n, 1, 0, n, 1, 0, n, 1}, numbers[] = {1, n, n, n};
  return context->call(context, QN_MATMUL, QN_F64, buffers, strides, numbers);
}

/* Two numbers of a stream */
PROGRAM(draw_two) {
  uint64_t *state = buffers[0];
  double *out = buffers[1];
  int32_t code = context->draw(context, QN_RANDOM, 6, state, state, out);
  return code == QN_OK ? context->draw(context, QN_RANDOM, 6, state, state, out + 1) : code;
}

/* A launch that no device can do. */
PROGRAM(launch_badly) {
  static const qn_grid many = {{1, 1, 1}, {4096, 1, 1}, 0};
  int64_t count = 0;
  void *arguments[] = {&buffers[0], &buffers[0], &buffers[0], &count};
  return device_of(context)->launch(device_of(context), 0, &many, arguments);
}

/* A kernel that writes where no memory is. */
PROGRAM(write_nowhere) { return launch_add(context, buffers[0], buffers[0], NULL, 2); }
