#include "runtime/Interrupts.h"
#include "runtime/FloatFlags.h"
#include "runtime/abi.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace quernel::runtime;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::atomic<int> asked;
std::atomic<bool> wanted;

int32_t answer() {
  ++asked;
  return wanted ? QN_INTERRUPTED : QN_OK;
}

int32_t answerSlowly() {
  std::this_thread::sleep_for(20ms);
  return answer();
}

/// Each test asks in a thread of its own, as every thread has its own clock.
template <typename Body> void inThread(InterruptCheck check, Body body) {
  asked = 0;
  wanted = false;
  setInterruptCheck(check);
  std::thread(body).join();
  setInterruptCheck(nullptr);
}

void pollFor(Clock::duration time) {
  for (auto end = Clock::now() + time; Clock::now() < end;)
    EXPECT_EQ(poll(), QN_OK);
}

} // namespace

TEST(Interrupts, AreNoneWithoutACheck) {
  inThread(nullptr, [] { pollFor(30ms); });
  EXPECT_EQ(asked, 0);
}

TEST(Interrupts, LeaveTheProgramsFlags) {
  const InterruptCheck clearing = [] {
    clearFloatFlags();
    raiseFloatFlags(FE_OVERFLOW);
    return answer();
  };
  inThread(clearing, [] {
    raiseFloatFlags(FE_INVALID);
    pollFor(50ms);
    EXPECT_EQ(floatFlags(), FE_INVALID);
  });
  EXPECT_GE(asked, 1);
}

TEST(Interrupts, AreAskedForNowAndThen) {
  inThread(answer, [] { pollFor(300ms); });
  EXPECT_GE(asked, 3);
  EXPECT_LE(asked, 31);
}

TEST(Interrupts, AreAskedForLessOftenWhereThatTakesLong) {
  inThread(answerSlowly, [] { pollFor(400ms); });
  EXPECT_GE(asked, 2);
  EXPECT_LE(asked, 400 / 80 + 1);
}

TEST(Interrupts, AreNoticedInTime) {
  inThread(answer, [] {
    pollFor(20ms);
    wanted = true;
    const auto start = Clock::now();
    while (poll() == QN_OK && Clock::now() - start < 5s)
      ;
    EXPECT_LT(Clock::now() - start, 100ms);
  });
}

TEST(Interrupts, AreAskedForBetweenPiecesOfAMillisecond) {
  inThread(answer, [] {
    int64_t since = 0, piece = 8;
    EXPECT_EQ(pace(&since, &piece), QN_OK);
    EXPECT_EQ(piece, 8); // nobody knows how long the first one took
    EXPECT_NE(since, 0);
    EXPECT_EQ(asked, 1);
    for (int attempt = 0; attempt < 100 && piece == 8; ++attempt)
      EXPECT_EQ(pace(&since, &piece), QN_OK);
    EXPECT_EQ(piece, 16);
    std::this_thread::sleep_for(12ms);
    wanted = true;
    EXPECT_EQ(pace(&since, &piece), QN_INTERRUPTED);
    EXPECT_EQ(piece, 8);
    piece = 1;
    std::this_thread::sleep_for(3ms);
    pace(&since, &piece);
    EXPECT_EQ(piece, 1);
  });
}
