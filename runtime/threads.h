// How many threads a program may use.
#ifndef QUERNEL_RUNTIME_THREADS_H
#define QUERNEL_RUNTIME_THREADS_H

#include <optional>
#include <string>
#include <string_view>

namespace quernel::runtime {

/// The processors that this process may run on.
int affinityCount();

/// The processors' worth of time in a cpu.max of cgroup v2, e.g. 1.5 for "150000 100000"; none for "max".
std::optional<double> parseCpuMax(std::string_view text);

/// The same from cgroup v1's cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 is none.
std::optional<double> parseCfsQuota(std::string_view quota, std::string_view period);

/// Where a process stands in the hierarchies, from the lines of /proc/self/cgroup. Empty where it isn't in one.
struct CgroupPaths {
  std::string unified;
  std::string cpu;
};
CgroupPaths parseCgroupPaths(std::string_view text);

/// The least quota of the process's cgroup and of those around it; none where there is no limit.
/// @param mount  the folder of the hierarchies
/// @param self   the file that names the process's cgroups
std::optional<double> cgroupQuota(const std::string &mount = "/sys/fs/cgroup",
                                  const std::string &self = "/proc/self/cgroup");

/// The first number of an OMP_NUM_THREADS such as "8" or "8,2"; none where it isn't a positive number.
std::optional<int> parseOmpNumThreads(std::string_view text);

/// What follows from the three: OMP_NUM_THREADS if it is set, else the processors within the quota, rounded up.
int chooseThreads(int processors, std::optional<double> quota, std::optional<int> wanted);

/// The threads of a program whose options name no number. The environment is read at each call.
int defaultThreads();

} // namespace quernel::runtime

#endif
