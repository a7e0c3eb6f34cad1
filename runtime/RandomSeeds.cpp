// States that begin with a seed, an integer, as NumPy's generators do.
#include "runtime/BitGenerators.h"
#include "runtime/RandomDraws.h"
#include <array>

using namespace quernel::runtime;

namespace {

/// NumPy's SeedSequence of one integer: a pool of four numbers of 32 bits, and words that come of it.
class SeedSequence {
public:
  explicit SeedSequence(uint64_t entropy) {
    pool = {mixed(uint32_t(entropy)), mixed(uint32_t(entropy >> 32)), mixed(0), mixed(0)};
    for (size_t source = 0; source < pool.size(); ++source)
      for (size_t target = 0; target < pool.size(); ++target)
        if (source != target)
          pool[target] = joined(pool[target], mixed(pool[source]));
  }

  std::array<uint64_t, 4> words() const {
    std::array<uint64_t, 4> result = {};
    uint32_t factor = 0x8b51f9dd;
    for (size_t k = 0; k < 2 * result.size(); ++k) {
      uint32_t number = pool[k % pool.size()] ^ factor;
      factor *= 0x58f38ded;
      number *= factor;
      result[k / 2] |= uint64_t(number ^ number >> 16) << (32 * (k % 2));
    }
    return result;
  }

private:
  uint32_t mixed(uint32_t number) {
    number ^= factor;
    factor *= 0x931e8875;
    number *= factor;
    return number ^ number >> 16;
  }

  static uint32_t joined(uint32_t x, uint32_t y) {
    const uint32_t number = 0xca01f9dd * x - 0x4973f715 * y;
    return number ^ number >> 16;
  }

  uint32_t factor = 0x43b0d7e5;
  std::array<uint32_t, 4> pool;
};

void seedPcg64(uint64_t seed, uint64_t *words) {
  const std::array<uint64_t, 4> from = SeedSequence(seed).words();
  const uint128 increment = wide(from[2], from[3]) << 1 | 1;
  uint128 state = increment + wide(from[0], from[1]);
  state = state * XslRr::multiplier + increment;
  const uint64_t made[] = {uint64_t(StreamKind::pcg64), uint64_t(state),           uint64_t(state >> 64),
                           uint64_t(increment),         uint64_t(increment >> 64), 0};
  std::copy(std::begin(made), std::end(made), words);
}

void seedLegacy(uint32_t seed, uint64_t *words) {
  words[0] = uint64_t(StreamKind::legacy);
  std::array<uint32_t, 624> numbers;
  for (size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = seed;
    seed = 1812433253u * (seed ^ seed >> 30) + uint32_t(k) + 1;
  }
  for (size_t k = 0; k < numbers.size() / 2; ++k)
    words[1 + k] = uint64_t(numbers[2 * k + 1]) << 32 | numbers[2 * k];
  words[313] = numbers.size();
  words[314] = words[315] = 0;
}

} // namespace

int32_t quernel::runtime::callSeeding(const RoutineCall &call) {
  const bool isLegacy = call.routine == QN_LEGACY_SEED;
  uint64_t words[mostStreamWords];
  for (int64_t problem = 0; problem < call.sizes[0]; ++problem) {
    const int64_t seed = static_cast<const int64_t *>(call.operands[0])[problem * call.strides[0]];
    isLegacy ? seedLegacy(uint32_t(seed), words) : seedPcg64(uint64_t(seed), words);
    const int64_t count = streamWords(StreamKind(words[0]));
    auto *out = static_cast<uint64_t *>(call.operands[1]) + problem * call.strides[3];
    for (int64_t k = 0; k < count; ++k)
      out[k * call.strides[4]] = words[k];
  }
  return QN_OK;
}
