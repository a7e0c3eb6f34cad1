#include "runtime/Interrupts.h"
#include "runtime/FloatFlags.h"
#include "runtime/abi.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <utility>

using namespace quernel::runtime;

namespace {

constexpr int64_t millisecond = 1000000;
constexpr int64_t shortest = 10 * millisecond, longest = 60 * millisecond;

std::atomic<InterruptCheck> interruptCheck = nullptr;

int64_t nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * int64_t(1000000000) + now.tv_nsec;
}

#ifdef CLOCK_MONOTONIC_COARSE
/// A few milliseconds coarse, and read in a quarter of the time.
constexpr clockid_t cheapClock = CLOCK_MONOTONIC_COARSE;
#else
constexpr clockid_t cheapClock = CLOCK_MONOTONIC;
#endif

int64_t pauseAfter(int64_t spent) { return std::clamp(5 * spent, shortest, longest); }

/// By thread: the first to ask must not take another's turn, as only Python's main thread learns of interrupts.
thread_local int64_t nextCheck = 0;
/// Whether the job has to stop that the thread shares with others; null where it shares none.
thread_local std::atomic<bool> *sharedStop = nullptr;

bool othersStop() { return sharedStop && sharedStop->load(std::memory_order_relaxed); }

int32_t check() {
  InterruptCheck ask = interruptCheck.load(std::memory_order_relaxed);
  const int64_t before = nanoseconds(CLOCK_MONOTONIC);
  const int flags = floatFlags();
  const int32_t answer = ask ? ask() : QN_OK;
  // What is asked may run NumPy, which clears the flags.
  clearFloatFlags();
  raiseFloatFlags(flags);
  nextCheck = nanoseconds(cheapClock) + pauseAfter(nanoseconds(CLOCK_MONOTONIC) - before);
  if (answer != QN_OK && sharedStop)
    sharedStop->store(true, std::memory_order_relaxed);
  return answer;
}

} // namespace

void quernel::runtime::setInterruptCheck(InterruptCheck check) { interruptCheck = check; }

int32_t quernel::runtime::pace(int64_t *since, int64_t *piece) {
  const int64_t now = nanoseconds(CLOCK_MONOTONIC), spent = now - *since;
  if (*since && spent < millisecond / 2)
    *piece = std::min(2 * *piece, INT64_MAX / 4);
  else if (*since && spent > 2 * millisecond)
    *piece = std::max<int64_t>(1, *piece / 2);
  *since = now;
  if (othersStop())
    return QN_INTERRUPTED;
  return now < nextCheck ? int32_t(QN_OK) : check();
}

int32_t quernel::runtime::poll() {
  if (othersStop())
    return QN_INTERRUPTED;
  return nanoseconds(cheapClock) < nextCheck ? int32_t(QN_OK) : check();
}

SharedJob::SharedJob(std::atomic<bool> &stop) : outer(std::exchange(sharedStop, &stop)) {}

SharedJob::~SharedJob() { sharedStop = outer; }
