#include "runtime/device/DeviceRoutines.h"
#include <cstdint>
#include <span>

using namespace quernel::runtime;

namespace {

/// A routine that a library of the device has, for the types whose bits are set.
struct Row {
  int32_t routine;
  uint32_t types;
  DeviceRoutine function;
};

/// The rows of cuBLAS, cuSOLVER and cuFFT belong here; there are none so far.
constexpr std::span<const Row> rows;

} // namespace

DeviceRoutine quernel::runtime::deviceRoutine(int32_t routine, int32_t type) {
  for (const Row &row : rows)
    if (row.routine == routine && type >= 0 && type < QN_TYPES && (row.types >> type & 1))
      return row.function;
  return nullptr;
}
