// What a launch checks of each access, and the texts of what is wrong.
#include "Launch.h"

#include <cstdio>

namespace emulator {

/// A thread that does so many accesses between two looks at the time.
static constexpr uint64_t accessesBetweenLooks = 1 << 24;
static constexpr std::chrono::seconds longest(300);

void Launch::access(uintptr_t address, size_t size, unsigned access, const void *place) {
  if (address - stack < Fibre::stackBytes)
    return;
  unsigned kind = access & KindMask;
  if ((access & Aligned) && address % size != 0)
    fail(Failure::Address,
         (kind == Read ? "reads " : "writes ") + std::to_string(size) +
             " bytes at an address that is no multiple of it: " + describe(address),
         place);
  if (++accesses % accessesBetweenLooks == 0)
    checkTime(place);
  if (Memory::get().isDevice(address))
    accessDevice(address, size, kind, place);
  else
    accessModule(address, size, kind, place);
}

static std::string accessText(unsigned kind, size_t size) {
  return (kind == Read ? "reads " : kind == Write ? "writes " : "changes ") + std::to_string(size) + " bytes ";
}

void Launch::accessDevice(uintptr_t address, size_t size, unsigned kind, const void *place) {
  Memory &memory = Memory::get();
  const Allocation *allocation = memory.find(address, size);
  if (!allocation)
    fail(Failure::Address, accessText(kind, size) + describe(address), place);
  if (allocation->device != device)
    fail(Failure::Address, accessText(kind, size) + describe(address) + ", which is another device's", place);
  if (kind == Write)
    memory.space.write(address, size);
  else if (size_t first = memory.space.firstUnwritten(address, size); first != size)
    fail(Failure::Address, accessText(kind, size) + describe(address) + ", which nobody has written", place);
  touch(memory.space, address, size, kind, observer.launchSerial, place);
}

void Launch::accessModule(uintptr_t address, size_t size, unsigned kind, const void *place) {
  if (module.shared.holds(address, size))
    return touch(*module.space, address, size, kind, observer.blockSerial, place);
  if (module.dynamic.has(address)) {
    if (!Range{module.dynamic.begin, shape.shared}.holds(address, size))
      fail(Failure::Address, accessText(kind, size) + describe(address), place);
    return touch(*module.space, address, size, kind, observer.blockSerial, place);
  }
  for (const Range &range : module.writable)
    if (range.holds(address, size) && !module.shared.has(address))
      return touch(*module.space, address, size, kind, observer.launchSerial, place);
  for (const Range &range : module.readable)
    if (range.holds(address, size) && kind == Read)
      return;
  fail(Failure::Address, accessText(kind, size) + describe(address), place);
}

void Launch::touch(Space &space, uintptr_t address, size_t size, unsigned kind, uint32_t since, const void *place) {
  std::optional<Race> race = space.touch(address, size, kind, observer, since);
  if (!race)
    return;
  // Names the block by its place in the order in which they run.
  uint64_t block = blockOrder[serialOf(race->other) - observer.launchSerial];
  Index saved = interface().blockIdx;
  interface().blockIdx = {unsigned(block % shape.blocks.x), unsigned(block / shape.blocks.x % shape.blocks.y),
                          unsigned(block / shape.blocks.x / shape.blocks.y)};
  std::string other = threadText(threadOf(race->other));
  interface().blockIdx = saved;
  fail(Failure::Other,
       accessText(kind, size) + describe(race->address) + " that " + other + " has " +
           (!race->otherWrote            ? "read"
            : atomicRecord & race->other ? "changed atomically"
                                         : "written") +
           ", and no barrier is between",
       place);
}

void Launch::checkTime(const void *place) {
  if (std::chrono::steady_clock::now() - started > longest)
    fail(Failure::Other, "has not ended after " + std::to_string(longest.count()) + " seconds", place);
}

static std::string tuple(const Index &index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string Launch::threadText(unsigned thread) const {
  const Index &size = shape.threads;
  return "thread " + tuple({thread % size.x, thread / size.x % size.y, thread / size.x / size.y}) + " of block " +
         tuple(interface().blockIdx);
}

std::string Launch::describe(uintptr_t address) const {
  char text[64];
  snprintf(text, sizeof(text), "0x%zx", size_t(address));
  if (address < 4096)
    return std::string("by a null pointer (") + text + ")";
  if (Memory::get().isDevice(address))
    return Memory::get().describe(address);
  if (module.shared.has(address))
    return "at " + std::to_string(address - module.shared.begin) + " of the shared memory";
  if (module.dynamic.has(address)) {
    uintptr_t offset = address - module.dynamic.begin;
    std::string all = std::to_string(shape.shared) + " bytes of dynamic shared memory";
    return offset < shape.shared ? "at " + std::to_string(offset) + " of the " + all
                                 : "at " + std::to_string(offset - shape.shared) + " behind the end of the " + all;
  }
  for (const std::vector<Range> &ranges : {module.writable, module.readable})
    for (const Range &range : ranges)
      if (range.has(address))
        return std::string("of a variable of the module at ") + text;
  for (const Fibre *fibre : idle)
    if (address - fibre->stack() < Fibre::stackBytes)
      return "of another thread's local memory";
  for (const Thread &thread : threads)
    if (thread.fibre && address - thread.fibre->stack() < Fibre::stackBytes)
      return "of another thread's local memory";
  return std::string("of the host's memory at ") + text;
}

void Launch::fail(Failure kind, const std::string &what, const void *place) {
  if (failure == Failure::None) {
    failure = kind;
    text = std::string(kernel.name) + ": " + threadText(current) + " " + what;
    if (std::string line = place ? module.line(place) : std::string(); !line.empty())
      text += " (" + line + ")";
  }
  // The thread is never gone on with.
  if (onThread)
    threads[current].fibre->suspend();
}

static const char *exchangeText(unsigned kind) {
  switch (kind) {
  case SyncWarp:
    return "__syncwarp";
  case Shuffle:
    return "a shuffle";
  case Ballot:
    return "a vote";
  default:
    return "a function of its warp";
  }
}

std::string Launch::doing(unsigned number) const {
  const Thread &thread = threads[number];
  if (thread.state == State::Done)
    return "has returned";
  if (thread.state == State::AtBarrier)
    return "waits at the barrier of line " + std::to_string(thread.line);
  char mask[24];
  snprintf(mask, sizeof(mask), "0x%08x", thread.mask);
  return std::string("waits at ") + exchangeText(thread.kind) + " of the lanes " + mask;
}

/// No thread can go on: names one that waits, and one that it waits for in vain.
void Launch::failStuck() {
  for (current = 0; threads[current].state == State::Done;)
    ++current;
  const Thread &thread = threads[current];
  unsigned other = 0;
  for (; other < threadCount; ++other) {
    const Thread &candidate = threads[other];
    bool isAwaited =
        thread.state == State::AtBarrier || (other / 32 == current / 32 && (thread.mask >> (other % 32) & 1));
    bool isThere =
        candidate.state == thread.state &&
        (thread.state == State::AtBarrier || (candidate.kind == thread.kind && candidate.mask == thread.mask));
    if (isAwaited && !isThere)
      break;
  }
  fail(Failure::Other, doing(current) + ", while " +
                           (other < threadCount ? threadText(other) + " " + doing(other) : std::string("none comes")));
}

} // namespace emulator
