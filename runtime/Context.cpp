#include "runtime/Context.h"
#include "runtime/Matmul.h"
#include "runtime/Pool.h"
#include "runtime/Threads.h"
#include <algorithm>
#include <array>

using namespace quernel::runtime;

static void *allocate(int64_t bytes) { return bytes < 0 ? nullptr : Pool::shared().allocate(bytes); }

static void release(void *memory) { Pool::shared().release(memory); }

const qn_context &quernel::runtime::context(int threads) {
  static const auto contexts = [] {
    std::array<qn_context, threadLimit> made{};
    for (int k = 0; k < threadLimit; ++k)
      made[k] = {k + 1, allocate, release, matmulF64, matmulF32};
    return made;
  }();
  return contexts[std::clamp(threads > 0 ? threads : defaultThreads(), 1, threadLimit) - 1];
}
