// A launch of a kernel: the blocks one after the other, the threads of each in turns.
//
// Any thread runs until it waits for others, in the order of their numbers or in one that depends on EMULATOR_SEED.
// What is found: accesses outside the memory that a kernel may use, accesses of two threads that no barrier orders,
// barriers that not all threads of the block come to, or that they come to at different lines, and functions of warps
// that not all named lanes come to. A fence and an atomic function order nothing, so a block that goes on with what
// another has written is reported as well, even where a device would get it right.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_LAUNCH_H
#define QUERNEL_TEST_CUDA_EMULATOR_LAUNCH_H

#include "Fibre.h"
#include "Memory.h"
#include "Module.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

struct Shape {
  Index blocks, threads;
  unsigned shared;
};

/// The numbers below a count in an order that a seed chooses.
class Order {
public:
  Order(uint64_t count, uint64_t seed);
  uint64_t operator[](uint64_t i) const { return (i * factor + shift) % count; }

private:
  uint64_t count, factor = 1, shift = 0;
};

class Launch {
public:
  enum class Failure { None, Address, Other };

  Launch(const Module &module, const Kernel &kernel, const Shape &shape, int device);

  /// Whether all is well.
  bool run(const void *const *arguments);

  Failure failure = Failure::None;
  std::string text;

  /// What modules are lent; its functions belong to the launch that runs.
  static Interface &interface();

private:
  enum class State { Fresh, Ready, AtBarrier, AtExchange, Done };
  struct Thread {
    State state;
    Fibre *fibre;
    unsigned kind, mask, source;
    int line;
    uint64_t value, result;
  };

  void runBlock(uint64_t block);
  bool runThreads();
  void resume(unsigned thread);
  static void enter();
  void finish();

  void access(uintptr_t address, size_t size, unsigned access, const void *place);
  void accessDevice(uintptr_t address, size_t size, unsigned kind, const void *place);
  void accessModule(uintptr_t address, size_t size, unsigned kind, const void *place);
  void touch(Space &space, uintptr_t address, size_t size, unsigned kind, uint32_t since, const void *place);
  void checkTime(const void *place);
  unsigned barrier(unsigned kind, unsigned value, int line);
  void releaseBarrier();
  uint64_t exchange(unsigned kind, unsigned mask, uint64_t value, unsigned source, const void *place);
  bool isComplete(unsigned warp, unsigned kind, unsigned mask) const;
  void releaseExchange(unsigned warp, unsigned kind, unsigned mask);
  void orderLanes(unsigned warp, unsigned mask);
  uint64_t combine(unsigned kind, unsigned warp, unsigned mask, unsigned lane) const;
  unsigned liveLanes(unsigned warp) const;
  void tick(unsigned thread);
  void wait(State state);

  /// Ends the launch; doesn't return when a thread calls it.
  void fail(Failure failure, const std::string &what, const void *place = nullptr);
  void failStuck();
  std::string threadText(unsigned thread) const;
  std::string doing(unsigned thread) const;
  std::string describe(uintptr_t address) const;

  const Module &module;
  const Kernel &kernel;
  const Shape shape;
  const int device;
  const unsigned threadCount;
  const uint64_t blockCount;
  const void *const *arguments = nullptr;
  uint64_t launchSeed;
  std::vector<Thread> threads;
  std::vector<Clock> clocks;
  std::vector<Fibre *> idle;
  Observer observer{};
  Order blockOrder;
  unsigned current = 0, waiting = 0, done = 0;
  /// Where the running thread's stack begins.
  uintptr_t stack = 0;
  bool onThread = false;
  uint64_t accesses = 0;
  std::chrono::steady_clock::time_point started;

  static Launch *running;
  friend struct Calls;
};

} // namespace emulator

#endif
