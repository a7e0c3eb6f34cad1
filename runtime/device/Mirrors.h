// Where arrays of one memory, the host's or a device's, have their copies in the other.
#ifndef QUERNEL_RUNTIME_DEVICE_MIRRORS_H
#define QUERNEL_RUNTIME_DEVICE_MIRRORS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quernel::runtime {

/// The memory between the first and the last element of an array.
struct MemoryPart {
  void *memory;      ///< what stands for the array
  int64_t low, high; ///< in bytes from there; equal ones are no memory
  bool isRead;       ///< whether the copy needs what the memory holds, if only because not all of it is written
  bool isWritten;
};

/// Copies of parts of memory. Parts that overlap have one copy together, so that what is one element stays one.
class Mirrors {
public:
  /// Memory that has one copy.
  struct Mirror {
    char *memory;
    size_t bytes;
    bool isRead, isWritten;
    size_t padding = 0;   ///< bytes before the copy, for elements of several types to be aligned as they were
    void *copy = nullptr; ///< in the other memory, so many bytes behind a multiple of 64
  };

  explicit Mirrors(std::span<const MemoryPart> parts);

  /// The copies. Whoever made this has to make them, and to take them back.
  std::span<Mirror> all() { return mirrors; }
  /// What stands for a part in its copy.
  void *of(size_t part) const { return static_cast<char *>(mirrors[owners[part]].copy) + offsets[part]; }

private:
  std::vector<Mirror> mirrors;
  std::vector<size_t> owners;   ///< by part
  std::vector<int64_t> offsets; ///< of a part's memory in its copy
};

} // namespace quernel::runtime

#endif
