// What a kernel's object and the emulated driver know of each other. The prelude includes it, so it includes nothing.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_INTERFACE_H
#define QUERNEL_TEST_CUDA_EMULATOR_INTERFACE_H

namespace emulator {

struct Index {
  unsigned x, y, z;
};

/// The most shared memory that a launch may ask for.
enum { dynamicBytes = 227 * 1024 };

/// The kinds of access, with `Aligned` beside them where the address has to be a multiple of the size.
enum Access : unsigned { Read = 0, Write = 1, Atomic = 2, KindMask = 3, Aligned = 4 };

enum Barrier : unsigned { Sync, SyncOr, SyncAnd, SyncCount };

/// What lanes of a warp do together.
enum Exchange : unsigned {
  SyncWarp,
  Shuffle,
  Ballot,
  MatchAny,
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceMinUnsigned,
  ReduceMaxUnsigned,
  ReduceAnd,
  ReduceOr,
  ReduceXor
};

/// What the driver lends to the kernels of a module.
struct Interface {
  /// Of the thread that runs.
  Index threadIdx, blockIdx, blockDim, gridDim;
  /// Returns where the access is allowed; `place` is an address in the kernel.
  void (*access)(const void *address, unsigned long size, unsigned access, const void *place);
  /// The values' combination.
  unsigned (*barrier)(unsigned barrier, unsigned value, int line);
  /// What `source`, a lane of `mask`, gives for a shuffle; else the combination of the values of all lanes of `mask`.
  unsigned long long (*exchange)(unsigned exchange, unsigned mask, unsigned long long value, unsigned source,
                                 const void *place);
  /// The lanes of the warp that have not returned.
  unsigned (*activeLanes)();
  /// Ends the launch with this error; does not return.
  void (*stop)(const char *why, const void *place);
};

/// A kernel of a module, which has an array of them with an empty one at its end.
struct Kernel {
  const char *name;
  /// Calls it with copies of the arguments.
  void (*call)(const void *const *arguments);
  unsigned parameters;
  const unsigned *sizes;
  /// The most threads of a block, by its launch bounds; 0 where it has none.
  int threads;
};

} // namespace emulator

#endif
