#include "runtime/device/Mirrors.h"
#include <algorithm>
#include <numeric>
#include <utility>

using namespace quernel::runtime;

static uintptr_t lowOf(const MemoryPart &part) { return reinterpret_cast<uintptr_t>(part.memory) + part.low; }

Mirrors::Mirrors(std::span<const MemoryPart> parts) : owners(parts.size()), offsets(parts.size()) {
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto isEmpty = [&](size_t k) { return parts[k].low == parts[k].high; };
  std::ranges::sort(order, {}, [&](size_t k) { return std::pair(isEmpty(k), lowOf(parts[k])); });
  for (size_t k : order) {
    const uintptr_t low = lowOf(parts[k]), high = low + (parts[k].high - parts[k].low);
    if (mirrors.empty() || isEmpty(k) || low >= mirrors.back().high) {
      owners[k] = mirrors.size();
      mirrors.push_back({low, high, parts[k].isRead, parts[k].isWritten});
      continue;
    }
    Mirror &mirror = mirrors.back();
    owners[k] = mirrors.size() - 1;
    // What only one of them writes, the others have to find there.
    mirror.isRead = true;
    mirror.isWritten |= parts[k].isWritten;
    mirror.high = std::max(mirror.high, high);
    constexpr uintptr_t alignment = 64;
    mirror.padding = mirror.low % alignment;
  }
  for (size_t k = 0; k < parts.size(); ++k)
    offsets[k] = int64_t(reinterpret_cast<uintptr_t>(parts[k].memory) - mirrors[owners[k]].low);
}
