// The processor's sticky flags: what floating-point operations of a thread have met since they were cleared.
#ifndef QUERNEL_RUNTIME_FLOAT_FLAGS_H
#define QUERNEL_RUNTIME_FLOAT_FLAGS_H

#include <cfenv>

namespace quernel::runtime {

/// What NumPy may warn of: FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW and FE_INVALID. An inexact result isn't looked at.
inline constexpr int watchedFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;

/// Those of the watched flags that are set in this thread.
inline int floatFlags() {
#if defined(__x86_64__)
  return int(__builtin_ia32_stmxcsr()) & watchedFlags; // the bits have the numbers of the C library's
#else
  return std::fetestexcept(watchedFlags);
#endif
}

/// Clears the watched flags. Writing them costs more than reading: nothing is written where none is set.
inline void clearFloatFlags() {
  if (!floatFlags()) [[likely]]
    return;
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~unsigned(watchedFlags));
#else
  std::feclearexcept(watchedFlags);
#endif
}

/// Sets flags without anything else that an operation would do.
inline void raiseFloatFlags(int flags) {
  if (!flags) [[likely]]
    return;
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | unsigned(flags));
#else
  std::feraiseexcept(flags);
#endif
}

/// Leaves the watched flags as they were, whatever is computed meanwhile.
class FlagsKept {
public:
  FlagsKept() : flags(floatFlags()) {}
  FlagsKept(const FlagsKept &) = delete;
  ~FlagsKept() {
    if (floatFlags() == flags) [[likely]]
      return;
    clearFloatFlags();
    raiseFloatFlags(flags);
  }

private:
  const int flags;
};

} // namespace quernel::runtime

#endif
