#include "Ptx.h"

#include "Memory.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

namespace emulator {

/// The words of a text, where brackets and commas are spaces.
static std::vector<std::string> words(std::string text) {
  for (char &c : text)
    if (strchr("()[],{}\t", c))
      c = ' ';
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;)
    result.push_back(word);
  return result;
}

static bool begins(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

std::unique_ptr<Ptx> Ptx::parse(const char *text, std::string &why) {
  std::unique_ptr<Ptx> ptx(new Ptx);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && why.empty();)
    why = ptx->addLine(line);
  if (why.empty())
    why = ptx->check();
  if (!why.empty())
    return nullptr;
  ptx->sizes.assign(ptx->parameters.size(), sizeof(uint64_t));
  ptx->entry = {ptx->entryName.c_str(), nullptr, unsigned(ptx->sizes.size()), ptx->sizes.data(), 1};
  return ptx;
}

/// One line has one statement.
std::string Ptx::addLine(std::string line) {
  line.erase(std::remove(line.begin(), line.end(), ';'), line.end());
  std::vector<std::string> all = words(line);
  if (all.empty() || all[0] == ".version" || all[0] == ".target" || all[0] == ".address_size" || all[0] == ".reg" ||
      all[0] == ".param")
    return {};
  if (all[0] == ".extern")
    return all.size() > 2 && all[1] == ".func" && all[2] == "cudaGraphSetConditional"
               ? std::string()
               : "the driver has no function for: " + line;
  if (all[0] == ".visible") {
    if (!entryName.empty() || all.size() < 3 || all[1] != ".entry" || all.size() % 3 != 0)
      return "the text has another kernel than one: " + line;
    entryName = all[2];
    for (size_t k = 3; k < all.size(); k += 3) {
      if (all[k] != ".param" || all[k + 1] != ".u64")
        return "a parameter isn't one of 64 bits: " + line;
      parameters.push_back(all[k + 2]);
    }
    return {};
  }
  if (all.size() == 1 && all[0].back() == ':') {
    labels[all[0].substr(0, all[0].size() - 1)] = instructions.size();
    return {};
  }
  Instruction instruction;
  if (begins(all[0], "@")) {
    instruction.guard = all[0].substr(1);
    all.erase(all.begin());
  }
  instruction.opcode = all[0];
  instruction.operands.assign(all.begin() + 1, all.end());
  instructions.push_back(instruction);
  return {};
}

std::string Ptx::check() const {
  static const std::map<std::string, size_t> operands = {
      {"ld.param.u64", 2}, {"ld.global.u64", 2},     {"ld.global.u8", 2}, {"st.global.u64", 2}, {"st.param.b64", 2},
      {"st.param.b32", 2}, {"sub.s64", 3},           {"setp.gt.s64", 3},  {"setp.eq.s64", 3},   {"setp.eq.u64", 3},
      {"setp.ne.u16", 3},  {"selp.b32", 4},          {"and.b32", 3},      {"bra", 1},           {"call.uni", 3},
      {"ret", 0},          {"cvta.to.global.u64", 2}};
  if (entryName.empty())
    return "the text has no kernel";
  for (const Instruction &instruction : instructions) {
    auto known = operands.find(instruction.opcode);
    if (known == operands.end() || known->second != instruction.operands.size())
      return "the emulator has no PTX like: " + instruction.opcode;
    if (instruction.opcode == "bra" && labels.count(instruction.operands[0]) == 0)
      return "there is no label " + instruction.operands[0];
  }
  return instructions.empty() || instructions.back().opcode != "ret" ? "the kernel doesn't return" : "";
}

/// Loads or stores a number of the device's memory.
std::string Ptx::access(const std::string &opcode, uint64_t address, uint64_t &number, int device) {
  const size_t bytes = opcode == "ld.global.u8" ? 1 : 8;
  Memory &memory = Memory::get();
  const Allocation *allocation = memory.isDevice(address) ? memory.find(address, bytes) : nullptr;
  const bool isWrite = begins(opcode, "st.");
  const std::string what = (isWrite ? "writes " : "reads ") + std::to_string(bytes) + " bytes ";
  if (!allocation)
    return what + (memory.isDevice(address) ? memory.describe(address) : "that aren't the device's");
  if (allocation->device != device)
    return what + memory.describe(address) + ", which is another device's";
  if (address % bytes != 0)
    return what + "at an address that is no multiple of it";
  if (isWrite) {
    memory.space.write(address, bytes);
    memcpy(reinterpret_cast<void *>(address), &number, bytes);
  } else {
    if (memory.space.firstUnwritten(address, bytes) != bytes)
      return what + memory.describe(address) + ", which nobody has written";
    number = 0;
    memcpy(&number, reinterpret_cast<const void *>(address), bytes);
  }
  return {};
}

std::string Ptx::run(const std::vector<std::vector<char>> &arguments, int device, const SetCondition &set) const {
  const Memory::Access open;
  Numbers numbers;
  for (size_t k = 0; k < parameters.size(); ++k)
    memcpy(&numbers[parameters[k]], arguments[k].data(), sizeof(uint64_t));
  std::string unset;
  const auto value = [&](const std::string &name) -> uint64_t {
    if (name[0] == '-' || isdigit(name[0]))
      return static_cast<uint64_t>(std::stoll(name));
    if (numbers.count(name) == 0)
      unset = name;
    return numbers[name];
  };
  for (size_t next = 0; next < instructions.size(); ++next) {
    const auto &[guard, opcode, operands] = instructions[next];
    const auto operand = [&](size_t k) { return value(operands[k]); };
    const auto as64 = [&](size_t k) { return static_cast<int64_t>(operand(k)); };
    std::string why;
    if (!guard.empty() && !value(guard))
      continue;
    if (opcode == "ret")
      return {};
    if (opcode == "bra")
      next = labels.at(operands[0]) - 1;
    else if (opcode == "ld.param.u64" || opcode == "cvta.to.global.u64")
      numbers[operands[0]] = operand(1);
    else if (begins(opcode, "st.param"))
      numbers[operands[0]] = opcode == "st.param.b32" ? uint32_t(operand(1)) : operand(1);
    else if (begins(opcode, "ld.global"))
      why = access(opcode, operand(1), numbers[operands[0]], device);
    else if (opcode == "st.global.u64") {
      uint64_t stored = operand(1);
      why = access(opcode, operand(0), stored, device);
    } else if (opcode == "sub.s64")
      numbers[operands[0]] = operand(1) - operand(2);
    else if (opcode == "setp.gt.s64")
      numbers[operands[0]] = as64(1) > as64(2);
    else if (opcode == "setp.ne.u16")
      numbers[operands[0]] = uint16_t(operand(1)) != uint16_t(operand(2));
    else if (begins(opcode, "setp.eq"))
      numbers[operands[0]] = operand(1) == operand(2);
    else if (opcode == "selp.b32")
      numbers[operands[0]] = uint32_t(operand(3) ? operand(1) : operand(2));
    else if (opcode == "and.b32")
      numbers[operands[0]] = uint32_t(operand(1) & operand(2));
    else if (opcode == "call.uni")
      why = operands[0] == "cudaGraphSetConditional" ? set(operand(1), unsigned(operand(2))) : "calls " + operands[0];
    if (!unset.empty())
      why = "uses " + unset + ", which has no value";
    if (!why.empty())
      return entryName + ": " + why;
  }
  return {};
}

} // namespace emulator
