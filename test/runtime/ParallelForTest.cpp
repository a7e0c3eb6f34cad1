// The loops over parts that generated text has: each turn once, and nobody waits for a thread that is stopped.
#include "runtime/Context.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#define QUERNEL_RUNTIME
namespace printed {
// clang-format off: one needs the other
#include "compiler/Emit/Preludes/context.h"
#include "compiler/Emit/Preludes/parallel_for.h"
// clang-format on
} // namespace printed

using namespace quernel::runtime;

namespace {

const printed::qn_context *contextOf(int threads) {
  return reinterpret_cast<const printed::qn_context *>(&context(threads));
}

struct Range {
  int64_t begin, end, step, grain;
};

/// Whether something is so within ten seconds.
template <typename Condition> bool becomes(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition())
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::yield();
  return true;
}

} // namespace

TEST(ParallelFor, RunsEachTurnOnce) {
  for (int threads : {1, 2, 3, 7, 300})
    for (Range range : {Range{0, 1000, 1, 2}, {0, 1000, 8, 2}, {5, 1003, 8, 3}, {7, 8, 1, 1}, {0, 100000, 1, 5000}}) {
      std::vector<std::atomic<int>> times(range.end);
      const int32_t code = printed::parallel_for(
          range.begin, range.end, range.step, range.grain, contextOf(threads), [&](int64_t begin, int64_t end) {
            EXPECT_EQ((begin - range.begin) % range.step, 0);
            EXPECT_TRUE(end == range.end || (end - range.begin) % range.step == 0);
            for (int64_t k = begin; k < end; ++k)
              ++times[k];
            return 0;
          });
      EXPECT_EQ(code, 0);
      for (int64_t k = 0; k < range.end; ++k)
        EXPECT_EQ(times[k], k >= range.begin) << k;
    }
}

TEST(ParallelFor, TakesPiecesOfAThreadThatIsStopped) {
  constexpr int64_t turns = 4096;
  std::atomic<int64_t> others = 0;
  const int32_t code = printed::parallel_for(0, turns, 1, 64, contextOf(2), [&](int64_t begin, int64_t end) {
    if (begin != 0)
      others += end - begin;
    else // until somebody else has computed all that follows
      EXPECT_TRUE(becomes([&] { return others == turns - end; }));
    return 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(ParallelFor, EndsWithTheCodeOfABody) {
  for (int threads : {1, 2, 5}) {
    const int32_t code = printed::parallel_for(0, 100000, 1, 64, contextOf(threads), [](int64_t begin, int64_t end) {
      return begin <= 777 && 777 < end ? 42 : 0;
    });
    EXPECT_EQ(code, 42);
  }
}
