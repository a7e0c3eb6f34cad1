#include "runtime/Threads.h"
#include "runtime/Cgroup.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <vector>

using namespace quernel::runtime;

int quernel::runtime::affinityCount() {
  for (int bits = CPU_SETSIZE; bits <= 1 << 20; bits *= 2) {
    std::vector<cpu_set_t> set(bits / CPU_SETSIZE);
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0)
      return std::max(1, CPU_COUNT_S(bytes, set.data()));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

std::optional<int> quernel::runtime::parseOmpNumThreads(std::string_view text) {
  auto value = parsePositive(text.substr(0, text.find(',')));
  return value ? std::optional<int>(int(std::min<int64_t>(*value, 1 << 15))) : std::nullopt;
}

int quernel::runtime::chooseThreads(int processors, std::optional<double> quota, std::optional<int> wanted) {
  if (wanted)
    return *wanted;
  if (quota && *quota < processors)
    return std::max(1, int(std::ceil(*quota)));
  return std::max(1, processors);
}

int quernel::runtime::defaultThreads() {
  static const std::optional<double> quota = cgroupQuota();
  const char *text = std::getenv("OMP_NUM_THREADS");
  return chooseThreads(affinityCount(), quota, text ? parseOmpNumThreads(text) : std::nullopt);
}
