// Who touched which bytes, to find accesses of two threads that nothing orders.
//
// Each 4 bytes of memory have a cell with the last write and two reads; those of which threads touched parts have a
// cell for each byte instead. Only what happened in the running launch counts, and in shared memory in the running
// block. A third thread's read is forgotten, so a write that only it doesn't precede may go unnoticed; this takes
// threads of a warp that are ordered by __syncwarp in part.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_RACES_H
#define QUERNEL_TEST_CUDA_EMULATOR_RACES_H

#include "Interface.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace emulator {

/// An access: the block, by its number since the process began, the thread in it, and the thread's clock.
using Record = uint64_t;

constexpr uint32_t mostClock = (1 << 21) - 1;
constexpr Record atomicRecord = 1;

constexpr Record makeRecord(uint32_t serial, unsigned thread, uint32_t clock) {
  return uint64_t(serial) << 32 | uint64_t(thread) << 22 | uint64_t(clock) << 1;
}
constexpr uint32_t serialOf(Record record) { return record >> 32; }
constexpr unsigned threadOf(Record record) { return record >> 22 & 1023; }
constexpr uint32_t clockOf(Record record) { return record >> 1 & mostClock; }

/// What a thread has seen of the others. Its clock ticks at each barrier and each __syncwarp.
struct Clock {
  uint32_t now = 1;
  /// The own one at the last barrier: what was until then precedes all that any thread of the block does now.
  uint32_t barrier = 0;
  /// Those of the lanes of the warp.
  uint32_t seen[32] = {};
};

/// The running thread among the others.
struct Observer {
  uint32_t launchSerial, blockSerial;
  unsigned thread;
  Record record;
  const Clock *clocks;

  /// Nothing orders this earlier access before what the thread does now. Records before `since` don't count.
  bool isConcurrent(Record record, uint32_t since) const {
    uint32_t serial = serialOf(record);
    if (serial < since)
      return false;
    if (serial != blockSerial)
      return true;
    unsigned other = threadOf(record);
    if (other == thread)
      return false;
    uint32_t clock = clockOf(record);
    return clock > clocks[other].barrier && (other / 32 != thread / 32 || clock > clocks[thread].seen[other % 32]);
  }
};

struct Race {
  Record other;
  bool otherWrote;
  uintptr_t address;
};

struct Cell {
  Record write, reads[2];

  std::optional<Race> touch(unsigned kind, const Observer &observer, uint32_t since);
};

/// Pages that take no memory before they are touched, at no address that the process uses.
void *reserve(size_t bytes, bool open);

/// A range of memory with the cells for it.
class Space {
public:
  Space(uintptr_t base, size_t size);
  Space(const Space &) = delete;
  ~Space();

  std::optional<Race> touch(uintptr_t address, size_t size, unsigned kind, const Observer &observer, uint32_t since);

  /// Notes that the bytes hold something.
  void write(uintptr_t address, size_t size);
  /// The first of the bytes that nobody has written, or `size`.
  size_t firstUnwritten(uintptr_t address, size_t size) const;
  /// Drops all that is known of some pages.
  void forget(uintptr_t begin, uintptr_t end);

  const uintptr_t base;
  const size_t size;

private:
  std::optional<Race> touchByte(uintptr_t offset, unsigned kind, const Observer &observer, uint32_t since);
  void split(uintptr_t offset);

  Cell *words, *bytes;
  /// A flag for each byte; null where it isn't checked.
  uint8_t *written = nullptr;
};

} // namespace emulator

#endif
