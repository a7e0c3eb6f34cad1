#include "processes.h"
#include "runtime/threads.h"
#include <sched.h>

using namespace quernel::runtime;
using namespace quernel::test;

TEST(Threads, ReadsCpuMax) {
  EXPECT_DOUBLE_EQ(parseCpuMax("150000 100000\n").value(), 1.5);
  EXPECT_DOUBLE_EQ(parseCpuMax("200000").value(), 2.0);
  for (const char *text : {"max 100000\n", "", "\n", "0 100000", "-1 100000", "100000 0", "abc def", "1.5 100000"})
    EXPECT_FALSE(parseCpuMax(text)) << text;
}

TEST(Threads, ReadsCfsQuota) {
  EXPECT_DOUBLE_EQ(parseCfsQuota("50000\n", "100000\n").value(), 0.5);
  EXPECT_FALSE(parseCfsQuota("-1\n", "100000\n"));
  EXPECT_FALSE(parseCfsQuota("50000\n", ""));
  EXPECT_FALSE(parseCfsQuota("50000\n", "0"));
}

TEST(Threads, ReadsCgroupPaths) {
  CgroupPaths both = parseCgroupPaths("12:cpu,cpuacct:/docker/abc\n3:cpuset:/other\n0::/user.slice/a:b\n");
  EXPECT_EQ(both.cpu, "/docker/abc");
  EXPECT_EQ(both.unified, "/user.slice/a:b");
  for (const char *text : {"", "nonsense", "1:cpu", "0::", "::::", "0::relative\n"}) {
    EXPECT_EQ(parseCgroupPaths(text).unified, "") << text;
    EXPECT_EQ(parseCgroupPaths(text).cpu, "") << text;
  }
}

TEST(Threads, TakesTheLeastUnifiedQuotaUpwards) {
  TemporaryFolder folder;
  writeFile(folder / "self", "0::/a/b\n");
  writeFile(folder / "a/b/cpu.max", "max 100000\n");
  writeFile(folder / "a/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 3.0);
  writeFile(folder / "a/b/cpu.max", "120000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 1.2);
}

TEST(Threads, TakesTheMountsRootInAContainer) {
  TemporaryFolder folder;
  writeFile(folder / "self", "0::/not/visible/here\n");
  writeFile(folder / "cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 2.5);
}

TEST(Threads, ReadsTheFirstVersionsFiles) {
  TemporaryFolder folder;
  writeFile(folder / "self", "4:cpu,cpuacct:/job\n");
  writeFile(folder / "cpu/job/cpu.cfs_quota_us", "400000\n");
  writeFile(folder / "cpu/job/cpu.cfs_period_us", "100000\n");
  writeFile(folder / "cpu/cpu.cfs_quota_us", "-1\n");
  writeFile(folder / "cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 4.0);
}

TEST(Threads, HasNoQuotaWithoutFiles) {
  TemporaryFolder folder;
  EXPECT_FALSE(cgroupQuota(folder / "missing", folder / "missing"));
}

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
