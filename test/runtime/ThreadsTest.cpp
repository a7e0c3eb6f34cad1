#include "runtime/Threads.h"
#include "Processes.h"
#include <sched.h>

using namespace quernel::runtime;
using namespace quernel::test;

TEST(Threads, ReadsOmpNumThreads) {
  EXPECT_EQ(parseOmpNumThreads("8"), 8);
  EXPECT_EQ(parseOmpNumThreads(" 4 , 2"), 4);
  for (const char *text : {"", "0", "-2", "four", "4x", ",4", "99999999999999999999"})
    EXPECT_FALSE(parseOmpNumThreads(text)) << text;
}

TEST(Threads, Chooses) {
  EXPECT_EQ(chooseThreads(8, std::nullopt, std::nullopt), 8);
  EXPECT_EQ(chooseThreads(8, 2.5, std::nullopt), 3);
  EXPECT_EQ(chooseThreads(2, 6.0, std::nullopt), 2);
  EXPECT_EQ(chooseThreads(8, 0.1, std::nullopt), 1);
  EXPECT_EQ(chooseThreads(8, 2.5, 16), 16);
}

TEST(Threads, FollowsTheAffinity) {
  EXPECT_TRUE(succeeded(start([] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set))
      ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    unsetenv("OMP_NUM_THREADS");
    return sched_setaffinity(0, sizeof set, &set) == 0 && affinityCount() == 1 && defaultThreads() == 1;
  })));
}

TEST(Threads, FollowsTheEnvironment) {
  EXPECT_TRUE(succeeded(start([] {
    setenv("OMP_NUM_THREADS", "7", 1);
    return defaultThreads() == 7;
  })));
  EXPECT_GE(defaultThreads(), 1);
}
