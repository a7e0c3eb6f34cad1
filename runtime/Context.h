// The contexts that programs are called with.
#ifndef QUERNEL_RUNTIME_CONTEXT_H
#define QUERNEL_RUNTIME_CONTEXT_H

#include "runtime/abi.h"
#include <array>
#include <atomic>
#include <span>

namespace quernel::runtime {

/// No context has more threads.
inline constexpr int threadLimit = 1024;

/// The context of a number of threads; 0 or less takes `defaultThreads()`. It lives until the process ends, and its
/// `fail` keeps nothing.
const qn_context &context(int threads);

/// The first error of a call of a program.
class ErrorNote {
public:
  /// Keeps an error unless there is one already; any thread may call it. Returns `code`.
  int32_t note(int32_t code, const int64_t *values, int32_t count);

  /// The first code that the program has noted, or 0. Valid when the entry has returned.
  int32_t code() const { return first.load(std::memory_order_acquire); }
  /// The numbers of its message.
  std::span<const int64_t> values() const { return {kept.data(), count}; }

private:
  std::atomic<int32_t> first = QN_OK;
  size_t count = 0;
  std::array<int64_t, QN_ERROR_VALUES> kept;
};

/// The context of one call of a program that may fail: it keeps the numbers of the first error.
class CallContext : public qn_context, public ErrorNote {
public:
  explicit CallContext(const qn_context &shared);
};

} // namespace quernel::runtime

#endif
