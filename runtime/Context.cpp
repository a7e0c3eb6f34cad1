#include "runtime/Context.h"
#include "runtime/Interrupts.h"
#include "runtime/Library.h"
#include "runtime/Loops.h"
#include "runtime/Pool.h"
#include "runtime/Random.h"
#include "runtime/Threads.h"
#include <algorithm>

using namespace quernel::runtime;

static void *allocate(int64_t bytes) { return bytes < 0 ? nullptr : Pool::shared().allocate(bytes); }

static void release(void *memory) { Pool::shared().release(memory); }

static int32_t failQuietly(const qn_context *, int32_t code, const int64_t *, int32_t) { return code; }

const qn_context &quernel::runtime::context(int threads) {
  static const auto contexts = [] {
    std::array<qn_context, threadLimit> made{};
    for (int k = 0; k < threadLimit; ++k)
      made[k] = {k + 1, allocate, release, failQuietly, poll, callRoutine, parallelFor, parallelTasks, drawOne};
    return made;
  }();
  return contexts[std::clamp(threads > 0 ? threads : defaultThreads(), 1, threadLimit) - 1];
}

CallContext::CallContext(const qn_context &shared) : qn_context(shared) {
  fail = [](const qn_context *context, int32_t code, const int64_t *values, int32_t count) {
    // Programs see their context as constant; this one was made here.
    return static_cast<CallContext *>(const_cast<qn_context *>(context))->note(code, values, count);
  };
}

int32_t ErrorNote::note(int32_t code, const int64_t *values, int32_t number) {
  int32_t none = QN_OK;
  if (!first.compare_exchange_strong(none, code))
    return code;
  count = std::clamp<int32_t>(number, 0, QN_ERROR_VALUES);
  std::copy_n(values, count, kept.data());
  return code;
}
