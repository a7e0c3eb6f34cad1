#include "runtime/Sections.h"
#include "Processes.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace quernel::runtime;
using namespace quernel::test;
using namespace std::chrono_literals;

namespace {

/// A thread that is in a section until told to leave it.
class Holder {
public:
  Holder() {
    while (!inside)
      std::this_thread::yield();
  }
  ~Holder() { leave(); }

  void leave() {
    stop = true;
    if (thread.joinable())
      thread.join();
  }

private:
  std::atomic<bool> inside = false, stop = false;
  std::thread thread{[this] {
    enterSection();
    enterSection();
    leaveSection();
    inside = true;
    while (!stop)
      std::this_thread::yield();
    leaveSection();
  }};
};

bool isFree(std::chrono::milliseconds time) {
  const bool found = awaitSections(time);
  resumeSections();
  return found;
}

} // namespace

TEST(Sections, AreAwaited) {
  EXPECT_TRUE(isFree(0ms));
  Holder holder;
  EXPECT_FALSE(isFree(20ms));
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    holder.leave();
  });
  EXPECT_TRUE(isFree(60s));
  other.join();
}

TEST(Sections, OfTheCallerAreNotAwaited) {
  enterSection();
  EXPECT_TRUE(isFree(0ms));
  leaveSection();
}

TEST(Sections, BeginAfterAFork) {
  ASSERT_TRUE(awaitSections(0ms));
  std::atomic<bool> inside = false;
  std::thread other([&] {
    enterSection();
    inside = true;
    leaveSection();
  });
  std::this_thread::sleep_for(30ms);
  EXPECT_FALSE(inside);
  resumeSections();
  other.join();
  EXPECT_TRUE(inside);
}

TEST(Sections, TellAChildThatTheyAreLost) {
  EXPECT_TRUE(succeeded(start([] { return !forkedAmidSection() && isFree(0ms); })));
  Holder holder;
  EXPECT_TRUE(succeeded(start([] { return forkedAmidSection() && isFree(0ms); })));
  EXPECT_FALSE(forkedAmidSection());
}

TEST(Sections, AreReservedForAThread) {
  reserveSection();
  EXPECT_FALSE(isFree(0ms));
  std::thread other([] {
    takeReservedSection();
    leaveSection();
  });
  EXPECT_TRUE(isFree(60s));
  other.join();
  reserveSection();
  cancelReservedSection();
  EXPECT_TRUE(isFree(0ms));
}

TEST(Sections, OfTheThreadThatForksGoOn) {
  enterSection();
  EXPECT_TRUE(succeeded(start([] {
    leaveSection();
    return !forkedAmidSection() && isFree(0ms);
  })));
  leaveSection();
}
