// PTX as a text, which the driver compiles: so much of it as kernels of one thread need that count, compare and set the
// condition of a graph. What this doesn't know is an error when it is loaded.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_PTX_H
#define QUERNEL_TEST_CUDA_EMULATOR_PTX_H

#include "Interface.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

class Ptx {
public:
  /// Sets a condition of a graph; why it can't, or an empty text.
  using SetCondition = std::function<std::string(uint64_t condition, unsigned value)>;

  /// Null with a reason where it isn't such a text.
  static std::unique_ptr<Ptx> parse(const char *text, std::string &why);

  /// Null where there is no kernel of that name.
  const Kernel *kernel(const std::string &name) const { return name == entry.name ? &entry : nullptr; }

  /// Runs the kernel's only thread on a device; why it has failed, or an empty text.
  std::string run(const std::vector<std::vector<char>> &arguments, int device, const SetCondition &set) const;

private:
  /// `@%guard opcode operands`, where a guard may be missing.
  struct Instruction {
    std::string guard, opcode;
    std::vector<std::string> operands;
  };
  using Numbers = std::map<std::string, uint64_t>;

  std::string addLine(std::string line);
  std::string check() const;
  static std::string access(const std::string &opcode, uint64_t address, uint64_t &number, int device);

  Kernel entry = {};
  std::string entryName;
  std::vector<std::string> parameters;
  std::vector<unsigned> sizes;
  std::vector<Instruction> instructions;
  std::map<std::string, size_t> labels;
};

} // namespace emulator

#endif
