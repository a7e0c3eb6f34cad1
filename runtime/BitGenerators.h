// NumPy's bit generators, over the words of a state as Random.h describes them; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_BIT_GENERATORS_H
#define QUERNEL_RUNTIME_BIT_GENERATORS_H

#include "runtime/Random.h"
#include <bit>
#include <cstring>

namespace quernel::runtime {

using uint128 = unsigned __int128;

constexpr uint128 wide(uint64_t high, uint64_t low) { return uint128(high) << 64 | low; }

/// The number from 0 to 1 that 53 bits of a word are, and that 24 bits of a half of one are.
inline double toDouble(uint64_t word) { return double(int64_t(word >> 11)) * (1.0 / 9007199254740992.0); }
inline float toFloat(uint32_t half) { return float(int32_t(half >> 8)) * (1.0f / 16777216.0f); }

/// The half of a word that `next32` keeps for the next time.
struct KeptHalf {
  explicit KeptHalf(uint64_t word) : half(uint32_t(word)), isThere(word >> 32) {}
  uint64_t word() const { return uint64_t(isThere) << 32 | half; }

  uint32_t half;
  bool isThere;
};

/// What generators of words of 64 bits have in common; `Self` has `next64`.
template <typename Self> class WordGenerator {
public:
  explicit WordGenerator(uint64_t word) : kept(word) {}

  uint32_t next32() {
    if (kept.isThere) {
      kept.isThere = false;
      return kept.half;
    }
    const uint64_t word = static_cast<Self *>(this)->next64();
    kept.isThere = true;
    kept.half = uint32_t(word >> 32);
    return uint32_t(word);
  }
  double nextDouble() { return toDouble(static_cast<Self *>(this)->next64()); }
  float nextFloat() { return toFloat(next32()); }
  uint64_t nextRaw() { return static_cast<Self *>(this)->next64(); }

protected:
  KeptHalf kept;
};

/// The multiplier and the factor of the increment of several steps of a linear congruential generator at once.
struct LcgJump {
  uint128 multiplier = 1, sum = 0;

  constexpr LcgJump(uint128 step, uint64_t steps) {
    for (uint128 square = step, squareSum = 1; steps; steps >>= 1) {
      if (steps & 1) {
        sum = sum * square + squareSum;
        multiplier *= square;
      }
      squareSum *= square + 1;
      square *= square;
    }
  }
  uint128 operator()(uint128 state, uint128 increment) const { return multiplier * state + sum * increment; }
};

/// PCG XSL RR 128/64: a word comes of the state after a step.
struct XslRr {
  static constexpr uint128 multiplier = wide(2549297995355413924u, 4865540595714422341u);

  static uint64_t next(uint128 &state, uint128 increment) {
    state = state * multiplier + increment;
    return std::rotr(uint64_t(state >> 64) ^ uint64_t(state), int(state >> 122));
  }
};

/// PCG CM DXSM 128/64: a word comes of the state before a step.
struct Dxsm {
  static constexpr uint64_t multiplier = 0xda942042e4dd58b5u;

  static uint64_t next(uint128 &state, uint128 increment) {
    uint64_t high = state >> 64;
    const uint64_t low = uint64_t(state) | 1;
    high ^= high >> 32;
    high *= multiplier;
    high ^= high >> 48;
    state = state * multiplier + increment;
    return high * low;
  }
};

template <typename Step> class Pcg : public WordGenerator<Pcg<Step>> {
public:
  explicit Pcg(uint64_t *words)
      : WordGenerator<Pcg>(words[5]), words(words), state(wide(words[2], words[1])),
        increment(wide(words[4], words[3])) {}
  void store() const { store(words); }
  /// The whole state, to anywhere.
  void store(uint64_t *to) const {
    to[0] = words[0];
    to[1] = uint64_t(state);
    to[2] = uint64_t(state >> 64);
    to[3] = uint64_t(increment);
    to[4] = uint64_t(increment >> 64);
    to[5] = this->kept.word();
  }

  uint64_t next64() { return Step::next(state, increment); }

private:
  uint64_t *words;
  uint128 state, increment;
};

using Pcg64 = Pcg<XslRr>;
using Pcg64Dxsm = Pcg<Dxsm>;

/// A counter of 256 bits.
struct PhiloxCounter {
  uint64_t words[4];

