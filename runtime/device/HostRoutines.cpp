#include "runtime/device/HostRoutines.h"
#include "runtime/Pool.h"
#include "runtime/Random.h"
#include "runtime/device/Mirrors.h"
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

using namespace quernel;
using namespace quernel::runtime;

namespace {

constexpr int mostOperands = 8;

/// What a row's signature says of its operands.
struct Signature {
  struct Operand {
    std::string_view axes, element;
    bool isInput;
  };

  std::array<Operand, mostOperands> operands = {};
  int count = 0;
  uint32_t letters = 0; ///< a bit for each that there is

  constexpr Signature() = default;
  constexpr explicit Signature(std::string_view signature) {
    const size_t arrow = signature.find("->");
    addAll(signature.substr(0, arrow), true);
    addAll(signature.substr(arrow + 2), false);
  }

  /// The place of a letter among the sizes of a call, which are in alphabetical order behind that of the batch.
  constexpr int place(char letter) const { return 1 + std::popcount(letters & ((uint32_t(1) << (letter - 'a')) - 1)); }

private:
  constexpr void addAll(std::string_view side, bool isInput) {
    for (;;) {
      const size_t end = side.find(',');
      const std::string_view text = side.substr(0, end);
      const size_t colon = text.find(':');
      const std::string_view axes = text.substr(0, colon);
      operands[count++] = {axes, colon == text.npos ? "" : text.substr(colon + 1), isInput};
      for (char letter : axes)
        letters |= uint32_t(1) << (letter - 'a');
      if (end == side.npos)
        return;
      side = side.substr(end + 1);
    }
  }
};

constexpr auto signatures = [] {
  std::array<Signature, QN_ROUTINES> all;
  for (int routine = 0; routine < QN_ROUTINES; ++routine)
    all[routine] = Signature(routineRows[routine].signature);
  return all;
}();

/// The bytes of an operand's element where those of the first one are of a type.
int64_t elementBytes(std::string_view element, int32_t type) {
  const int64_t own = typeBytes[type];
  const bool isComplex = type == QN_C64 || type == QN_C128;
  if (element.empty())
    return own;
  if (element == "real")
    return isComplex ? own / 2 : own;
  if (element == "complex")
    return isComplex ? own : 2 * own;
  return element == "floats" ? 4 : 8;
}

/// The memory of an operand.
MemoryPart partOf(const RoutineCall &call, const Signature &signature, int number) {
  const Signature::Operand &operand = signature.operands[number];
  const int64_t bytes = elementBytes(operand.element, call.type), *strides = call.strides + int64_t(3) * number;
  int64_t low = 0, high = 0, elements = 1;
  const auto addAxis = [&](int64_t size, int64_t stride) {
    elements *= size;
    (stride < 0 ? low : high) += (size - 1) * stride;
  };
  addAxis(call.sizes[0], strides[0]);
  for (size_t axis = 0; axis < operand.axes.size(); ++axis)
    addAxis(call.sizes[signature.place(operand.axes[axis])], strides[1 + axis]);
  if (elements <= 0)
    return {call.operands[number], 0, 0, false, false};
  const bool isWhole = high - low + 1 == elements;
  return {call.operands[number], low * bytes, (high + 1) * bytes, operand.isInput || !isWhole, !operand.isInput};
}

/// The host's copies of operands, which go when this does.
class HostCopies {
public:
  explicit HostCopies(std::span<const MemoryPart> parts) : mirrors(parts) {}
  ~HostCopies() {
    for (Mirrors::Mirror &mirror : mirrors.all())
      if (mirror.copy)
        Pool::shared().release(static_cast<char *>(mirror.copy) - mirror.padding);
  }
  HostCopies(const HostCopies &) = delete;
  HostCopies &operator=(const HostCopies &) = delete;

  /// False where memory is out.
  bool make(Device &device) {
    for (Mirrors::Mirror &mirror : mirrors.all()) {
      auto *memory = static_cast<char *>(Pool::shared().allocate(mirror.bytes + mirror.padding));
      if (!memory)
        return false;
      mirror.copy = memory + mirror.padding;
      if (mirror.isRead)
        device.read(mirror.copy, mirror.memory, mirror.bytes);
    }
    return true;
  }

  void putBack(Device &device) {
    for (const Mirrors::Mirror &mirror : mirrors.all())
      if (mirror.isWritten)
        device.write(mirror.memory, mirror.copy, mirror.bytes);
  }

  void *of(size_t part) const { return mirrors.of(part); }

private:
  Mirrors mirrors;
};

} // namespace

int32_t quernel::runtime::callOnHost(Device &device, const RoutineCall &call) {
  if (call.routine < 0 || call.routine >= QN_ROUTINES || call.type < 0 || call.type >= QN_TYPES)
    return QN_NO_ROUTINE;
  const Signature &signature = signatures[call.routine];
  std::vector<MemoryPart> parts;
  parts.reserve(mostOperands + 1);
  for (int number = 0; number < signature.count; ++number)
    parts.push_back(partOf(call, signature, number));
  // What says that a problem has no answer is one number.
  if (routineRows[call.routine].has(routineTraits::mayFail))
    parts.push_back({call.operands[signature.count], 0, sizeof(int64_t), true, true});
  HostCopies copies(parts);
  if (!copies.make(device))
    return QN_OUT_OF_MEMORY;
  void *operands[mostOperands + 1] = {};
  for (size_t k = 0; k < parts.size(); ++k)
    operands[k] = copies.of(k);
  const int32_t code = callRoutine(call.context, call.routine, call.type, operands, call.strides, call.sizes);
  if (code == QN_OK)
    copies.putBack(device);
  return code;
}

int32_t quernel::runtime::drawOnHost(Device &device, const qn_context *context, int32_t routine, int64_t words,
                                     const uint64_t *before, uint64_t *after, double *number) {
  if (words < 1 || words > mostStreamWords)
    return QN_NO_ROUTINE;
  uint64_t state[mostStreamWords];
  double drawn = 0;
  device.read(state, before, words * sizeof(uint64_t));
  const int32_t code = drawOne(context, routine, words, state, state, &drawn);
  if (code != QN_OK)
    return code;
  device.write(after, state, words * sizeof(uint64_t));
  device.write(number, &drawn, sizeof drawn);
  return QN_OK;
}
