/* The interface between the runtime and a compiled program, in plain C. docs/architecture.md describes it. */
#ifndef QUERNEL_RUNTIME_ABI_H
#define QUERNEL_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Part of every cache key and manifest: an object of another version is never loaded. */
#define QN_ABI_VERSION 15

/** What an entry returns. From QN_FIRST_ERROR on it is that code plus the position in the manifest's "errors". */
enum {
  QN_OK = 0,
  QN_OUT_OF_MEMORY = 1,
  /** The user wants the program to stop: a Python exception is pending. */
  QN_INTERRUPTED = 2,
  /* What an output of a routine of LAPACK says where a matrix has no answer: programs never return it. */
  QN_SINGULAR = 3,
  QN_NOT_POSITIVE_DEFINITE = 4,
  QN_EIGENVALUES_DIVERGE = 5,
  QN_SVD_DIVERGES = 6,
  QN_QR_FAILED = 7,
  QN_NO_LAPACK = 8,
  QN_NO_TRANSFORM = 9,
  QN_NO_ROUTINE = 10,
  QN_NO_DISTRIBUTION = 11,
  /** The device can't go on: the runtime knows why. */
  QN_DEVICE_FAILED = 12,
  QN_FIRST_ERROR = 16
};

/** The most values that `fail` keeps. */
enum { QN_ERROR_VALUES = 8 };

/** Element types of routines: what the first input has. */
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
  QN_F16 = 13,
  QN_TYPES = 14
};

/** The routines of libraries; Library.def says what each of them takes and gives. */
enum {
#define QN_ROUTINE(ID, ...) QN_##ID,
#include "runtime/Library.def"
  QN_ROUTINES
};

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
   * A routine of a library, for each problem of a batch. `operands` holds the inputs, then the outputs. For each of
   * them `strides` has three numbers, in elements: from problem to problem, and along each of its axes, 0 for those
   * that it hasn't. `sizes` has four: how many problems, and the sizes of the routine's axes in the order of their
   * letters, 1 for those that it hasn't. What says whether a problem has no answer, the last operand of the routines
   * that have one, has no strides; it holds 0 before, and after a failure any of the codes. An output may have the very
   * memory of an input, but for products; else no output overlaps another operand. Polls. Returns QN_OUT_OF_MEMORY,
   * QN_INTERRUPTED or QN_OK, or that there is no such library; where it isn't QN_OK the outputs hold anything.
   */
  int32_t (*call)(const struct qn_context *context, int32_t routine, int32_t type, void *const *operands,
                  const int64_t *strides, const int64_t *sizes);
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
   * One number of a random stream, by a routine that takes the state alone and gives doubles: what `call` does for such
   * a draw, in a fraction of the time. The states have `words` words, and may be the same memory.
   */
  int32_t (*draw)(const struct qn_context *context, int32_t routine, int64_t words, const uint64_t *before,
                  uint64_t *after, double *number);
} qn_context;

/** The threads that run a kernel of a device. */
typedef struct qn_grid {
  /** Blocks along x, y and z, and the threads of each; none is 0. */
  int32_t blocks[3], threads[3];
  /** Bytes of shared memory that a block gets besides what the kernel declares. */
  int32_t shared;
} qn_grid;

/** Asks a device for a turn of a loop; 0, or why the loop has to end. `data` is the loop's own. */
typedef int32_t (*qn_turn)(void *data);

/**
 * What the runtime lends to a program for a device; compiler/Emit/Preludes/device.h prints the same layout. All arrays
 * of such a program lie in the device's memory: its buffers, what `alloc` gives, and the operands of `call` and `draw`.
 * A number among the inputs lies in the program's own memory, as on a CPU. What a program asks of a device is done in
 * the order in which it asks; `launch` and `write` don't wait for it. Each of the first three returns QN_OK or
 * QN_DEVICE_FAILED.
 */
typedef struct qn_device {
  qn_context context;
  /** Runs a kernel of the program's images, by its number; `arguments` has the address of each argument. */
  int32_t (*launch)(const struct qn_device *device, int32_t kernel, const qn_grid *grid, void *const *arguments);
  /** Copies from the device's memory to the program's own, when all that was asked before is done. */
  int32_t (*read)(const struct qn_device *device, void *to, const void *from, int64_t bytes);
  /** Copies from the program's own memory, which may change at once afterwards, to the device's. */
  int32_t (*write)(const struct qn_device *device, void *to, const void *from, int64_t bytes);
  /**
   * Calls `turn`, which asks for a turn of a loop, again and again: as long as the bool `goes_on` in the device's
   * memory holds when all that was asked before is done, and the int64 `failure`, if there is one, is 0. Each call asks
   * for the same launches with the same arguments, and for nothing that waits, so the device may repeat them without
   * further calls. Polls. Returns QN_OK when the loop has ended, else why it can't go on: what `turn` has returned,
   * QN_INTERRUPTED or QN_DEVICE_FAILED.
   */
  int32_t (*repeat)(const struct qn_device *device, const void *goes_on, const void *failure, qn_turn turn, void *data);
} qn_device;

/** A program: `buffers` holds the inputs, then the outputs; `sizes` the symbols, then the strides of strided inputs. */
typedef int32_t (*qn_entry)(const qn_context *context, void *const *buffers, const int64_t *sizes);

/** What the driver loads: a cubin, or PTX, which it compiles for the device that it finds. */
typedef struct qn_binary {
  const void *bytes;
  int64_t size;
  /**
   * The compute capability that it is for, 86 for 8.6. A cubin runs on devices of the same major capability whose minor
   * one isn't lower, PTX on all whose capability isn't lower.
   */
  int32_t capability;
  int32_t is_ptx;
} qn_binary;

/**
 * The same kernels for several kinds of devices, and their names. Behind the last binary is one without bytes, and
 * behind the last name a null pointer.
 */
typedef struct qn_image {
  const qn_binary *binaries;
  const char *const *kernels;
} qn_image;

/**
 * What an object of a program for a device has beside its entry NAME: `NAME_images`, behind the last of which is one
 * without binaries. The kernels' numbers go on from image to image.
 */
typedef const qn_image *qn_images;

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
  case QN_NO_DISTRIBUTION:
    return "NumPy lends no random distributions";
  case QN_DEVICE_FAILED:
    return "the device failed";
  case QN_NO_ROUTINE:
    return "the runtime doesn't have that routine";
  default:
    return "an unknown error code of a compiled program";
  }
}

#ifdef __cplusplus
}
#endif

#endif
