// The words that a generator gives from any place of its stream on, many at once; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_STREAM_POSITIONS_H
#define QUERNEL_RUNTIME_STREAM_POSITIONS_H

#include "runtime/BitGenerators.h"
#include <algorithm>
#include <array>

namespace quernel::runtime {

/// Moves a state with positions by so many draws of 32 bits.
void advanceHalves(uint64_t *state, int64_t count);

/// The words of 64 bits of a state with positions from one of them on. What it has left of a word counts for nothing.
class RawWords {
public:
  RawWords(const uint64_t *state, int64_t first);

  /// The next words, or the numbers from 0 to 1 that they are.
  void next(uint64_t *out, int64_t count);
  void next(double *out, int64_t count);

private:
  StreamKind kind;
  uint128 state = 0, increment = 0;
  PhiloxCounter counter;
  uint64_t key[2], block[4];
  int64_t taken = 4; ///< of the block
};

/// Draws of one width, from one of them on: what NumPy's functions and the runtime's own draw from, and where they are.
/// `Word` is uint64_t or uint32_t. Of 32 bits the first is what the state has left of a word, if anything.
template <typename Word> class Stream {
  static constexpr bool isHalf = sizeof(Word) == 4;
  static constexpr int64_t wordsOfBlock = 512;

public:
  static constexpr int64_t blockLength = wordsOfBlock * 8 / sizeof(Word);

  Stream(const uint64_t *state, int64_t first) : raw(state, rawBefore(state, first)), base(first) {
    if constexpr (isHalf) {
      const KeptHalf kept(state[streamWords(StreamKind(state[0])) - 1]);
      const int64_t fresh = first - kept.isThere;
      if (fresh < 0) {
        block[0] = kept.half;
        size = 1;
      } else if (fresh % 2) {
        refill();
        base = first - 1;
        at = 1;
      }
    }
  }

  /// How many draws of the stream come before the next one.
  int64_t position() const { return base + at; }

  /// The draws that are there already, which aren't none; `take` says how many of them are used.
  const Word *ready(int64_t &count) {
    if (at == size)
      refill();
    count = size - at;
    return block.data() + at;
  }
  void take(int64_t count) { at += count; }

  Word next() {
    if (at == size) [[unlikely]]
      refill();
    return block[at++];
  }
  uint64_t next64()
    requires(!isHalf)
  {
    return next();
  }
  uint32_t next32()
    requires isHalf
  {
    return next();
  }
  double nextDouble()
    requires(!isHalf)
  {
    return toDouble(next());
  }
  float nextFloat()
    requires isHalf
  {
    return toFloat(next());
  }

private:
  /// The number of the word of 64 bits with which a stream begins, or of the one behind what is left of a word.
  static int64_t rawBefore(const uint64_t *state, int64_t first) {
    if constexpr (!isHalf)
      return first;
    const KeptHalf kept(state[streamWords(StreamKind(state[0])) - 1]);
    return std::max<int64_t>(first - kept.isThere, 0) / 2;
  }

  void refill() {
    base += size;
    at = 0;
    size = blockLength;
    if constexpr (isHalf) {
      std::array<uint64_t, wordsOfBlock> words;
      raw.next(words.data(), wordsOfBlock);
      std::memcpy(block.data(), words.data(), sizeof words); // the low half of a word comes first
    } else {
      raw.next(block.data(), wordsOfBlock);
    }
  }

  RawWords raw;
  int64_t base, at = 0, size = 0;
  std::array<Word, blockLength> block;
};
static_assert(std::endian::native == std::endian::little);

/// What NumPy's functions draw from where they are to draw from a stream. They must ask for its width alone.
inline BitGenerator over(Stream<uint64_t> &stream) {
  const auto next = [](void *self) { return static_cast<Stream<uint64_t> *>(self)->next64(); };
  return {&stream, next, [](void *) -> uint32_t { __builtin_trap(); },
          [](void *self) { return static_cast<Stream<uint64_t> *>(self)->nextDouble(); }, next};
}
inline BitGenerator over(Stream<uint32_t> &stream) {
  const auto none = [](void *) -> uint64_t { __builtin_trap(); };
  return {&stream, none, [](void *self) { return static_cast<Stream<uint32_t> *>(self)->next32(); },
          [](void *) -> double { __builtin_trap(); }, none};
}

/// The numbers from 0 to 1 that draws of a width are, from one of them on.
template <typename Word> class Uniform;

template <> class Uniform<uint64_t> {
public:
  Uniform(const uint64_t *state, int64_t first) : raw(state, first) {}
  void next(double *out, int64_t count) { raw.next(out, count); }

private:
  RawWords raw;
};

template <> class Uniform<uint32_t> {
public:
  Uniform(const uint64_t *state, int64_t first) : stream(state, first) {}
  void next(float *out, int64_t count) {
    for (int64_t here; count; out += here, count -= here) {
      const uint32_t *halves = stream.ready(here);
      here = std::min(here, count);
      for (int64_t k = 0; k < here; ++k)
        out[k] = toFloat(halves[k]);
      stream.take(here);
    }
  }

private:
  Stream<uint32_t> stream;
};

/// Moves a state by so many draws of a width.
template <typename Word> void advanceBy(uint64_t *state, int64_t count) {
  sizeof(Word) == 4 ? advanceHalves(state, count) : advance(state, count);
}

} // namespace quernel::runtime

#endif
