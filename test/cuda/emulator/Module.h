// What the stand-in for NVRTC makes of a text: a shared object that is loaded from memory.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_MODULE_H
#define QUERNEL_TEST_CUDA_EMULATOR_MODULE_H

#include "Interface.h"
#include "Races.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

struct Range {
  uintptr_t begin = 0, size = 0;

  bool has(uintptr_t address) const { return address - begin < size; }
  bool holds(uintptr_t address, uintptr_t bytes) const {
    return has(address) && bytes <= size && address - begin <= size - bytes;
  }
};

struct Variable {
  Range range;
  /// Like "kernel::tile".
  std::string name;
  bool isShared;
};

class Module {
public:
  /// Null with a reason where the bytes are no such object, or one for another architecture.
  static std::unique_ptr<Module> load(const void *image, const Interface *interface, std::string &why);
  Module(const Module &) = delete;
  ~Module();

  const Kernel *kernel(const std::string &name) const;
  /// The address and the size of a variable; {0, 0} where there is none.
  Range variable(const std::string &name) const;
  /// Like "kernels.cu:12", by the line tables; empty where addr2line isn't installed.
  std::string line(const void *place) const;

  /// The variable that begins last before an address or at it; null where there is none.
  const Variable *variableBefore(uintptr_t address) const;
  /// The bytes of shared memory that a kernel declares itself; those of the functions that it calls aren't known.
  unsigned sharedBytes(const Kernel &kernel) const;

  /// The variables in shared memory that have a size of their own, all of the module's together, and the array that the
  /// launch gives a size.
  Range shared, dynamic;
  std::vector<Range> writable, readable;
  /// For all of `writable`.
  std::unique_ptr<Space> space;

private:
  Module() = default;
  bool open(const void *image, size_t size, std::string &why);
  bool connect(const Interface *interface, bool isPtx, std::string &why);
  void findRanges(const char *image);
  void findVariables(const char *image);

  int file = -1;
  void *handle = nullptr;
  uintptr_t base = 0;
  const Kernel *kernels = nullptr;
  /// In the order of their addresses. Those that are constant aren't among them.
  std::vector<Variable> variables;
};

} // namespace emulator

#endif
