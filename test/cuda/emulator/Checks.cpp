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
  if (memory.isDevice(address))
    accessDevice(address, size, kind, place);
  else
    accessModule(address, size, kind, place);
}

static std::string accessText(unsigned kind, size_t size) {
  return (kind == Read ? "reads " : kind == Write ? "writes " : "changes ") + std::to_string(size) + " bytes ";
}

void Launch::accessDevice(uintptr_t address, size_t size, unsigned kind, const void *place) {
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
  if (Range{module.dynamic.begin, shape.shared}.holds(address, size))
    return touch(*module.space, address, size, kind, observer.blockSerial, place);
  if (!lastVariable || !lastVariable->range.holds(address, size))
    lastVariable = module.variableBefore(address);
  if (lastVariable && lastVariable->range.holds(address, size))
    return touch(*module.space, address, size, kind,
                 lastVariable->isShared ? observer.blockSerial : observer.launchSerial, place);
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
  return "thread " + tuple(positions[thread]) + " of block " + tuple(interface().blockIdx);
}

/// Like "at 8 of the 32 bytes of ".
static std::string offsetText(uintptr_t address, const Range &range) {
  uintptr_t offset = address - range.begin;
  bool isBehind = offset >= range.size;
  return "at " + std::to_string(isBehind ? offset - range.size : offset) + (isBehind ? " behind the end" : "") +
         " of the " + std::to_string(range.size) + " bytes of ";
}

std::string Launch::describe(uintptr_t address) const {
  char text[64];
  snprintf(text, sizeof(text), "0x%zx", size_t(address));
  if (address < 4096)
    return std::string("by a null pointer (") + text + ")";
  if (memory.isDevice(address))
    return memory.describe(address);
  if (module.dynamic.has(address))
    return offsetText(address, {module.dynamic.begin, shape.shared}) + "dynamic shared memory";
  for (const Range &range : module.writable)
    if (const Variable *variable = module.variableBefore(address); variable && range.has(address))
      return offsetText(address, variable->range) + variable->name + (variable->isShared ? " in shared memory" : "");
  for (const std::vector<Range> &ranges : {module.writable, module.readable})
    for (const Range &range : ranges)
      if (range.has(address))
        return std::string("of the module's constants and code at ") + text;
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
