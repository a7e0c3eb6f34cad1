// What the process's control groups allow it.
#ifndef QUERNEL_RUNTIME_CGROUP_H
#define QUERNEL_RUNTIME_CGROUP_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quernel::runtime {

/// A positive decimal number, with blanks around it or without; none for any other text.
std::optional<int64_t> parsePositive(std::string_view text);

/// The processors' worth of time in a cpu.max of cgroup v2, e.g. 1.5 for "150000 100000"; none for "max".
std::optional<double> parseCpuMax(std::string_view text);

/// The same from cgroup v1's cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 is none.
std::optional<double> parseCfsQuota(std::string_view quota, std::string_view period);

/// The bytes in a memory.max of cgroup v2 or a memory.limit_in_bytes of v1; none for "max". Without a limit v1 has a
/// number that no machine's memory reaches.
std::optional<int64_t> parseMemoryLimit(std::string_view text);

/// Where a process stands in the hierarchies, from the lines of /proc/self/cgroup. Empty where it isn't in one.
struct CgroupPaths {
  std::string unified;
  std::string cpu;
  std::string memory;
};
CgroupPaths parseCgroupPaths(std::string_view text);

/// The least quota of the process's cgroup and of those around it; none where there is no limit.
/// @param mount  the folder of the hierarchies
/// @param self   the file that names the process's cgroups
std::optional<double> cgroupQuota(const std::string &mount = "/sys/fs/cgroup",
                                  const std::string &self = "/proc/self/cgroup");

/// The least limit of memory in bytes, likewise.
std::optional<int64_t> cgroupMemory(const std::string &mount = "/sys/fs/cgroup",
                                    const std::string &self = "/proc/self/cgroup");

} // namespace quernel::runtime

#endif
