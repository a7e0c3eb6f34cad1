#include "runtime/SmallBlocks.h"
#include <array>
#include <bit>
#include <cstdlib>

using namespace quernel::runtime;

size_t quernel::runtime::sizeClass(size_t bytes) {
  if (bytes <= 256)
    return bytes <= 64 ? 64 : (bytes + 63) / 64 * 64;
  size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

namespace {

constexpr size_t keptPerThread = 512 << 10;

/// Four classes of up to 256 bytes, then four for each of the powers up to 64 KiB.
constexpr size_t classCount = 4 + 4 * 8;

size_t classIndex(size_t capacity) {
  if (capacity <= 256)
    return capacity / 64 - 1;
  size_t power = std::bit_width(capacity - 1) - 1;
  return 4 + (power - 8) * 4 + (capacity / ((size_t(1) << power) / 4) - 5);
}

/// Trivially destructible, so it can still be asked after the thread's cache is gone.
thread_local bool cacheIsGone = false;

struct ThreadCache {
  std::array<BlockHeader *, classCount> idle{};
  size_t kept = 0;

  size_t trim() {
    size_t freed = kept;
    for (BlockHeader *&first : idle)
      while (BlockHeader *block = first) {
        first = block->next;
        std::free(block);
      }
    kept = 0;
    return freed;
  }

  ~ThreadCache() {
    trim();
    cacheIsGone = true;
  }
};

thread_local ThreadCache cache;

} // namespace

BlockHeader *quernel::runtime::takeSmall(size_t capacity) {
  if (!cacheIsGone) {
    BlockHeader *&first = cache.idle[classIndex(capacity)];
    if (BlockHeader *block = first) {
      first = block->next;
      cache.kept -= capacity;
      return block;
    }
  }
  auto *block = static_cast<BlockHeader *>(std::aligned_alloc(64, sizeof(BlockHeader) + capacity));
  if (block)
    block->capacity = capacity;
  return block;
}

void quernel::runtime::returnSmall(BlockHeader *block) {
  if (cacheIsGone || cache.kept + block->capacity > keptPerThread)
    return std::free(block);
  BlockHeader *&first = cache.idle[classIndex(block->capacity)];
  block->next = first;
  first = block;
  cache.kept += block->capacity;
}

size_t quernel::runtime::trimSmall() { return cacheIsGone ? 0 : cache.trim(); }
