// Blocks of less than 64 KiB: cached per thread, without a lock.
#ifndef QUERNEL_RUNTIME_SMALLBLOCKS_H
#define QUERNEL_RUNTIME_SMALLBLOCKS_H

#include <cstddef>
#include <cstdint>

namespace quernel::runtime {

/// Stands before every block; a block's data follows at the next 64-byte boundary.
struct alignas(64) BlockHeader {
  size_t capacity;
  /// The next idle block of the same size in a thread's cache.
  BlockHeader *next;
  uint64_t stamp;

  void *data() { return this + 1; }
  static BlockHeader *of(void *data) { return static_cast<BlockHeader *>(data) - 1; }
};

/// Requests below this size come from the thread's cache.
inline constexpr size_t smallLimit = 64 << 10;

/// The capacity that serves a request: four steps for every power of two, so at most a fifth is unused above 256 bytes.
size_t sizeClass(size_t bytes);

/// A block from the thread's cache or from the heap; null where memory is out. `capacity` is a size class.
BlockHeader *takeSmall(size_t capacity);

/// Keeps a block for the thread's next request, or frees it where the thread keeps enough.
void returnSmall(BlockHeader *block);

/// Frees what the calling thread keeps; returns the bytes.
size_t trimSmall();

} // namespace quernel::runtime

#endif
