// What the processor can do, known without loading a compiler.
#ifndef QUERNEL_RUNTIME_PROCESSOR_H
#define QUERNEL_RUNTIME_PROCESSOR_H

#include <array>
#include <string_view>

namespace quernel::runtime {

/// The levels of x86-64's ABI, lowest first. They are the names of the targets that programs are compiled for.
inline constexpr std::array<std::string_view, 4> processorLevels = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

/// The highest level whose instructions this processor has, and the system lets programs use; the lowest one on
/// processors of another kind.
inline std::string_view processorLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return processorLevels[3];
  if (__builtin_cpu_supports("x86-64-v3"))
    return processorLevels[2];
  if (__builtin_cpu_supports("x86-64-v2"))
    return processorLevels[1];
#endif
  return processorLevels[0];
}

} // namespace quernel::runtime

#endif
