// Threads that help with a kernel.
#ifndef QUERNEL_RUNTIME_TEAM_H
#define QUERNEL_RUNTIME_TEAM_H

#include <atomic>
#include <cstdint>
#include <vector>

namespace quernel::runtime {

/// One part of a job: `data` is the job's own.
using PartBody = void (*)(void *data, int32_t part);

/// Runs jobs of a few microseconds with several threads, for about one microsecond more. The caller computes the first
/// part and then all parts that no helper has begun: so a helper that the system doesn't let run costs nothing, and
/// each helper has the same part of job after job, whose memory is in its processor's cache. Helpers wait actively for
/// a fraction of a millisecond, then sleep. A caller that waits for the helpers polls, and what it learns they hear
/// when they poll. One caller at a time has helpers; others compute all parts themselves.
class Team {
public:
  Team() = default;
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// The process's team. It survives a fork, without its helpers, which the child starts anew.
  static Team &shared();

  /// Computes parts 0 to `parts` - 1 and returns when all are done. Parts may call it again. The floating-point flags
  /// that a part sets are set in the calling thread, whoever has computed it.
  void run(int32_t parts, PartBody body, void *data);

private:
  struct Helper;

  /// Starts helpers where they are too few; returns how many of those wanted there are.
  int32_t startHelpers(int32_t wanted);
  void forgetHelpers();

  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  std::atomic<bool> stop = false; ///< a thread has learned that the user wants the job to stop
  std::vector<Helper *> helpers;
  uint32_t turn = 0;
};

/// Computes the parts of a job with the process's team.
void runParts(int32_t parts, PartBody body, void *data);

} // namespace quernel::runtime

#endif