  void add(uint64_t count) {
    words[0] += count;
    for (int k = 1; k < 4 && words[k - 1] < count; ++k, count = 1)
      ++words[k];
  }
};

/// The four words that belong to a counter.
inline void philoxBlock(const PhiloxCounter &counter, const uint64_t *key, uint64_t *out) {
  uint64_t a = counter.words[0], b = counter.words[1], c = counter.words[2], d = counter.words[3];
  uint64_t key0 = key[0], key1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const uint128 first = uint128(0xD2E7470EE14C6C93u) * a, second = uint128(0xCA5A826395121157u) * c;
    a = uint64_t(second >> 64) ^ b ^ key0;
    b = uint64_t(second);
    c = uint64_t(first >> 64) ^ d ^ key1;
    d = uint64_t(first);
    key0 += 0x9E3779B97F4A7C15u;
    key1 += 0xBB67AE8584CAA73Bu;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

class Philox : public WordGenerator<Philox> {
public:
  explicit Philox(uint64_t *words) : WordGenerator(words[12]), words(words), taken(words[11]) {}
  void store() const {
    words[11] = taken;
    words[12] = kept.word();
  }

  uint64_t next64() {
    if (taken < 4)
      return words[7 + taken++];
    PhiloxCounter counter;
    std::memcpy(&counter, words + 1, sizeof counter);
    counter.add(1);
    std::memcpy(words + 1, &counter, sizeof counter);
    philoxBlock(counter, words + 5, words + 7);
    taken = 1;
    return words[7];
  }

private:
  uint64_t *words, taken;
};

class Sfc64 : public WordGenerator<Sfc64> {
public:
  explicit Sfc64(uint64_t *words)
      : WordGenerator(words[5]), words(words), a(words[1]), b(words[2]), c(words[3]), counter(words[4]) {}
  void store() const { store(words); }
  /// The whole state, to anywhere.
  void store(uint64_t *to) const {
    to[0] = words[0];
    to[1] = a;
    to[2] = b;
    to[3] = c;
    to[4] = counter;
    to[5] = kept.word();
  }

  uint64_t next64() {
    const uint64_t found = a + b + counter++;
    a = b ^ (b >> 11);
    b = c + (c << 3);
    c = std::rotl(c, 24) + found;
    return found;
  }

private:
  uint64_t *words, a, b, c, counter;
};

class Mt19937 {
public:
  static constexpr int size = 624, middle = 397;

  explicit Mt19937(uint64_t *words) : words(words), keys(reinterpret_cast<Key *>(words + 1)), taken(int(words[313])) {}
  void store() const { words[313] = uint64_t(taken); }

  uint32_t next32() {
    if (taken == size)
      renew();
    uint32_t y = keys[taken++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  uint64_t next64() {
    const uint64_t high = next32();
    return high << 32 | next32();
  }
  double nextDouble() {
    const int32_t high = int32_t(next32() >> 5), low = int32_t(next32() >> 6);
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  float nextFloat() { return toFloat(next32()); }
  uint64_t nextRaw() { return next32(); }

private:
  /// Two in a word of the state.
  using Key [[gnu::may_alias]] = uint32_t;

  void renew() {
    const auto turn = [all = keys](int k, int next, int from) {
      const uint32_t y = (all[k] & 0x80000000u) | (all[next] & 0x7fffffffu);
      all[k] = all[from] ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
    };
    for (int k = 0; k < size - middle; ++k)
      turn(k, k + 1, k + middle);
    for (int k = size - middle; k < size - 1; ++k)
      turn(k, k + 1, k + middle - size);
    turn(size - 1, 0, middle - 1);
    taken = 0;
  }

  uint64_t *words;
  Key *keys;
  int taken;
};

/// Calls `body` with the generator over a state's words; these are as it leaves them afterwards.
template <typename Body> auto withGenerator(uint64_t *words, Body body) {
  const auto run = [&](auto generator) {
    const auto result = body(generator);
    generator.store();
    return result;
  };
  switch (StreamKind(words[0])) {
  case StreamKind::pcg64:
    return run(Pcg64(words));
  case StreamKind::pcg64dxsm:
    return run(Pcg64Dxsm(words));
  case StreamKind::philox:
    return run(Philox(words));
  case StreamKind::sfc64:
    return run(Sfc64(words));
  default:
    return run(Mt19937(words));
  }
}

/// What NumPy's functions draw from where they are to draw from a generator.
template <typename Generator> BitGenerator over(Generator &generator) {
  return {&generator, [](void *self) { return static_cast<Generator *>(self)->next64(); },
          [](void *self) { return static_cast<Generator *>(self)->next32(); },
          [](void *self) { return static_cast<Generator *>(self)->nextDouble(); },
          [](void *self) { return static_cast<Generator *>(self)->nextRaw(); }};
}

} // namespace quernel::runtime

#endif
