// Draws from streams of every kind; test_random_streams.py compares them with NumPy's.
#include "runtime/Random.h"
#include "runtime/Context.h"
#include "runtime/Library.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace quernel::runtime;

namespace {

/// A state of a kind, with arbitrary words.
std::vector<uint64_t> stateOf(StreamKind kind) {
  std::vector<uint64_t> words(streamWords(kind));
  for (size_t k = 1; k < words.size(); ++k)
    words[k] = 0x9e3779b97f4a7c15u * k;
  words[0] = uint64_t(kind);
  const size_t last = words.size() - 1;
  switch (kind) {
  case StreamKind::philox:
    words[last - 1] = 4;
    [[fallthrough]];
  case StreamKind::pcg64:
  case StreamKind::pcg64dxsm:
  case StreamKind::sfc64:
    words[last] = 0;
    break;
  case StreamKind::mt19937:
    words[313] = 624;
    break;
  case StreamKind::legacy:
    words[313] = 624;
    words[314] = words[315] = 0;
  }
  return words;
}

/// Draws `out.size()` numbers and returns the state afterwards.
std::vector<uint64_t> draw(int32_t routine, const std::vector<uint64_t> &state, std::vector<double> &out,
                           int threads = 1) {
  std::vector<uint64_t> after(state.size());
  void *const operands[] = {const_cast<uint64_t *>(state.data()), after.data(), out.data()};
  const int64_t strides[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, sizes[] = {1, int64_t(out.size()), int64_t(state.size()), 1};
  EXPECT_EQ(callRoutine(&context(threads), routine, QN_U64, operands, strides, sizes), QN_OK);
  return after;
}

/// Some of the numbers that a state gives, which `random_ahead` has been asked for.
std::vector<double> part(const std::vector<uint64_t> &state, const std::vector<double> &stored, int64_t first,
                         int64_t count, int64_t step = 1) {
  std::vector<double> out(count * step, -1);
  void *const operands[] = {const_cast<uint64_t *>(state.data()), const_cast<double *>(stored.data()), &first,
                            out.data()};
  const int64_t strides[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, step, 0};
  const int64_t sizes[] = {1, int64_t(stored.size()), count, int64_t(state.size())};
  EXPECT_EQ(callRoutine(&context(1), QN_RANDOM_PART, QN_U64, operands, strides, sizes), QN_OK);
  return out;
}

constexpr StreamKind kinds[] = {StreamKind::pcg64, StreamKind::pcg64dxsm, StreamKind::philox,
                                StreamKind::sfc64, StreamKind::mt19937,   StreamKind::legacy};

} // namespace

TEST(Random, PartsAreTheWhole) {
  for (StreamKind kind : kinds) {
    const std::vector<uint64_t> state = stateOf(kind);
    std::vector<double> whole(5000), stored(5000, -2);
    const std::vector<uint64_t> after = draw(QN_RANDOM, state, whole);
    EXPECT_EQ(draw(QN_RANDOM_AHEAD, state, stored), after);
    for (auto [first, count] : {std::pair<int64_t, int64_t>{0, 5000}, {1, 3}, {4096, 904}, {257, 1500}, {7, 0}})
      EXPECT_EQ(part(state, stored, first, count),
                std::vector<double>(whole.begin() + first, whole.begin() + first + count))
          << int(kind) << ' ' << first;
  }
}

TEST(Random, ANumberOfWhatCanJumpIsntStored) {
  std::vector<double> stored(100, -2);
  draw(QN_RANDOM_AHEAD, stateOf(StreamKind::pcg64), stored);
  EXPECT_EQ(stored, std::vector<double>(100, -2));
}

TEST(Random, PartsGoIntoEveryOtherPlace) {
  for (StreamKind kind : {StreamKind::pcg64, StreamKind::sfc64}) {
    const std::vector<uint64_t> state = stateOf(kind);
    std::vector<double> stored(3000);
    draw(QN_RANDOM_AHEAD, state, stored);
    const std::vector<double> close = part(state, stored, 11, 2000), apart = part(state, stored, 11, 2000, 2);
    for (size_t k = 0; k < close.size(); ++k) {
      EXPECT_EQ(apart[2 * k], close[k]);
      EXPECT_EQ(apart[2 * k + 1], -1);
    }
  }
}

TEST(Random, ThreadsGiveTheSameNumbers) {
  const std::vector<uint64_t> state = stateOf(StreamKind::pcg64);
  std::vector<double> one(200'003), several(200'003);
  EXPECT_EQ(draw(QN_RANDOM, state, one, 1), draw(QN_RANDOM, state, several, 3));
  EXPECT_EQ(one, several);
}

/// The vectorised way from words to numbers has the bits of the plain one.
TEST(Random, NumbersAreMultiplesOfTheirLastBit) {
  std::vector<double> out(10'000);
  draw(QN_RANDOM, stateOf(StreamKind::pcg64), out);
  for (const double x : out) {
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    EXPECT_EQ(std::ldexp(x, 53), std::floor(std::ldexp(x, 53)));
  }
}

/// `draw` of the context draws what a call of the routine does.
TEST(Random, ASingleDrawIsACall) {
  const qn_context &own = context(1);
  for (StreamKind kind : kinds) {
    const std::vector<uint64_t> state = stateOf(kind);
    const int64_t words = state.size();
    std::vector<double> expected(100);
    const std::vector<uint64_t> after = draw(QN_RANDOM, state, expected);
    std::vector<uint64_t> now = state, next(words);
    for (const double number : expected) {
      double found;
      ASSERT_EQ(own.draw(&own, QN_RANDOM, words, now.data(), next.data(), &found), QN_OK);
      EXPECT_EQ(found, number) << int(kind);
      ASSERT_EQ(own.draw(&own, QN_RANDOM, words, now.data(), now.data(), &found), QN_OK);
      EXPECT_EQ(found, number) << int(kind);
      EXPECT_EQ(now, next) << int(kind);
    }
    EXPECT_EQ(now, after) << int(kind);
  }
}

TEST(Random, ASingleDrawRefusesWhatIsNoState) {
  const qn_context &own = context(1);
  double number = -1;
  for (StreamKind kind : kinds) {
    const std::vector<uint64_t> state = stateOf(kind);
    std::vector<uint64_t> after(state.size() + 1, 5);
    EXPECT_EQ(own.draw(&own, QN_RANDOM, state.size() - 1, state.data(), after.data(), &number), QN_NO_ROUTINE);
    EXPECT_EQ(own.draw(&own, QN_RANDOM, 0, state.data(), after.data(), &number), QN_NO_ROUTINE);
    EXPECT_EQ(own.draw(&own, QN_DET, state.size(), state.data(), after.data(), &number), QN_NO_ROUTINE);
    EXPECT_EQ(own.draw(&own, QN_ROUTINES, state.size(), state.data(), after.data(), &number), QN_NO_ROUTINE);
    EXPECT_EQ(after, std::vector<uint64_t>(state.size() + 1, 5));
  }
  const std::vector<uint64_t> none(6, 99);
  std::vector<uint64_t> after(6);
  EXPECT_EQ(own.draw(&own, QN_RANDOM, 6, none.data(), after.data(), &number), QN_NO_ROUTINE);
  EXPECT_EQ(number, -1);
}

TEST(Random, RefusesWhatIsNoState) {
  std::vector<double> out(3);
  std::vector<uint64_t> state(7, 99), after(7);
  void *const operands[] = {state.data(), after.data(), out.data()};
  const int64_t strides[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, sizes[] = {1, 3, 7, 1};
  EXPECT_EQ(callRoutine(&context(1), QN_RANDOM, QN_U64, operands, strides, sizes), QN_NO_ROUTINE);
  const int64_t none[] = {1, 3, 3, 0};
  int64_t first = 0;
  void *const parts[] = {state.data(), out.data(), &first, out.data()};
  const int64_t steps[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
  EXPECT_EQ(callRoutine(&context(1), QN_RANDOM_PART, QN_U64, parts, steps, none), QN_NO_ROUTINE);
}
