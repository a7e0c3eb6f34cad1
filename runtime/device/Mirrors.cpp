#include "runtime/device/Mirrors.h"
#include <algorithm>
#include <numeric>
#include <utility>

using namespace quernel::runtime;

Mirrors::Mirrors(std::span<const MemoryPart> parts) : owners(parts.size()), offsets(parts.size()) {
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto addressOf = [](const char *memory) { return reinterpret_cast<uintptr_t>(memory); };
  const auto startOf = [&](size_t k) { return static_cast<char *>(parts[k].memory) + parts[k].low; };
  const auto isEmpty = [&](size_t k) { return parts[k].low == parts[k].high; };
  std::ranges::sort(order, {}, [&](size_t k) { return std::pair(isEmpty(k), addressOf(startOf(k))); });
  for (size_t k : order) {
    char *const start = startOf(k);
    const size_t bytes = parts[k].high - parts[k].low;
    if (mirrors.empty() || isEmpty(k) || addressOf(start) >= addressOf(mirrors.back().memory) + mirrors.back().bytes) {
      owners[k] = mirrors.size();
      mirrors.push_back({start, bytes, parts[k].isRead, parts[k].isWritten});
      continue;
    }
    Mirror &mirror = mirrors.back();
    owners[k] = mirrors.size() - 1;
    // What only one of them writes, the others have to find there.
    mirror.isRead = true;
    mirror.isWritten |= parts[k].isWritten;
    mirror.bytes = std::max(mirror.bytes, start - mirror.memory + bytes);
    constexpr uintptr_t alignment = 64;
    mirror.padding = addressOf(mirror.memory) % alignment;
  }
  for (size_t k = 0; k < parts.size(); ++k)
    offsets[k] = static_cast<char *>(parts[k].memory) - mirrors[owners[k]].memory;
}
