#include "runtime/Team.h"
#include "runtime/FloatFlags.h"
#include "runtime/Interrupts.h"
#include <algorithm>
#include <csignal>
#include <ctime>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace quernel::runtime;

namespace {

/// In turn t a part is offered as 4 t; who computes it makes that 4 t + 1, and then 4 t + 2.
constexpr uint32_t taken = 1, done = 2;
constexpr uint32_t turns = UINT32_MAX / 4;

/// For how many nanoseconds a helper looks for its next part before it sleeps, and how often between looks at the
/// clock.
constexpr int64_t patience = 300000;
constexpr int helperLooks = 200;
/// How often the caller looks for the end of a part before it lets other threads run.
constexpr int callerLooks = 2000;

/// The flags of x86's control register, which also says how to round.
[[maybe_unused]] constexpr uint32_t sticky = 0x3F;

/// Between two looks at memory that another processor writes.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// How this thread rounds, and what it makes of denormal numbers: helpers have to do the same. No flags.
uint64_t floatMode() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~uint64_t(sticky);
#elif defined(__aarch64__)
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

/// On x86 this clears the flags, too.
void setFloatMode(uint64_t mode) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(uint32_t(mode));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

int64_t nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t(1000000000) + time.tv_nsec;
}

} // namespace

/// What the caller and one helper share; by itself on its cache lines.
struct alignas(128) Team::Helper {
  std::atomic<uint32_t> state = done;
  std::atomic<bool> sleeps = false;
  int32_t part = 0;
  PartBody body = nullptr;
  void *data = nullptr;
  uint64_t mode = 0;
  int flags = 0;                     ///< what the operations of the part have met
  std::atomic<bool> *stop = nullptr; ///< the team's

  /// Offers a part, as the caller.
  void offer(uint32_t turn, int32_t number, PartBody job, void *jobData, uint64_t jobMode) {
    part = number;
    body = job;
    data = jobData;
    mode = jobMode;
    // Sequentially consistent, like the helper's way to sleep: one of the two sees what the other does.
    state.store(4 * turn);
    if (sleeps.load())
      syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  /// Claims an offered part for the calling thread.
  bool claim(uint32_t turn) {
    uint32_t offered = 4 * turn;
    if (state.load(std::memory_order_relaxed) != offered)
      return false; // without taking the cache line from the helper
    return state.compare_exchange_strong(offered, 4 * turn + taken, std::memory_order_acquire);
  }

  void finish(uint32_t turn) { state.store(4 * turn + done, std::memory_order_release); }

  void await(uint32_t turn) const {
    for (int k = 0; state.load(std::memory_order_acquire) != 4 * turn + done; ++k)
      k < callerLooks ? relax() : askAndYield();
  }

  static bool isOffer(uint32_t state) { return state % 4 == 0; }

  /// What the caller learns, the helper hears of where it polls.
  static void askAndYield() {
    (void)poll();
    sched_yield();
  }

  /// The next turn in which a part is offered.
  uint32_t next() {
    for (const int64_t end = nanoseconds() + patience; nanoseconds() < end;)
      for (int k = 0; k < helperLooks; ++k, relax())
        if (const uint32_t seen = state.load(std::memory_order_acquire); isOffer(seen))
          return seen / 4;
    sleeps.store(true);
    uint32_t seen = state.load();
    for (; !isOffer(seen); seen = state.load())
      syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    sleeps.store(false);
    return seen / 4;
  }

  static void *work(void *object) {
    auto *self = static_cast<Helper *>(object);
    SharedJob job(*self->stop);
    for (uint64_t mode = floatMode();;) {
      const uint32_t turn = self->next();
      if (!self->claim(turn))
        continue;
      if (mode != self->mode)
        setFloatMode(mode = self->mode);
      clearFloatFlags();
      self->body(self->data, self->part);
      self->flags = floatFlags();
      self->finish(turn);
    }
  }

  /// Null where the system gives no thread.
  static Helper *start(std::atomic<bool> &stop) {
    auto *helper = new Helper;
    helper->stop = &stop;
    pthread_t thread;
    // Signals are for the threads that were there before.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, nullptr, work, helper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) {
      pthread_detach(thread);
      return helper;
    }
    delete helper;
    return nullptr;
  }
};

Team &Team::shared() {
  // Never destroyed: helpers look at it until the process ends.
  static Team *team = [] {
    auto *made = new Team;
    pthread_atfork(nullptr, nullptr, [] { shared().forgetHelpers(); });
    return made;
  }();
  return *team;
}

// Made when the library is loaded, as the pool is.
[[maybe_unused]] static Team &madeEarly = Team::shared();

/// In a child the threads are gone, and so may be the one that has the team.
void Team::forgetHelpers() {
  helpers.clear();
  busy.clear();
}

int32_t Team::startHelpers(int32_t wanted) {
  while (int32_t(helpers.size()) < wanted)
    if (Helper *helper = Helper::start(stop))
      helpers.push_back(helper);
    else
      break;
  return std::min<int32_t>(wanted, helpers.size());
}

void Team::run(int32_t parts, PartBody body, void *data) {
  if (parts < 2 || busy.test_and_set(std::memory_order_acquire)) {
    for (int32_t part = 0; part < parts; ++part)
      body(data, part);
    return;
  }
  const int32_t helped = startHelpers(parts - 1);
  const uint64_t mode = floatMode();
  stop.store(false, std::memory_order_relaxed);
  SharedJob job(stop);
  turn = (turn + 1) % turns;
  for (int32_t k = 0; k < helped; ++k)
    helpers[k]->offer(turn, k + 1, body, data, mode);
  body(data, 0);
  for (int32_t part = helped + 1; part < parts; ++part)
    body(data, part);
  for (int32_t k = 0; k < helped; ++k)
    if (helpers[k]->claim(turn)) {
      body(data, k + 1);
      helpers[k]->flags = 0; // they are this thread's already
      helpers[k]->finish(turn);
    }
  int flags = 0;
  for (int32_t k = 0; k < helped; ++k) {
    helpers[k]->await(turn);
    flags |= helpers[k]->flags;
  }
  raiseFloatFlags(flags);
  busy.clear(std::memory_order_release);
}

void quernel::runtime::runParts(int32_t parts, PartBody body, void *data) { Team::shared().run(parts, body, data); }
