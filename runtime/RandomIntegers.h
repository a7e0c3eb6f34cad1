// How a word becomes an integer within bounds; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_RANDOM_INTEGERS_H
#define QUERNEL_RUNTIME_RANDOM_INTEGERS_H

#include "runtime/BitGenerators.h"
#include <limits>

namespace quernel::runtime {

/// The least number of ones that covers a number.
template <typename U> U maskOf(U most) { return U(~uint64_t(0) >> std::countl_zero(uint64_t(most) | 1)); }

/// From 0 to `most`, which isn't 0, of words of as many bits as U has: what `next` gives.
template <typename U, bool isMasked, typename Next> U boundedBy(U most, Next next) {
  if (most == std::numeric_limits<U>::max())
    return next();
  if constexpr (isMasked) {
    const U mask = maskOf(most);
    for (;;)
      if (const U found = next() & mask; found <= most)
        return found;
  } else {
    using Wide = std::conditional_t<sizeof(U) == 8, uint128, uint64_t>;
    constexpr int bits = 8 * sizeof(U);
    const U count = most + 1;
    Wide product = Wide(U(next())) * count;
    if (U(product) < count) {
      const U least = U(std::numeric_limits<U>::max() - most) % count;
      while (U(product) < least)
        product = Wide(U(next())) * count;
    }
    return U(product >> bits);
  }
}

/// From 0 to `most`, as NumPy's `random_interval` draws.
template <typename Generator> uint64_t interval(Generator &generator, uint64_t most) {
  const uint64_t mask = maskOf(most);
  if (most == 0)
    return 0;
  for (;;) {
    const uint64_t word = most <= UINT32_MAX ? generator.next32() : generator.next64();
    if ((word & mask) <= most)
      return word & mask;
  }
}

/// From 0 to `most`, as NumPy's `random_bounded_uint64` draws by Lemire's method.
template <typename Generator> uint64_t boundedWord(Generator &generator, uint64_t most) {
  if (most == 0)
    return 0;
  if (most > UINT32_MAX)
    return boundedBy<uint64_t, false>(most, [&] { return generator.next64(); });
  return boundedBy<uint32_t, false>(uint32_t(most), [&] { return generator.next32(); });
}

} // namespace quernel::runtime

#endif
