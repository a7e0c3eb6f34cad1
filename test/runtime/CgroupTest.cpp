#include "runtime/Cgroup.h"
#include "Processes.h"

using namespace quernel::runtime;
using namespace quernel::test;

TEST(Cgroup, ReadsCpuMax) {
  EXPECT_DOUBLE_EQ(parseCpuMax("150000 100000\n").value(), 1.5);
  EXPECT_DOUBLE_EQ(parseCpuMax("200000").value(), 2.0);
  for (const char *text : {"max 100000\n", "", "\n", "0 100000", "-1 100000", "100000 0", "abc def", "1.5 100000"})
    EXPECT_FALSE(parseCpuMax(text)) << text;
}

TEST(Cgroup, ReadsCfsQuota) {
  EXPECT_DOUBLE_EQ(parseCfsQuota("50000\n", "100000\n").value(), 0.5);
  EXPECT_FALSE(parseCfsQuota("-1\n", "100000\n"));
  EXPECT_FALSE(parseCfsQuota("50000\n", ""));
  EXPECT_FALSE(parseCfsQuota("50000\n", "0"));
}

TEST(Cgroup, ReadsCgroupPaths) {
  CgroupPaths both =
      parseCgroupPaths("12:cpu,cpuacct:/docker/abc\n4:memory:/d/m\n3:cpuset:/other\n0::/user.slice/a:b\n");
  EXPECT_EQ(both.cpu, "/docker/abc");
  EXPECT_EQ(both.memory, "/d/m");
  EXPECT_EQ(both.unified, "/user.slice/a:b");
  for (const char *text : {"", "nonsense", "1:cpu", "0::", "::::", "0::relative\n"}) {
    EXPECT_EQ(parseCgroupPaths(text).unified, "") << text;
    EXPECT_EQ(parseCgroupPaths(text).cpu, "") << text;
    EXPECT_EQ(parseCgroupPaths(text).memory, "") << text;
  }
}

TEST(Cgroup, TakesTheLeastUnifiedQuotaUpwards) {
  TemporaryFolder folder;
  writeFile(folder / "self", "0::/a/b\n");
  writeFile(folder / "a/b/cpu.max", "max 100000\n");
  writeFile(folder / "a/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 3.0);
  writeFile(folder / "a/b/cpu.max", "120000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 1.2);
}

TEST(Cgroup, TakesTheMountsRootInAContainer) {
  TemporaryFolder folder;
  writeFile(folder / "self", "0::/not/visible/here\n");
  writeFile(folder / "cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 2.5);
}

TEST(Cgroup, ReadsTheFirstVersionsFiles) {
  TemporaryFolder folder;
  writeFile(folder / "self", "4:cpu,cpuacct:/job\n");
  writeFile(folder / "cpu/job/cpu.cfs_quota_us", "400000\n");
  writeFile(folder / "cpu/job/cpu.cfs_period_us", "100000\n");
  writeFile(folder / "cpu/cpu.cfs_quota_us", "-1\n");
  writeFile(folder / "cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cgroupQuota(folder.path, folder / "self").value(), 4.0);
}

TEST(Cgroup, HasNoQuotaWithoutFiles) {
  TemporaryFolder folder;
  EXPECT_FALSE(cgroupQuota(folder / "missing", folder / "missing"));
}

TEST(Cgroup, ReadsMemoryLimits) {
  EXPECT_EQ(parseMemoryLimit("536870912\n"), 536870912);
  EXPECT_EQ(parseMemoryLimit("9223372036854771712\n"), 9223372036854771712);
  for (const char *text : {"max\n", "", "-1\n", "0", "1G", "99999999999999999999"})
    EXPECT_FALSE(parseMemoryLimit(text)) << text;
}

TEST(Cgroup, TakesTheLeastMemoryUpwards) {
  TemporaryFolder folder;
  writeFile(folder / "self", "0::/a/b\n");
  EXPECT_FALSE(cgroupMemory(folder.path, folder / "self"));
  writeFile(folder / "a/b/memory.max", "max\n");
  EXPECT_FALSE(cgroupMemory(folder.path, folder / "self"));
  writeFile(folder / "a/memory.max", "300000000\n");
  EXPECT_EQ(cgroupMemory(folder.path, folder / "self"), 300000000);
  writeFile(folder / "memory.max", "200000000\n");
  EXPECT_EQ(cgroupMemory(folder.path, folder / "self"), 200000000);
}

TEST(Cgroup, ReadsTheFirstVersionsMemory) {
  TemporaryFolder folder;
  writeFile(folder / "self", "4:memory:/job\n0::/\n");
  writeFile(folder / "memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cgroupMemory(folder.path, folder / "self"), 9223372036854771712);
  writeFile(folder / "memory/job/memory.limit_in_bytes", "400000000\n");
  EXPECT_EQ(cgroupMemory(folder.path, folder / "self"), 400000000);
  writeFile(folder / "memory.max", "100000000\n");
  EXPECT_EQ(cgroupMemory(folder.path, folder / "self"), 100000000);
}
