#include "runtime/StreamPositions.h"

using namespace quernel::runtime;

namespace {

/// So many draws each of two parts of a stream are computed side by side, so that no step waits for the one before; a
/// third one would wait for the multiplier.
constexpr int64_t laneLength = 128;

template <typename Step> void fillPcg(uint128 &state, uint128 increment, uint64_t *out, int64_t count) {
  static constexpr LcgJump jump(Step::multiplier, laneLength);
  for (; count >= 2 * laneLength; count -= 2 * laneLength, out += 2 * laneLength) {
    uint128 first = state, second = jump(state, increment);
    for (int64_t k = 0; k < laneLength; ++k) {
      out[k] = Step::next(first, increment);
      out[k + laneLength] = Step::next(second, increment);
    }
    state = second;
  }
  for (int64_t k = 0; k < count; ++k)
    out[k] = Step::next(state, increment);
}

/// What `toDouble` gives for each word, by steps that vectors have: the upper 52 bits are the fraction of a number from
/// 1 to 2, and the last one is added. Neither step rounds.
[[gnu::always_inline]] inline void convert(const uint64_t *words, double *out, int64_t count) {
  constexpr uint64_t one = std::bit_cast<uint64_t>(1.0), last = std::bit_cast<uint64_t>(0x1p-53);
  for (int64_t k = 0; k < count; ++k) {
    const double upper = std::bit_cast<double>(words[k] >> 12 | one) - 1.0;
    out[k] = upper + std::bit_cast<double>((0 - (words[k] >> 11 & 1)) & last);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void convertByAvx2(const uint64_t *words, double *out, int64_t count) {
  convert(words, out, count);
}
#endif

void toDoubles(const uint64_t *words, double *out, int64_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return convertByAvx2(words, out, count);
#endif
  convert(words, out, count);
}

uint128 jumped(StreamKind kind, uint128 state, uint128 increment, int64_t count) {
  const uint128 step = kind == StreamKind::pcg64 ? XslRr::multiplier : uint128(Dxsm::multiplier);
  return LcgJump(step, uint64_t(count))(state, increment);
}

/// How many of the words computed last a state of Philox still has.
int64_t leftOf(const uint64_t *state) { return 4 - int64_t(state[11]); }

} // namespace

bool quernel::runtime::hasPositions(const uint64_t *state) { return state[0] <= uint64_t(StreamKind::philox); }

RawWords::RawWords(const uint64_t *words, int64_t first) : kind(StreamKind(words[0])) {
  if (kind != StreamKind::philox) {
    increment = wide(words[4], words[3]);
    state = jumped(kind, wide(words[2], words[1]), increment, first);
    return;
  }
  std::memcpy(&counter, words + 1, sizeof counter);
  std::memcpy(key, words + 5, sizeof key);
  const int64_t left = leftOf(words);
  if (first < left) {
    std::memcpy(block, words + 7, sizeof block);
    taken = 4 - left + first;
    return;
  }
  counter.add((first - left) / 4);
  if (const int64_t within = (first - left) % 4) {
    counter.add(1);
    philoxBlock(counter, key, block);
    taken = within;
  }
}

void RawWords::next(uint64_t *out, int64_t count) {
  if (kind == StreamKind::pcg64)
    return fillPcg<XslRr>(state, increment, out, count);
  if (kind == StreamKind::pcg64dxsm)
    return fillPcg<Dxsm>(state, increment, out, count);
  for (; taken < 4 && count; --count)
    *out++ = block[taken++];
  for (; count;) {
    counter.add(1);
    philoxBlock(counter, key, block);
    const int64_t here = std::min<int64_t>(count, 4);
    std::copy(block, block + here, out);
    out += here;
    count -= here;
    taken = here;
  }
}

void RawWords::next(double *out, int64_t count) {
  uint64_t words[4 * laneLength];
  for (int64_t here; count; out += here, count -= here) {
    here = std::min<int64_t>(count, std::size(words));
    next(words, here);
    toDoubles(words, out, here);
  }
}

void quernel::runtime::fillUniform(const uint64_t *state, int64_t first, int64_t count, double *out) {
  RawWords(state, first).next(out, count);
}

void quernel::runtime::advance(uint64_t *state, int64_t count) {
  const auto kind = StreamKind(state[0]);
  if (kind != StreamKind::philox) {
    const uint128 found = jumped(kind, wide(state[2], state[1]), wide(state[4], state[3]), count);
    state[1] = uint64_t(found);
    state[2] = uint64_t(found >> 64);
    return;
  }
  const int64_t left = leftOf(state);
  if (count <= left) {
    state[11] += uint64_t(count);
    return;
  }
  const int64_t blocks = (count - left + 3) / 4;
  PhiloxCounter counter;
  std::memcpy(&counter, state + 1, sizeof counter);
  counter.add(uint64_t(blocks));
  std::memcpy(state + 1, &counter, sizeof counter);
  philoxBlock(counter, state + 5, state + 7);
  state[11] = uint64_t(count - left - 4 * (blocks - 1));
}

void quernel::runtime::advanceHalves(uint64_t *state, int64_t count) {
  uint64_t &word = state[streamWords(StreamKind(state[0])) - 1];
  KeptHalf kept(word);
  const int64_t fresh = count - kept.isThere;
  if (count > 0)
    kept.isThere = fresh % 2;
  if (fresh > 0) {
    const int64_t words = (fresh + 1) / 2;
    uint64_t last;
    RawWords(state, words - 1).next(&last, 1);
    advance(state, words);
    kept.half = uint32_t(last >> 32);
  }
  word = kept.word();
}
