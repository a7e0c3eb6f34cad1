#include "runtime/device/DevicePool.h"
#include <algorithm>
#include <cstdint>
#include <utility>

using namespace quernel::runtime;

namespace {

constexpr size_t grain = 512, megabyte = 1 << 20;
/// What is left of a large block stays with it where it is less.
constexpr size_t smallMost = megabyte;
constexpr size_t regionGrain = 2 * megabyte, largeRegion = 32 * megabyte;
/// A larger request can't be had, and its size couldn't be rounded.
constexpr size_t largestRequest = size_t(1) << 62;

size_t roundedUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

} // namespace

DevicePool::DevicePool(MemorySource source, size_t idleLimit, bool isExact)
    : source(std::move(source)), isExact(isExact), idleLimit(isExact ? 0 : idleLimit) {}

DevicePool::~DevicePool() {
  trim();
  for (Blocks &blocks : idle)
    for (Block *block : blocks)
      delete block;
  for (auto [memory, block] : used)
    delete block;
}

int DevicePool::kindOf(size_t bytes) { return bytes <= smallMost ? small : large; }

/// A free block that no other streams have used.
DevicePool::Block *DevicePool::takeFree(size_t bytes, int kind, StreamSet users) {
  Block wanted{nullptr, bytes, 0, kind, 0, nullptr, nullptr};
  auto found = idle[kind].lower_bound(&wanted);
  while (found != idle[kind].end() && ((*found)->users & ~users))
    ++found;
  if (found == idle[kind].end())
    return nullptr;
  Block *block = *found;
  idle[kind].erase(found);
  return block;
}

/// A free block that others have used, for whom the stream waits.
DevicePool::Block *DevicePool::takeOthers(size_t bytes, int kind, int stream) {
  Block *block = takeFree(bytes, kind, ~StreamSet(0));
  if (block && source.order)
    try {
      source.order(block->users & ~setOf(stream), stream);
    } catch (...) {
      idle[kind].insert(block);
      throw;
    }
  return block;
}

/// A new region, of the usual size where there is so much.
DevicePool::Block *DevicePool::grow(size_t bytes, int kind) {
  const size_t least = isExact ? bytes : roundedUp(bytes, regionGrain);
  const size_t usual = kind == large && least < largeRegion / 2 && !isExact ? largeRegion : least;
  size_t given = usual;
  void *memory = source.allocate(given);
  if (!memory && trimLocked(0))
    memory = source.allocate(given);
  if (!memory && least < usual)
    memory = source.allocate(given = least);
  if (!memory)
    return nullptr;
  counts.reserved += given;
  ++counts.asked;
  return new Block{static_cast<char *>(memory), given, 0, kind, 0, nullptr, nullptr};
}

/// Frees what a block has behind so many bytes, where that is worth a block.
void DevicePool::split(Block *block, size_t bytes) {
  const size_t rest = block->bytes - bytes;
  if (rest < (block->kind == small ? grain : smallMost))
    return;
  auto *behind = new Block{block->memory + bytes, rest, 0, block->kind, block->users, block, block->next};
  if (block->next)
    block->next->previous = behind;
  block->next = behind;
  block->bytes = bytes;
  idle[block->kind].insert(behind);
}

void *DevicePool::allocate(size_t bytes, int stream) {
  if (bytes > largestRequest)
    return nullptr;
  const size_t size = roundedUp(std::max(bytes, size_t(1)), isExact ? 1 : grain);
  const int kind = kindOf(size);
  std::lock_guard lock(mutex);
  Block *block = takeFree(size, kind, setOf(stream));
  if (!block)
    block = grow(size, kind);
  if (!block)
    block = takeOthers(size, kind, stream);
  if (!block)
    return nullptr;
  split(block, size);
  block->users = setOf(stream);
  block->wanted = bytes;
  counts.allocated += block->bytes;
  used.emplace(block->memory, block);
  return block->memory;
}

/// Makes one block of two neighbours; the left one.
DevicePool::Block *DevicePool::join(Block *left, Block *right) {
  left->bytes += right->bytes;
  left->users |= right->users;
  left->next = right->next;
  if (left->next)
    left->next->previous = left;
  delete right;
  return left;
}

void DevicePool::release(void *memory, StreamSet others) {
  if (!memory)
    return;
  std::lock_guard lock(mutex);
  const auto found = used.find(memory);
  if (found == used.end())
    return;
  Block *block = found->second;
  used.erase(found);
  counts.allocated -= block->bytes;
  block->users |= others;
  Blocks &blocks = idle[block->kind];
  if (block->next && blocks.erase(block->next))
    join(block, block->next);
  if (block->previous && blocks.erase(block->previous))
    block = join(block->previous, block);
  blocks.insert(block);
  if (counts.reserved - counts.allocated > idleLimit)
    trimLocked(idleLimit);
}

size_t DevicePool::wanted(void *memory) const {
  std::lock_guard lock(mutex);
  const auto found = used.find(memory);
  return found == used.end() ? 0 : found->second->wanted;
}

size_t DevicePool::trimLocked(size_t keep) {
  size_t freed = 0;
  for (int kind : {large, small})
    for (auto next = idle[kind].end(); next != idle[kind].begin() && counts.reserved - counts.allocated > keep;) {
      Block *block = *--next;
      if (!block->isRegion())
        continue;
      next = idle[kind].erase(next);
      source.release(block->memory);
      counts.reserved -= block->bytes;
      freed += block->bytes;
      delete block;
    }
  return freed;
}

size_t DevicePool::trim(size_t keep) {
  std::lock_guard lock(mutex);
  return trimLocked(keep);
}

void DevicePool::setIdleLimit(size_t bytes) {
  std::lock_guard lock(mutex);
  if (!isExact)
    idleLimit = bytes;
}

DevicePoolStatistics DevicePool::statistics() const {
  std::lock_guard lock(mutex);
  return counts;
}
