#include "runtime/Team.h"
#include "Processes.h"
#include "runtime/FloatFlags.h"
#include "runtime/Interrupts.h"
#include "runtime/abi.h"
#include <atomic>
#include <cfenv>
#include <chrono>
#include <numeric>
#include <sched.h>
#include <set>
#include <thread>
#include <vector>

using namespace quernel::runtime;
using namespace quernel::test;
using namespace std::chrono_literals;

namespace {

/// Runs a lambda that takes a part's number.
template <typename Body> void run(Team &team, int32_t parts, Body body) {
  team.run(parts, [](void *data, int32_t part) { (*static_cast<Body *>(data))(part); }, &body);
}

/// Whether every part is computed once, `turns` times in a row.
bool computesAll(Team &team, int32_t parts, int turns) {
  std::vector<int> counts(parts);
  for (int turn = 0; turn < turns; ++turn)
    run(team, parts, [&](int32_t part) { ++counts[part]; });
  return counts == std::vector<int>(parts, turns);
}

/// The threads that take part in jobs which take some time.
std::set<std::thread::id> workers(Team &team, int32_t parts) {
  std::vector<std::thread::id> ids(parts);
  run(team, parts, [&](int32_t part) {
    ids[part] = std::this_thread::get_id();
    std::this_thread::sleep_for(100ms);
  });
  return {ids.begin(), ids.end()};
}

} // namespace

TEST(Team, ComputesEveryPartOnce) {
  Team &team = Team::shared();
  for (int32_t parts : {0, 1, 2, 3, 7, 64})
    EXPECT_TRUE(computesAll(team, parts, 200)) << parts;
  EXPECT_TRUE(computesAll(team, 4, 100000));
}

TEST(Team, HasSeveralThreads) { EXPECT_EQ(workers(Team::shared(), 3).size(), 3U); }

TEST(Team, HelpersHearWhatTheCallerLearns) {
  static const auto caller = std::this_thread::get_id();
  for (bool callerWaits : {false, true}) {
    setInterruptCheck([]() -> int32_t { return std::this_thread::get_id() == caller ? QN_INTERRUPTED : QN_OK; });
    std::vector<int32_t> codes(3, QN_OK);
    const auto start = std::chrono::steady_clock::now();
    run(Team::shared(), 3, [&](int32_t part) {
      while (codes[part] == QN_OK && !(callerWaits && part == 0) && std::chrono::steady_clock::now() - start < 5s)
        codes[part] = poll();
    });
    EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
    EXPECT_EQ(codes, std::vector<int32_t>({callerWaits ? QN_OK : QN_INTERRUPTED, QN_INTERRUPTED, QN_INTERRUPTED}));
    setInterruptCheck(nullptr);
    EXPECT_TRUE(computesAll(Team::shared(), 3, 10)); // the next job goes on
    EXPECT_EQ(poll(), QN_OK);
  }
}

TEST(Team, WakesHelpersThatSleep) {
  Team &team = Team::shared();
  for (int k = 0; k < 5; ++k) {
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(workers(team, 2).size(), 2U);
  }
}

TEST(Team, SeesWhatOthersHaveWritten) {
  Team &team = Team::shared();
  std::vector<int64_t> values(4000, 1), next(4000);
  for (int turn = 0; turn < 2000; ++turn) {
    run(team, 4, [&](int32_t part) {
      for (int k = part * 1000; k < (part + 1) * 1000; ++k)
        next[k] = values[k] + values[(k + 1000) % 4000] - 1;
    });
    values.swap(next);
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t(0)), 4000);
}

TEST(Team, PartsMayHaveParts) {
  Team &team = Team::shared();
  std::atomic<int> count = 0;
  run(team, 3, [&](int32_t) { run(team, 4, [&](int32_t) { ++count; }); });
  EXPECT_EQ(count, 12);
}

TEST(Team, ServesManyCallers) {
  Team &team = Team::shared();
  std::atomic<int> good = 0;
  std::vector<std::thread> callers;
  for (int k = 0; k < 6; ++k)
    callers.emplace_back([&] { good += computesAll(team, 3, 2000); });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(good, 6);
}

TEST(Team, RoundsAsTheCallerDoes) {
  Team &team = Team::shared();
  for (int mode : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD}) {
    std::vector<int> modes(2, -1);
    std::fesetround(mode);
    run(team, 2, [&](int32_t part) {
      volatile double one = 1, tiny = 1e-30, sum = one + tiny, difference = one - tiny;
      modes[part] = sum > 1 ? FE_UPWARD : difference < 1 ? FE_DOWNWARD : FE_TONEAREST;
      std::this_thread::sleep_for(20ms);
    });
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(modes, std::vector<int>(2, mode));
  }
}

TEST(Team, HandsFlagsToTheCaller) {
  Team &team = Team::shared();
  for (int32_t bad : {0, 1, 3}) {
    for (int32_t good : {-1, bad}) { // without an event at first, with one then
      clearFloatFlags();
      run(team, 4, [&](int32_t part) {
        volatile double one = 1, divisor = part == good ? 0 : 2, quotient = one / divisor;
        (void)quotient;
        std::this_thread::sleep_for(5ms);
      });
      EXPECT_EQ(floatFlags(), good < 0 ? 0 : FE_DIVBYZERO) << bad;
    }
  }
  clearFloatFlags();
}

TEST(Team, DoesNotTellHelpersOfTheCallersFlags) {
  Team &team = Team::shared();
  std::vector<int> flags(3, -1);
  raiseFloatFlags(FE_INVALID);
  run(team, 3, [&](int32_t part) {
    flags[part] = floatFlags();
    std::this_thread::sleep_for(20ms);
  });
  EXPECT_EQ(flags, (std::vector<int>{FE_INVALID, 0, 0}));
  EXPECT_EQ(floatFlags(), FE_INVALID);
  clearFloatFlags();
  EXPECT_EQ(floatFlags(), 0);
}

TEST(Team, SurvivesAFork) {
  Team &team = Team::shared();
  workers(team, 3);
  EXPECT_TRUE(succeeded(start([&] { return computesAll(team, 3, 1000) && workers(team, 3).size() == 3; })));
  EXPECT_TRUE(computesAll(team, 3, 1000));
}

TEST(Team, SurvivesAForkAmidAJob) {
  Team &team = Team::shared();
  std::atomic<bool> stop = false;
  std::thread caller([&] {
    while (!stop)
      computesAll(team, 3, 100);
  });
  for (int k = 0; k < 20; ++k)
    EXPECT_TRUE(succeeded(start([&] { return computesAll(team, 3, 100); })));
  stop = true;
  caller.join();
}

TEST(Team, WaitsForNoHelperThatMayNotRun) {
  EXPECT_TRUE(succeeded(start([] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set))
      ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    sched_setaffinity(0, sizeof set, &set); // all threads on one processor
    const auto before = std::chrono::steady_clock::now();
    const bool good = computesAll(Team::shared(), 4, 20000);
    return good && std::chrono::steady_clock::now() - before < 10s;
  })));
}
