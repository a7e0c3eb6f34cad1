#include "Memory.h"

#include "Settings.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace emulator {

static constexpr size_t pageBytes = 4096, regionBytes = size_t(64) << 30, mostGap = 4 << 20, mostFilled = 4 << 20;
static constexpr size_t mostFreed = 1000;
/// What fresh memory holds: NaN as floats, -1 as integers.
static constexpr int garbage = 0xFF;

static size_t pages(size_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }

static size_t gap(size_t bytes) { return std::clamp(pages(bytes), pageBytes, mostGap); }

Memory &Memory::get() {
  // Never destroyed: kernels may be launched while the process ends.
  static auto *memory = new Memory;
  return *memory;
}

Memory::Memory() : space(reinterpret_cast<uintptr_t>(reserve(regionBytes, false)), regionBytes) { next = space.base; }

/// Behind the last allocation, at a boundary of 256 bytes that is none of 512, as a device promises no more.
uintptr_t Memory::place(size_t bytes) {
  size_t needed = gap(bytes) + pages(bytes + 256) + gap(bytes);
  if (needed > regionBytes)
    return 0;
  if (space.base + regionBytes - next < needed)
    next = space.base;
  // After a turn around all addresses there may be others in the way: those that live are stepped over.
  for (auto at = allocations.upper_bound(next); at != allocations.end() && at->second.begin < next + needed;) {
    if (at->second.live) {
      next = pages(at->first);
      if (space.base + regionBytes - next < needed)
        return 0;
      at = allocations.upper_bound(next);
    } else {
      at = allocations.erase(at);
    }
  }
  uintptr_t address = next + gap(bytes) + 256;
  next += needed;
  return address;
}

uintptr_t Memory::allocate(size_t bytes, int device) {
  if (bytes > total(device) || used(device) > total(device) - bytes)
    return 0;
  uintptr_t address = place(bytes);
  if (address == 0)
    return 0;
  const Allocation &made = allocations[address + bytes] = {address, bytes, device, true};
  liveBegin = liveEnd == 0 ? address / pageBytes * pageBytes : std::min(liveBegin, address / pageBytes * pageBytes);
  liveEnd = std::max(liveEnd, pages(address + bytes));
  usedBytes[device] += bytes;
  Access access;
  memset(reinterpret_cast<void *>(address), garbage, std::min(bytes, mostFilled));
  last = &made;
  return address;
}

bool Memory::release(uintptr_t address) {
  auto found = allocations.upper_bound(address);
  if (found == allocations.end() || found->second.begin != address || !found->second.live)
    return false;
  found->second.live = false;
  usedBytes[found->second.device] -= found->second.size;
  freed.push_back(found->first);
  last = nullptr;
  std::fill(recent, recent + recentCount, nullptr);
  forget(found->second);
  auto living = [](const auto &entry) { return entry.second.live; };
  auto first = std::find_if(allocations.begin(), allocations.end(), living);
  auto behind = std::find_if(allocations.rbegin(), allocations.rend(), living);
  liveBegin = first == allocations.end() ? 0 : first->second.begin / pageBytes * pageBytes;
  liveEnd = first == allocations.end() ? 0 : pages(behind->first);
  if (freed.size() > mostFreed) {
    if (auto oldest = allocations.find(freed.front()); oldest != allocations.end() && !oldest->second.live)
      allocations.erase(oldest);
    freed.pop_front();
  }
  return true;
}

/// Gives the pages back, and those of the shadows.
void Memory::forget(const Allocation &allocation) {
  uintptr_t begin = allocation.begin / pageBytes * pageBytes, end = pages(allocation.begin + allocation.size);
  madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  space.forget(begin, end);
}

const Allocation *Memory::search(uintptr_t address, size_t bytes) {
  for (const Allocation *allocation : recent)
    if (allocation && allocation->holds(address, bytes))
      return last = allocation;
  auto found = allocations.upper_bound(address);
  if (found == allocations.end() || !found->second.live || !found->second.holds(address, bytes))
    return nullptr;
  recent[oldest] = &found->second;
  oldest = (oldest + 1) % recentCount;
  return last = &found->second;
}

static std::string bufferText(const Allocation &allocation) {
  return "a buffer of " + std::to_string(allocation.size) + " bytes" + (allocation.live ? "" : " that has been freed");
}

std::string Memory::describe(uintptr_t address) const {
  auto above = allocations.upper_bound(address);
  if (above != allocations.end() && address >= above->second.begin)
    return "at " + std::to_string(address - above->second.begin) + " of " + bufferText(above->second);
  bool hasBelow = above != allocations.begin();
  auto below = hasBelow ? std::prev(above) : above;
  if (hasBelow && (above == allocations.end() || address - below->first <= above->second.begin - address))
    return "at " + std::to_string(address - below->first) + " behind the end of " + bufferText(below->second);
  if (above != allocations.end())
    return "at " + std::to_string(above->second.begin - address) + " before the begin of " + bufferText(above->second);
  return "in a device's memory where there never was a buffer";
}

size_t Memory::total(int) const { return settings().memory; }

void Memory::protect(bool open) {
  openCount += open ? 1 : -1;
  if (openCount == (open ? 1 : 0) && liveEnd > liveBegin)
    mprotect(reinterpret_cast<void *>(liveBegin), liveEnd - liveBegin, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

} // namespace emulator
