// Memory for outputs and temporaries, recycled: a page that has been touched before costs no page fault.
#ifndef QUERNEL_RUNTIME_POOL_H
#define QUERNEL_RUNTIME_POOL_H

#include "runtime/SmallBlocks.h"
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace quernel::runtime {

/// What a pool did and holds. Blocks below `smallLimit` aren't counted.
struct PoolStatistics {
  size_t usedBytes = 0;
  size_t idleBytes = 0;
  size_t idleBlocks = 0;
  size_t idleLimit = 0;
  uint64_t recycled = 0;
  uint64_t fresh = 0;
};

/// Blocks at 64-byte boundaries, recycled by size class. Any thread may call any method.
class Pool {
public:
  /// An empty pool that keeps at most `idleLimit` bytes for later.
  explicit Pool(size_t idleLimit = defaultIdleLimit());
  /// Frees the idle blocks; those in use must have been released.
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// The process's pool. It lives until the process ends, and survives a fork.
  static Pool &shared();

  /// 1 GiB, or an eighth of the memory where that is more; but never more than a quarter.
  static size_t idleLimitOf(size_t memory);

  /// The same of the machine's memory, or of what the process's control group leaves of it.
  static size_t defaultIdleLimit();

  /// At least `bytes` bytes with any content; null where memory is out. 0 bytes give a valid block too.
  void *allocate(size_t bytes);

  /// Takes back a block of this pool; null is ignored.
  void release(void *memory);

  /// A block of the other size with the same first bytes; the old one is released. Null where memory is out: then the
  /// old one stays as it is. Null for `memory` is an allocation.
  void *reallocate(void *memory, size_t bytes);

  /// How many bytes a block holds; at least what was asked for.
  static size_t capacity(void *memory) { return BlockHeader::of(memory)->capacity; }

  /// Changes the limit and frees the oldest idle blocks beyond it.
  void setIdleLimit(size_t bytes);

  /// Frees idle blocks, the oldest first, until at most `keep` bytes are idle; and all small blocks that the calling
  /// thread keeps. Returns the bytes freed.
  size_t trim(size_t keep = 0);

  /// Numbers for tests and for users.
  PoolStatistics statistics() const;

private:
  using Blocks = std::vector<BlockHeader *>;

  BlockHeader *takeIdle(size_t capacity);
  void evict(size_t keep, Blocks &victims);
  static void lockShared();
  static void unlockShared();

  mutable std::mutex mutex;
  /// By capacity; the newest at the back, which is the one that is still in the processor's cache.
  std::map<size_t, std::deque<BlockHeader *>> idle;
  PoolStatistics counts;
  uint64_t clock = 0;
};

} // namespace quernel::runtime

#endif
