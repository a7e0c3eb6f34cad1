#include "Launch.h"

#include "Settings.h"

#include <cstring>
#include <numeric>

namespace emulator {

Launch *Launch::running = nullptr;

/// What the kernels call.
struct Calls {
  static void access(const void *address, unsigned long size, unsigned access, const void *place) {
    Launch::running->access(reinterpret_cast<uintptr_t>(address), size, access, place);
  }
  static unsigned barrier(unsigned kind, unsigned value, int line) {
    return Launch::running->barrier(kind, value, line);
  }
  static unsigned long long exchange(unsigned kind, unsigned mask, unsigned long long value, unsigned source,
                                     const void *place) {
    return Launch::running->exchange(kind, mask, value, source, place);
  }
  static unsigned activeLanes() { return Launch::running->liveLanes(Launch::running->current / 32); }
  static void stop(const char *why, const void *place) { Launch::running->fail(Launch::Failure::Other, why, place); }
};

Interface &Launch::interface() {
  static Interface interface = {
      {}, {}, {}, {}, Calls::access, Calls::barrier, Calls::exchange, Calls::activeLanes, Calls::stop};
  return interface;
}

Order::Order(uint64_t count, uint64_t seed) : count(count) {
  if (seed == 0 || count < 2)
    return;
  uint64_t mixed = (seed + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  shift = mixed % count;
  factor = (mixed >> 20) % count | 1;
  while (std::gcd(factor, count) != 1)
    ++factor;
  factor %= count;
}

static uint64_t volume(const Index &index) { return uint64_t(index.x) * index.y * index.z; }

static Index position(uint64_t number, const Index &size) {
  return {unsigned(number % size.x), unsigned(number / size.x % size.y), unsigned(number / size.x / size.y)};
}

/// Of all blocks that the process runs; 0 is none.
static uint32_t nextSerial = 1;

/// Stacks that were made for earlier launches.
static std::vector<Fibre *> &stacks() {
  static auto *stacks = new std::vector<Fibre *>;
  return *stacks;
}

Launch::Launch(const Module &module, const Kernel &kernel, const Shape &shape, int device)
    : module(module), kernel(kernel), shape(shape), device(device), threadCount(volume(shape.threads)),
      blockCount(volume(shape.blocks)), launchSeed(seed()), threads(threadCount), clocks((threadCount + 31) / 32 * 32),
      blockOrder(blockCount, launchSeed), started(std::chrono::steady_clock::now()) {}

bool Launch::run(const void *const *given) {
  arguments = given;
  running = this;
  interface().blockDim = shape.threads;
  interface().gridDim = shape.blocks;
  if (blockCount > UINT32_MAX - nextSerial)
    nextSerial = 1;
  observer.launchSerial = nextSerial;
  observer.clocks = clocks.data();
  idle = stacks();
  Memory::Access access;
  for (uint64_t i = 0; i < blockCount && failure == Failure::None; ++i)
    runBlock(blockOrder[i]);
  nextSerial = observer.launchSerial + static_cast<uint32_t>(blockCount);
  running = nullptr;
  return failure == Failure::None;
}

void Launch::runBlock(uint64_t block) {
  observer.blockSerial = nextSerial++;
  interface().blockIdx = position(block, shape.blocks);
  memset(reinterpret_cast<void *>(module.shared.begin), 0xFF, module.shared.size);
  memset(reinterpret_cast<void *>(module.dynamic.begin), 0xFF, shape.shared);
  std::fill(threads.begin(), threads.end(), Thread{});
  std::fill(clocks.begin(), clocks.end(), Clock{});
  waiting = done = 0;
  while (done < threadCount && failure == Failure::None)
    if (!runThreads() && failure == Failure::None)
      failStuck();
}

/// Each thread that can go on does so until it waits. Whether there was any.
bool Launch::runThreads() {
  Order order(threadCount, launchSeed == 0 ? 0 : launchSeed + observer.blockSerial);
  bool any = false;
  for (unsigned i = 0; i < threadCount && failure == Failure::None; ++i) {
    unsigned thread = order[i];
    if (threads[thread].state != State::Fresh && threads[thread].state != State::Ready)
      continue;
    resume(thread);
    any = true;
  }
  return any;
}

void Launch::resume(unsigned number) {
  Thread &thread = threads[number];
  if (thread.state == State::Fresh) {
    if (idle.empty()) {
      stacks().push_back(new Fibre);
      idle.push_back(stacks().back());
    }
    thread.fibre = idle.back();
    idle.pop_back();
    thread.fibre->prepare(enter);
  }
  thread.state = State::Ready;
  current = number;
  stack = thread.fibre->stack();
  interface().threadIdx = position(number, shape.threads);
  observer.thread = number;
  observer.record = makeRecord(observer.blockSerial, number, clocks[number].now);
  onThread = true;
  thread.fibre->resume();
  onThread = false;
  if (thread.state == State::Done)
    idle.push_back(thread.fibre);
}

void Launch::enter() {
  running->kernel.call(running->arguments);
  running->finish();
}

void Launch::finish() {
  ++done;
  threads[current].state = State::Done;
  threads[current].fibre->suspend();
}

void Launch::wait(State state) {
  threads[current].state = state;
  threads[current].fibre->suspend();
}

/// A thread's clock and record after it was ordered with others.
void Launch::tick(unsigned thread) {
  if (++clocks[thread].now > mostClock)
    fail(Failure::Other, "comes to too many barriers");
  if (thread == current)
    observer.record = makeRecord(observer.blockSerial, thread, clocks[thread].now);
}

unsigned Launch::barrier(unsigned kind, unsigned value, int line) {
  Thread &thread = threads[current];
  thread.kind = kind, thread.value = value, thread.line = line;
  if (++waiting < threadCount)
    wait(State::AtBarrier);
  else
    releaseBarrier();
  return static_cast<unsigned>(thread.result);
}

/// The last thread has come.
void Launch::releaseBarrier() {
  unsigned count = 0;
  for (const Thread &thread : threads) {
    const Thread &first = threads.front();
    if (thread.line != first.line || thread.kind != first.kind)
      fail(Failure::Other, "waits at the barrier of line " + std::to_string(threads[current].line) +
                               ", while threads of its block wait at that of line " +
                               std::to_string(thread.line == threads[current].line ? first.line : thread.line));
    count += thread.value != 0;
  }
  waiting = 0;
  for (unsigned i = 0; i < threadCount; ++i) {
    Thread &thread = threads[i];
    thread.result = thread.kind == SyncOr ? count != 0 : thread.kind == SyncAnd ? count == threadCount : count;
    thread.state = State::Ready;
    clocks[i].barrier = clocks[i].now;
    tick(i);
  }
}

unsigned Launch::liveLanes(unsigned warp) const {
  unsigned mask = 0;
  for (unsigned i = warp * 32; i < threadCount && i < warp * 32 + 32; ++i)
    mask |= threads[i].state == State::Done ? 0 : 1u << (i % 32);
  return mask;
}

static std::string lanesText(unsigned mask) {
  char text[24];
  snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

uint64_t Launch::exchange(unsigned kind, unsigned mask, uint64_t value, unsigned source, const void *place) {
  unsigned warp = current / 32, lane = current % 32;
  Thread &thread = threads[current];
  thread.kind = kind, thread.mask = mask, thread.value = value, thread.source = source;
  if (!(mask >> lane & 1))
    fail(Failure::Other, "is no lane of the mask " + lanesText(mask) + " that it names", place);
  if (unsigned missing = mask & ~liveLanes(warp))
    fail(Failure::Other, "names the lanes " + lanesText(missing) + " that its warp doesn't have, or that have returned",
         place);
  if (kind == Shuffle && !(mask >> source & 1))
    fail(Failure::Other,
         "asks for a value of lane " + std::to_string(source) + ", which isn't in the mask " + lanesText(mask), place);
  thread.state = State::AtExchange;
  if (isComplete(warp, kind, mask))
    releaseExchange(warp, kind, mask);
  else
    wait(State::AtExchange);
  return thread.result;
}

bool Launch::isComplete(unsigned warp, unsigned kind, unsigned mask) const {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const Thread &thread = threads[warp * 32 + lane];
    if (thread.state != State::AtExchange || thread.kind != kind || thread.mask != mask)
      return false;
  }
  return true;
}

void Launch::releaseExchange(unsigned warp, unsigned kind, unsigned mask) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      threads[warp * 32 + lane].result = combine(kind, warp, mask, lane);
  if (kind == SyncWarp)
    orderLanes(warp, mask);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      threads[warp * 32 + lane].state = State::Ready;
}

/// Each of the lanes has seen what any of them has.
void Launch::orderLanes(unsigned warp, unsigned mask) {
  uint32_t joined[32] = {};
  Clock *lanes = &clocks[warp * 32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    lanes[lane].seen[lane] = lanes[lane].now;
    for (unsigned i = 0; i < 32; ++i)
      joined[i] = std::max(joined[i], lanes[lane].seen[i]);
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      memcpy(lanes[lane].seen, joined, sizeof(joined));
      tick(warp * 32 + lane);
    }
}

template <typename T> static T reduced(unsigned kind, T a, T b) {
  switch (kind) {
  case ReduceAdd:
    return a + b;
  case ReduceMin:
  case ReduceMinUnsigned:
    return std::min(a, b);
  case ReduceMax:
  case ReduceMaxUnsigned:
    return std::max(a, b);
  case ReduceAnd:
    return a & b;
  case ReduceOr:
    return a | b;
  default:
    return a ^ b;
  }
}

uint64_t Launch::combine(unsigned kind, unsigned warp, unsigned mask, unsigned lane) const {
  const Thread *lanes = &threads[warp * 32];
  if (kind == SyncWarp)
    return 0;
  if (kind == Shuffle)
    return lanes[lanes[lane].source].value;
  uint64_t result = 0;
  bool isFirst = true;
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    uint64_t value = lanes[i].value;
    if (kind == Ballot)
      result |= value << i;
    else if (kind == MatchAny)
      result |= uint64_t(value == lanes[lane].value) << i;
    else if (isFirst)
      result = value;
    else if (kind == ReduceMin || kind == ReduceMax)
      result = uint32_t(reduced(kind, int32_t(result), int32_t(value)));
    else
      result = reduced(kind, uint32_t(result), uint32_t(value));
    isFirst = false;
  }
  return result;
}

} // namespace emulator
