#include "runtime/Cgroup.h"
#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

using namespace quernel::runtime;

namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::string> readFile(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename T> std::optional<T> least(std::optional<T> left, std::optional<T> right) {
  if (!left || !right)
    return left ? left : right;
  return std::min(*left, *right);
}

std::optional<double> unifiedQuota(const std::string &folder) {
  auto text = readFile(folder + "/cpu.max");
  return text ? parseCpuMax(*text) : std::nullopt;
}

std::optional<double> cfsQuota(const std::string &folder) {
  auto quota = readFile(folder + "/cpu.cfs_quota_us"), period = readFile(folder + "/cpu.cfs_period_us");
  return quota && period ? parseCfsQuota(*quota, *period) : std::nullopt;
}

template <const char *name> std::optional<int64_t> memoryLimit(const std::string &folder) {
  auto text = readFile(folder + name);
  return text ? parseMemoryLimit(*text) : std::nullopt;
}

constexpr char unifiedLimit[] = "/memory.max", firstLimit[] = "/memory.limit_in_bytes";

/// The least over a group and all above it. In a container the own path may not exist; the mount's root then counts.
template <typename Read> auto leastUpwards(const std::string &mount, std::string path, Read read) {
  auto result = read(mount);
  while (path.size() > 1) {
    result = least(result, read(mount + path));
    path.resize(path.rfind('/'));
  }
  return result;
}

} // namespace

std::optional<int64_t> quernel::runtime::parsePositive(std::string_view text) {
  text = trim(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0)
    return std::nullopt;
  return value;
}

std::optional<double> quernel::runtime::parseCpuMax(std::string_view text) {
  text = trim(text);
  const size_t blank = text.find(' ');
  auto quota = parsePositive(text.substr(0, blank));
  auto period = blank == std::string_view::npos ? std::optional<int64_t>(100000) : parsePositive(text.substr(blank));
  return quota && period ? std::optional(double(*quota) / double(*period)) : std::nullopt;
}

std::optional<double> quernel::runtime::parseCfsQuota(std::string_view quota, std::string_view period) {
  auto time = parsePositive(quota), interval = parsePositive(period);
  return time && interval ? std::optional(double(*time) / double(*interval)) : std::nullopt;
}

std::optional<int64_t> quernel::runtime::parseMemoryLimit(std::string_view text) { return parsePositive(text); }

CgroupPaths quernel::runtime::parseCgroupPaths(std::string_view text) {
  CgroupPaths paths;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos || line.substr(second + 1, 1) != "/")
      continue;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (controllers == ",,")
      paths.unified = line.substr(second + 1);
    else if (controllers.find(",cpu,") != std::string::npos)
      paths.cpu = line.substr(second + 1);
    else if (controllers.find(",memory,") != std::string::npos)
      paths.memory = line.substr(second + 1);
  }
  return paths;
}

std::optional<double> quernel::runtime::cgroupQuota(const std::string &mount, const std::string &self) {
  auto text = readFile(self);
  const CgroupPaths paths = parseCgroupPaths(text ? *text : "");
  std::optional<double> result;
  if (!paths.unified.empty())
    result = leastUpwards(mount, paths.unified, unifiedQuota);
  if (!paths.cpu.empty())
    result = least(result, leastUpwards(mount + "/cpu", paths.cpu, cfsQuota));
  return result;
}

std::optional<int64_t> quernel::runtime::cgroupMemory(const std::string &mount, const std::string &self) {
  auto text = readFile(self);
  const CgroupPaths paths = parseCgroupPaths(text ? *text : "");
  std::optional<int64_t> result;
  if (!paths.unified.empty())
    result = leastUpwards(mount, paths.unified, memoryLimit<unifiedLimit>);
  if (!paths.memory.empty())
    result = least(result, leastUpwards(mount + "/memory", paths.memory, memoryLimit<firstLimit>));
  return result;
}
