// Stands in front of the CUDA text that the emulator compiles as C++: what NVRTC has built in. Names of the standard
// library are missing here as they are there. A text may use any feature of C++17 that the host's compiler has, so not
// all that compiles here compiles with NVRTC. Functions for double have the host's results, and a cast of a number that
// is out of range has what the host makes of it.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_PRELUDE_H
#define QUERNEL_TEST_CUDA_EMULATOR_PRELUDE_H

#include "Interface.h"

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __UINTPTR_TYPE__ uintptr_t;

// Not instrumented, and never part of a function that is.
#define EMULATOR_OWN __attribute__((noinline, no_sanitize("thread")))

#define __host__
#define __device__
#define __global__ __attribute__((noinline, visibility("default")))
#define __constant__
#define __managed__
#define __grid_constant__
// The blocks run one after the other, so that each has the same memory.
#define __shared__ static __attribute__((section("emulator_shared")))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __builtin_assume(condition) ((void)0)
#define __builtin_align__(n) __align__(n)

#include "callbacks.h"
#include "vectors.h"

namespace emulator {

__attribute__((const)) EMULATOR_OWN static uint3 threadIndex() {
  return {emulator_interface->threadIdx.x, emulator_interface->threadIdx.y, emulator_interface->threadIdx.z};
}
__attribute__((const)) EMULATOR_OWN static uint3 blockIndex() {
  return {emulator_interface->blockIdx.x, emulator_interface->blockIdx.y, emulator_interface->blockIdx.z};
}
__attribute__((const)) EMULATOR_OWN static dim3 blockSize() {
  return dim3(emulator_interface->blockDim.x, emulator_interface->blockDim.y, emulator_interface->blockDim.z);
}
__attribute__((const)) EMULATOR_OWN static dim3 gridSize() {
  return dim3(emulator_interface->gridDim.x, emulator_interface->gridDim.y, emulator_interface->gridDim.z);
}
__attribute__((const)) EMULATOR_OWN static unsigned lane() {
  Index thread = emulator_interface->threadIdx, size = emulator_interface->blockDim;
  return (thread.x + size.x * (thread.y + size.y * thread.z)) % 32;
}

EMULATOR_OWN static unsigned barrier(unsigned barrier, unsigned value, int line) {
  return emulator_interface->barrier(barrier, value, line);
}
EMULATOR_OWN static unsigned long long exchange(unsigned exchange, unsigned mask, unsigned long long value,
                                                unsigned source) {
  return emulator_interface->exchange(exchange, mask, value, source, __builtin_return_address(0));
}
EMULATOR_OWN static unsigned activeLanes() { return emulator_interface->activeLanes(); }

[[noreturn]] EMULATOR_OWN static void stop(const char *why) {
  emulator_interface->stop(why, __builtin_return_address(0));
  __builtin_unreachable();
}

template <unsigned long... I> struct Numbers {};

/// Calls a kernel with arguments that lie in the host's memory.
template <typename... P, unsigned long... I>
EMULATOR_OWN void spread(void (*kernel)(P...), const void *const *arguments, Numbers<I...>) {
  kernel(*static_cast<const P *>(arguments[I])...);
}
template <typename... P> EMULATOR_OWN void call(void (*kernel)(P...), const void *const *arguments) {
  spread(kernel, arguments, Numbers<__integer_pack(sizeof...(P))...>());
}
template <typename... P> constexpr unsigned parameters(void (*)(P...)) { return sizeof...(P); }
template <typename T> struct Sizes;
template <typename... P> struct Sizes<void(P...)> {
  static constexpr unsigned sizes[] = {static_cast<unsigned>(sizeof(P))..., 0};
};

} // namespace emulator

#define threadIdx (emulator::threadIndex())
#define blockIdx (emulator::blockIndex())
#define blockDim (emulator::blockSize())
#define gridDim (emulator::gridSize())
#define warpSize 32

#define __syncthreads() ((void)emulator::barrier(emulator::Sync, 0, __LINE__))
#define __syncthreads_or(x) ((int)emulator::barrier(emulator::SyncOr, (x) != 0, __LINE__))
#define __syncthreads_and(x) ((int)emulator::barrier(emulator::SyncAnd, (x) != 0, __LINE__))
#define __syncthreads_count(x) ((int)emulator::barrier(emulator::SyncCount, (x) != 0, __LINE__))

// Threads of a block run one after the other, so there is nothing to wait for.
#define __threadfence() __asm__ volatile("" ::: "memory")
#define __threadfence_block() __asm__ volatile("" ::: "memory")
#define __threadfence_system() __asm__ volatile("" ::: "memory")

[[noreturn]] inline void __trap() { emulator::stop("stops at a trap"); }
#define assert(condition) ((condition) ? (void)0 : emulator::stop("fails the assertion " #condition))

template <typename T> inline T __ldg(const T *address) { return *address; }
template <typename T> inline T __ldcg(const T *address) { return *address; }
template <typename T> inline T __ldcs(const T *address) { return *address; }
template <typename T> inline T __ldca(const T *address) { return *address; }
template <typename T> inline void __stcs(T *address, T value) { *address = value; }
template <typename T> inline void __stcg(T *address, T value) { *address = value; }

extern "C" int printf(const char *, ...);

#include "atomics.h"
#include "functions.h"
#include "integers.h"
#include "warps.h"

#endif
