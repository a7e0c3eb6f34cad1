#include "runtime/Sections.h"
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>

using namespace quernel::runtime;

namespace {

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  int threads = 0; ///< how many are in a section
  int forks = 0;   ///< how many wait
};

// Never destroyed: threads may be in a section when the process ends.
alignas(State) char memory[sizeof(State)];
State &state() { return *reinterpret_cast<State *>(memory); }

thread_local int depth = 0;
bool amid = false;

int others() { return state().threads - (depth > 0); }

/// In a child no thread is left but this one, and the state's lock may be that of one that is gone.
void beginChild() {
  amid |= others() > 0;
  new (memory) State;
  state().threads = depth > 0;
}

[[maybe_unused]] const int prepared = [] {
  new (memory) State;
  return pthread_atfork(nullptr, nullptr, beginChild);
}();

} // namespace

void quernel::runtime::enterSection() {
  if (depth++ > 0)
    return;
  std::unique_lock lock(state().mutex);
  // A thread that forks may need, before it does, what this one holds.
  state().changed.wait_for(lock, std::chrono::seconds(1), [] { return state().forks == 0; });
  ++state().threads;
}

void quernel::runtime::reserveSection() {
  std::lock_guard lock(state().mutex);
  ++state().threads;
}

void quernel::runtime::takeReservedSection() { depth = 1; }

void quernel::runtime::cancelReservedSection() {
  std::lock_guard lock(state().mutex);
  --state().threads;
  state().changed.notify_all();
}

void quernel::runtime::leaveSection() {
  if (--depth == 0)
    cancelReservedSection();
}

bool quernel::runtime::awaitSections(std::chrono::milliseconds time) {
  std::unique_lock lock(state().mutex);
  ++state().forks;
  return state().changed.wait_for(lock, time, [] { return others() == 0; });
}

void quernel::runtime::resumeSections() {
  std::lock_guard lock(state().mutex);
  if (--state().forks == 0)
    state().changed.notify_all();
}

bool quernel::runtime::forkedAmidSection() { return amid; }
