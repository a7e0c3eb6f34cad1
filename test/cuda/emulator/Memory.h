// The memory of the emulated devices: a range of addresses that only kernels and copies may touch. Outside them the
// pages are closed, so that a host that uses a device's pointer gets SIGSEGV. Addresses of freed memory are not given
// again before the range is used up.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_MEMORY_H
#define QUERNEL_TEST_CUDA_EMULATOR_MEMORY_H

#include "Races.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace emulator {

struct Allocation {
  uintptr_t begin;
  size_t size;
  int device;
  bool live;

  bool holds(uintptr_t address, size_t bytes) const {
    return address >= begin && bytes <= size && address - begin <= size - bytes;
  }
};

class Memory {
public:
  static Memory &get();

  /// 0 where the device has not that much.
  uintptr_t allocate(size_t bytes, int device);
  bool release(uintptr_t address);
  /// The live allocation that holds all of the bytes.
  const Allocation *find(uintptr_t address, size_t bytes) {
    return last && last->holds(address, bytes) ? last : search(address, bytes);
  }
  /// Like "at 12 behind the end of a buffer of 400 bytes".
  std::string describe(uintptr_t address) const;

  bool isDevice(uintptr_t address) const { return address - space.base < space.size; }
  size_t total(int device) const;
  size_t used(int device) { return usedBytes[device]; }

  /// The races and the written bytes of all of it.
  Space space;

  /// Lets the process touch the memory while it lives.
  class Access {
  public:
    Access() { get().protect(true); }
    ~Access() { get().protect(false); }
  };

private:
  Memory();
  void protect(bool open);
  const Allocation *search(uintptr_t address, size_t bytes);
  uintptr_t place(size_t bytes);
  void forget(const Allocation &allocation);

  /// Those freed lately as well, by their ends.
  std::map<uintptr_t, Allocation> allocations;
  std::map<int, size_t> usedBytes;
  /// The ends of the latest ones freed, which messages name.
  std::deque<uintptr_t> freed;
  const Allocation *last = nullptr;
  static constexpr int recentCount = 8;
  const Allocation *recent[recentCount] = {};
  int oldest = 0;
  uintptr_t next, liveBegin = 0, liveEnd = 0;
  int openCount = 0;
};

} // namespace emulator

#endif
