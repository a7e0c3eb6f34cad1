// Memory that a routine of the runtime needs while it runs; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_SCRATCH_H
#define QUERNEL_RUNTIME_SCRATCH_H

#include "runtime/Pool.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace quernel::runtime {

/// Memory of the pool, given back at the end.
class Scratch {
public:
  Scratch() = default;
  ~Scratch() {
    for (void *block : blocks)
      Pool::shared().release(block);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Null where memory is out; at least one element else.
  template <typename T> T *take(int64_t count) {
    int64_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(std::max<int64_t>(count, 1), int64_t(sizeof(T)), &bytes);
    void *memory = fits ? Pool::shared().allocate(bytes) : nullptr;
    blocks.push_back(memory);
    isOut |= !memory;
    return static_cast<T *>(memory);
  }

  /// Whether some request got null.
  bool out() const { return isOut; }

private:
  std::vector<void *> blocks;
  bool isOut = false;
};

} // namespace quernel::runtime

#endif
