// Stacks of their own for the threads of a block, which take turns on the thread that launches.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_FIBRE_H
#define QUERNEL_TEST_CUDA_EMULATOR_FIBRE_H

#include <cstdint>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emulator {

class Fibre {
public:
  /// The page below it can't be touched: a kernel whose stack is too small ends the process.
  static constexpr uintptr_t stackBytes = 256 << 10;

  Fibre();
  Fibre(const Fibre &) = delete;
  ~Fibre();

  /// Begins anew with `entry`, which never returns; what the fibre did before is dropped.
  void prepare(void (*entry)());
  /// Runs it until it suspends itself.
  void resume();
  void suspend();
  uintptr_t stack() const { return low; }

private:
  uintptr_t low;
#ifdef __x86_64__
  void *own = nullptr, *caller = nullptr;
#else
  ucontext_t own, caller;
#endif
};

} // namespace emulator

#endif
