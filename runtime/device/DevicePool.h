// Memory of a device, and pinned memory of the host, recycled: the driver takes as long for some memory as a kernel
// runs.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICEPOOL_H
#define QUERNEL_RUNTIME_DEVICE_DEVICEPOOL_H

#include "runtime/device/DeviceStreams.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

namespace quernel::runtime {

/// Where a pool has its memory from.
struct MemorySource {
  std::function<void *(size_t bytes)> allocate; ///< null where there is none
  std::function<void(void *memory)> release;
  /// Has a stream wait for others; may be missing where one alone uses the memory.
  std::function<void(StreamSet before, int after)> order;
};

/// What a pool holds, and how often it has asked its source.
struct DevicePoolStatistics {
  size_t allocated = 0; ///< bytes of the blocks in use
  size_t reserved = 0;  ///< bytes that the source has given
  uint64_t asked = 0;   ///< how often it has given some
};

/// Blocks cut from regions that a source gives, at multiples of 512 bytes from there. The pool never touches the
/// memory. A block that comes back may be given away at once: a stream that has used it asks in the same order, and
/// another one that gets it waits for those that have. A stream gets its own blocks first, then new memory, and only
/// then those of others. Any thread may call any method.
class DevicePool {
public:
  /// An empty pool, which keeps at most `idleLimit` bytes that nobody uses, as far as whole regions are free. The
  /// source is asked under the pool's lock, and throws nothing.
  /// @param isExact  whether each block is a region of just its size, and goes back as it is released: tools that check
  ///                 how memory is used see blocks then
  DevicePool(MemorySource source, size_t idleLimit, bool isExact = false);
  /// Gives back the regions without blocks in use.
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;
  DevicePool &operator=(const DevicePool &) = delete;

  /// At least `bytes` bytes with any content for a stream, the smallest free block that is large enough. Where the
  /// source has none, it gets back all regions that are free, and is asked again; null where it has none then. 0 bytes
  /// are a block, too.
  void *allocate(size_t bytes, int stream = 0);

  /// Takes back a block, which other streams may have used besides; null is ignored.
  void release(void *memory, StreamSet others = 0);

  /// How many bytes a block in use was asked for.
  size_t wanted(void *memory) const;

  /// Gives free regions back to the source, the largest first, until at most `keep` bytes are idle; returns how many
  /// bytes those were.
  size_t trim(size_t keep = 0);

  /// Changes the limit for what is released from now on.
  void setIdleLimit(size_t bytes);

  /// Numbers for tests and for users.
  DevicePoolStatistics statistics() const;

private:
  /// A part of a region, between its neighbours there.
  struct Block {
    char *memory;
    size_t bytes, wanted;
    int kind;
    StreamSet users; ///< the streams that have used it, as far as others have to wait for them
    Block *previous, *next;

    bool isRegion() const { return !previous && !next; }
  };

  struct BySize {
    bool operator()(const Block *left, const Block *right) const {
      return left->bytes != right->bytes ? left->bytes < right->bytes : left->memory < right->memory;
    }
  };
  /// Small and large blocks come from regions of their own, so that a few small ones don't keep a large one from use.
  enum { small, large, kinds };
  using Blocks = std::set<Block *, BySize>;

  static int kindOf(size_t bytes);
  Block *takeFree(size_t bytes, int kind, StreamSet users);
  Block *takeOthers(size_t bytes, int kind, int stream);
  Block *grow(size_t bytes, int kind);
  void split(Block *block, size_t bytes);
  Block *join(Block *left, Block *right);
  size_t trimLocked(size_t keep);

  const MemorySource source;
  const bool isExact;
  mutable std::mutex mutex;
  size_t idleLimit;
  std::array<Blocks, kinds> idle;
  std::unordered_map<void *, Block *> used;
  DevicePoolStatistics counts;
};

} // namespace quernel::runtime

#endif
