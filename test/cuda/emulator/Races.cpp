#include "Races.h"

#include "Settings.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace emulator {

/// The write of a word whose bytes have cells of their own.
static constexpr Record splitRecord = ~uint64_t(0);

void *reserve(size_t bytes, bool open) {
  void *memory = mmap(nullptr, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "emulator: the process can't have %zu GiB of addresses\n", bytes >> 30);
    abort();
  }
  madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

std::optional<Race> Cell::touch(unsigned kind, const Observer &observer, uint32_t since) {
  Record own = observer.record;
  bool excused = kind == Atomic && (write & atomicRecord);
  if (!excused && observer.isConcurrent(write, since))
    return Race{write, true, 0};
  if (kind == Read) {
    // The first of those that nothing orders stays: a later write has to come after it and after the last.
    if (reads[0] != own)
      reads[observer.isConcurrent(reads[0], since) ? 1 : 0] = own;
    return std::nullopt;
  }
  for (Record read : reads)
    if (observer.isConcurrent(read, since))
      return Race{read, false, 0};
  if (kind == Write)
    write = own;
  else if (write != own)
    write = own | atomicRecord;
  reads[0] = reads[1] = 0;
  return std::nullopt;
}

Space::Space(uintptr_t base, size_t size) : base(base), size(size) {
  words = static_cast<Cell *>(reserve((size / 4 + 1) * sizeof(Cell), true));
  bytes = static_cast<Cell *>(reserve((size + 4) * sizeof(Cell), true));
  if (settings().checksInitialised)
    written = static_cast<uint8_t *>(reserve(size, true));
}

Space::~Space() {
  munmap(words, (size / 4 + 1) * sizeof(Cell));
  munmap(bytes, (size + 4) * sizeof(Cell));
  if (written)
    munmap(written, size);
}

void Space::split(uintptr_t offset) {
  Cell &word = words[offset / 4];
  if (word.write == splitRecord)
    return;
  for (uintptr_t i = 0; i < 4; ++i)
    bytes[offset / 4 * 4 + i] = word;
  word.write = splitRecord;
}

std::optional<Race> Space::touchByte(uintptr_t offset, unsigned kind, const Observer &observer, uint32_t since) {
  std::optional<Race> race = bytes[offset].touch(kind, observer, since);
  if (race)
    race->address = base + offset;
  return race;
}

std::optional<Race> Space::touch(uintptr_t address, size_t count, unsigned kind, const Observer &observer,
                                 uint32_t since) {
  for (uintptr_t offset = address - base, end = offset + count; offset < end;) {
    bool whole = offset % 4 == 0 && end - offset >= 4;
    Cell &word = words[offset / 4];
    if (whole && word.write != splitRecord) {
      if (std::optional<Race> race = word.touch(kind, observer, since)) {
        race->address = base + offset;
        return race;
      }
      offset += 4;
      continue;
    }
    split(offset);
    uintptr_t until = whole ? offset + 4 : offset + 1;
    for (; offset < until; ++offset)
      if (std::optional<Race> race = touchByte(offset, kind, observer, since))
        return race;
    // All four have the same record now.
    if (whole && kind != Read)
      word = bytes[offset - 1];
  }
  return std::nullopt;
}

void Space::write(uintptr_t address, size_t count) {
  if (written)
    memset(written + (address - base), 1, count);
}

size_t Space::firstUnwritten(uintptr_t address, size_t count) const {
  if (!written)
    return count;
  const void *found = memchr(written + (address - base), 0, count);
  return found ? static_cast<const uint8_t *>(found) - (written + (address - base)) : count;
}

void Space::forget(uintptr_t begin, uintptr_t end) {
  uintptr_t offset = begin - base, count = end - begin;
  madvise(reinterpret_cast<char *>(words) + offset / 4 * sizeof(Cell), count / 4 * sizeof(Cell), MADV_DONTNEED);
  madvise(reinterpret_cast<char *>(bytes) + offset * sizeof(Cell), count * sizeof(Cell), MADV_DONTNEED);
  if (written)
    madvise(written + offset, count, MADV_DONTNEED);
}

} // namespace emulator
