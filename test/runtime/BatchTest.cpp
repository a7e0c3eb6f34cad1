// Which batches are shared by threads, and what becomes of the library's own threads meanwhile.
#include "runtime/Batch.h"
#include "runtime/Context.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace quernel::runtime;

namespace {

/// A library that has four threads, for all that anyone knows.
int libraryThreads = 4;
std::vector<int> settings;
const Blas library = [] {
  Blas blas;
  blas.threads = [] { return libraryThreads; };
  blas.setThreads = [](int threads) { settings.push_back(libraryThreads = threads); };
  return blas;
}();

/// How often each problem of a batch is computed.
std::vector<int> timesComputed(int threads, const Batch &batch) {
  std::vector<std::atomic<int>> times(batch.size);
  const int32_t code = runBatch(&context(threads), batch, [&](int64_t first, int64_t count) {
    for (int64_t k = first; k < first + count; ++k)
      ++times[k];
    return QN_OK;
  });
  EXPECT_EQ(code, QN_OK);
  return {times.begin(), times.end()};
}

/// What the library's threads were set to while a batch was computed.
std::vector<int> settingsFor(int threads, Batch batch) {
  settings.clear();
  batch.blas = &library;
  EXPECT_EQ(timesComputed(threads, batch), std::vector<int>(batch.size, 1));
  EXPECT_EQ(libraryThreads, 4);
  return settings;
}

} // namespace

TEST(Batch, ComputesEachProblemOnce) {
  for (int threads : {1, 2, 3, 7})
    for (int64_t size : {0, 1, 2, 5, 1000})
      for (double work : {0.0, 1.0, 1e3, 1e9})
        EXPECT_EQ(timesComputed(threads, {size, work, nullptr}), std::vector<int>(size, 1));
}

TEST(Batch, DoesNotWaitForAThreadThatIsStopped) {
  std::atomic<int64_t> others = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  runBatch(&context(2), {64, 1e9, nullptr}, [&](int64_t first, int64_t count) {
    if (first != 0)
      others += count;
    else // until somebody else has computed all that follow
      while (others != 64 - count && std::chrono::steady_clock::now() < end)
        sched_yield();
    return QN_OK;
  });
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

TEST(Batch, LeavesTheLibraryOneThreadWhereThreadsShareIt) {
  EXPECT_EQ(settingsFor(2, {100, 1e5, nullptr}), (std::vector<int>{1, 4}));
  EXPECT_EQ(settingsFor(2, {4, 1e9, nullptr}), (std::vector<int>{1, 4}));
}

TEST(Batch, LeavesTheLibraryItsThreadsWhereTheseDoMore) {
  EXPECT_TRUE(settingsFor(1, {100, 1e5, nullptr}).empty());
  EXPECT_TRUE(settingsFor(2, {1, 1e9, nullptr}).empty());
  EXPECT_TRUE(settingsFor(2, {3, 1e9, nullptr}).empty()) << "a third of the time one thread would wait";
  EXPECT_TRUE(settingsFor(2, {100, 1, nullptr}).empty()) << "too little work";
}

TEST(Batch, IsNotSharedWhereNobodyKnowsTheLibrarysThreads) {
  const Blas unknown;
  const auto caller = std::this_thread::get_id();
  int computed = 0;
  auto body = [&](int64_t, int64_t count) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    std::this_thread::sleep_for(std::chrono::microseconds(100)); // so that another thread would come
    computed += count;
    return QN_OK;
  };
  EXPECT_EQ(runBatch(&context(2), {100, 1e6, &unknown}, body), QN_OK);
  EXPECT_EQ(computed, 100);
}

TEST(Batch, EndsWithTheCodeOfAProblem) {
  for (int threads : {1, 2}) {
    std::atomic<int> after = 0;
    const int32_t code = runBatch(&context(threads), {1000, 1e6, nullptr}, [&](int64_t first, int64_t) -> int32_t {
      after += first > 900;
      return first == 3 ? QN_SINGULAR : QN_OK;
    });
    EXPECT_EQ(code, QN_SINGULAR);
    if (threads == 1) {
      EXPECT_EQ(after, 0);
    }
  }
}

TEST(Batch, CanBeStopped) {
  qn_context stopped = context(1);
  static int polls;
  polls = 0;
  stopped.poll = []() -> int32_t { return ++polls < 4 ? QN_OK : QN_INTERRUPTED; };
  int64_t computed = 0;
  auto body = [&](int64_t, int64_t count) {
    computed += count;
    return QN_OK;
  };
  EXPECT_EQ(runBatch(&stopped, {1000, 1e6, nullptr}, body), QN_INTERRUPTED);
  EXPECT_EQ(computed, 3);
}

TEST(Batch, GivesAChildOfAForkTheLibrarysThreads) {
  int status = -1;
  settings.clear();
  auto body = [&](int64_t first, int64_t) {
    if (first > 0)
      return QN_OK;
    EXPECT_EQ(libraryThreads, 1);
    if (const pid_t child = fork())
      waitpid(child, &status, 0);
    else
      _exit(libraryThreads == 4 ? 0 : 1);
    return QN_OK;
  };
  EXPECT_EQ(runBatch(&context(2), {4, 1e9, &library}, body), QN_OK);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(libraryThreads, 4);
}
