#include "runtime/Pool.h"
#include "runtime/Cgroup.h"
#include "runtime/Poison.h"
#include <algorithm>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace quernel::runtime;

namespace {

constexpr size_t hugePage = 2 << 20;
/// A larger request can't be had, and its size class would overflow.
constexpr size_t largestRequest = size_t(1) << 62;

size_t mappedBytes(size_t capacity) {
  const size_t page = sysconf(_SC_PAGESIZE);
  return (sizeof(BlockHeader) + capacity + page - 1) / page * page;
}

void *mapAligned(size_t bytes, size_t alignment) {
  void *memory = mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(memory) % alignment;
  char *start = static_cast<char *>(memory) + before;
  if (before)
    munmap(memory, before);
  munmap(start + bytes, alignment - before);
  return start;
}

/// Huge pages for what was asked for, and for nothing else of the block: a touch would make 2 MiB resident at once.
void adviseHugePages(char *memory, size_t mapped, size_t wanted) {
  const size_t huge = wanted / hugePage * hugePage;
  madvise(memory, huge, MADV_HUGEPAGE);
  // Where the system gives them to everyone.
  madvise(memory + huge, mapped - huge, MADV_NOHUGEPAGE);
}

/// A new block for a request of `bytes` bytes.
BlockHeader *mapBlock(size_t capacity, size_t bytes) {
  const size_t mapped = mappedBytes(capacity), wanted = sizeof(BlockHeader) + bytes;
  const bool huge = wanted >= 2 * hugePage;
  void *memory = mapAligned(mapped, huge ? hugePage : sysconf(_SC_PAGESIZE));
  if (!memory)
    return nullptr;
  if (huge)
    adviseHugePages(static_cast<char *>(memory), mapped, wanted);
  auto *block = static_cast<BlockHeader *>(memory);
  block->capacity = capacity;
  return block;
}

void unmapBlocks(const std::vector<BlockHeader *> &blocks) {
  for (BlockHeader *block : blocks) {
    unpoison(block->data(), block->capacity); // what is mapped here later may be touched
    munmap(block, mappedBytes(block->capacity));
  }
}

/// The memory of a block for `bytes` bytes; the others stay untouched.
void *lent(BlockHeader *block, size_t bytes) {
  char *memory = static_cast<char *>(block->data());
  unpoison(memory, bytes);
  poison(memory + bytes, block->capacity - bytes);
  return memory;
}

} // namespace

Pool::Pool(size_t idleLimit) { counts.idleLimit = idleLimit; }

Pool::~Pool() { trim(); }

void Pool::lockShared() { shared().mutex.lock(); }

void Pool::unlockShared() { shared().mutex.unlock(); }

Pool &Pool::shared() {
  // Never destroyed: arrays may outlive every static object.
  static Pool *pool = [] {
    auto *made = new Pool;
    pthread_atfork(lockShared, unlockShared, unlockShared);
    return made;
  }();
  return *pool;
}

// Made when the library is loaded: a fork amid the first use would leave the child waiting for a thread that it doesn't
// have.
[[maybe_unused]] static Pool &madeEarly = Pool::shared();

size_t Pool::idleLimitOf(size_t memory) { return std::min(std::max(size_t(1) << 30, memory / 8), memory / 4); }

size_t Pool::defaultIdleLimit() {
  const size_t physical = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  return idleLimitOf(std::min(physical, size_t(cgroupMemory().value_or(INT64_MAX))));
}

BlockHeader *Pool::takeIdle(size_t capacity) {
  std::lock_guard lock(mutex);
  counts.usedBytes += capacity;
  auto found = idle.find(capacity);
  if (found == idle.end() || found->second.empty()) {
    ++counts.fresh;
    return nullptr;
  }
  BlockHeader *block = found->second.back();
  found->second.pop_back();
  counts.idleBytes -= capacity;
  --counts.idleBlocks;
  ++counts.recycled;
  return block;
}

void *Pool::allocate(size_t bytes) {
  if (bytes > largestRequest)
    return nullptr;
  const size_t capacity = sizeClass(bytes);
  BlockHeader *block = nullptr;
  if (capacity < smallLimit) {
    block = takeSmall(capacity);
    return block ? lent(block, bytes) : nullptr;
  }
  block = takeIdle(capacity);
  if (!block)
    block = mapBlock(capacity, bytes);
  if (!block && trim())
    block = mapBlock(capacity, bytes);
  if (block)
    return lent(block, bytes);
  std::lock_guard lock(mutex);
  counts.usedBytes -= capacity;
  return nullptr;
}

void Pool::release(void *memory) {
  if (!memory)
    return;
  BlockHeader *block = BlockHeader::of(memory);
  poison(memory, block->capacity);
  if (block->capacity < smallLimit)
    return returnSmall(block);
  Blocks victims;
  {
    std::lock_guard lock(mutex);
    counts.usedBytes -= block->capacity;
    if (block->capacity > counts.idleLimit) {
      victims.push_back(block);
    } else {
      evict(counts.idleLimit - block->capacity, victims);
      block->stamp = ++clock;
      idle[block->capacity].push_back(block);
      counts.idleBytes += block->capacity;
      ++counts.idleBlocks;
    }
  }
  unmapBlocks(victims);
}

void *Pool::reallocate(void *memory, size_t bytes) {
  if (memory && bytes <= capacity(memory) && bytes >= capacity(memory) / 2)
    return lent(BlockHeader::of(memory), bytes);
  void *moved = allocate(bytes);
  if (moved && memory) {
    unpoison(memory, capacity(memory));
    std::memcpy(moved, memory, std::min(bytes, capacity(memory)));
    release(memory);
  }
  return moved;
}

void Pool::evict(size_t keep, Blocks &victims) {
  while (counts.idleBytes > keep) {
    auto stamp = [](const auto &blocks) { return blocks.second.empty() ? UINT64_MAX : blocks.second.front()->stamp; };
    auto oldest = std::min_element(idle.begin(), idle.end(),
                                   [&](const auto &left, const auto &right) { return stamp(left) < stamp(right); });
    victims.push_back(oldest->second.front());
    counts.idleBytes -= oldest->first;
    --counts.idleBlocks;
    oldest->second.pop_front();
  }
}

void Pool::setIdleLimit(size_t bytes) {
  Blocks victims;
  {
    std::lock_guard lock(mutex);
    counts.idleLimit = bytes;
    evict(bytes, victims);
  }
  unmapBlocks(victims);
}

size_t Pool::trim(size_t keep) {
  Blocks victims;
  {
    std::lock_guard lock(mutex);
    evict(keep, victims);
  }
  size_t freed = trimSmall();
  for (BlockHeader *block : victims)
    freed += block->capacity;
  unmapBlocks(victims);
  return freed;
}

PoolStatistics Pool::statistics() const {
  std::lock_guard lock(mutex);
  return counts;
}
