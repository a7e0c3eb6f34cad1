// Integers between bounds, as NumPy draws them: https://arxiv.org/abs/1805.10941 for a Generator, and words cut to as
// many bits as the bounds need, until one is small enough, for a RandomState.
#include "runtime/RandomIntegers.h"
#include "runtime/RandomDraws.h"

using namespace quernel::runtime;

namespace {

/// Draws of 8 and 16 bits and of one come several from a word of 32; a call begins with a new one.
template <typename U> class Pieces {
  static constexpr int bits = std::is_same_v<U, bool> ? 1 : 8 * sizeof(U);

public:
  template <typename Generator> U next(Generator &generator) {
    if (left) {
      word >>= bits;
      --left;
    } else {
      word = generator.next32();
      left = 32 / bits - 1;
    }
    return std::is_same_v<U, bool> ? U(word & 1) : U(word);
  }

private:
  uint32_t word = 0;
  int left = 0;
};

/// One integer of a type from 0 to `most`.
template <typename U, bool isMasked> class Bounded {
public:
  template <typename Generator> U next(Generator &generator, U most) {
    if (most == 0)
      return 0;
    if constexpr (std::is_same_v<U, bool>)
      return pieces.next(generator);
    if constexpr (sizeof(U) == 8) {
      if (most > UINT32_MAX)
        return boundedBy<uint64_t, isMasked>(most, [&] { return generator.next64(); });
      return boundedBy<uint32_t, isMasked>(uint32_t(most), [&] { return generator.next32(); });
    } else if constexpr (sizeof(U) == 4) {
      return boundedBy<uint32_t, isMasked>(most, [&] { return generator.next32(); });
    } else {
      return boundedBy<U, isMasked>(most, [&] { return pieces.next(generator); });
    }
  }

private:
  Pieces<std::conditional_t<(sizeof(U) < 4), U, uint32_t>> pieces;
};

/// Integers from `first` to `first + most`, of words of which those that give less than `least` in a multiplication are
/// left out.
template <typename Word, typename U> class Range {
  static constexpr Word greatest = std::numeric_limits<Word>::max();
  static constexpr int64_t block = 64; // for all of which it is looked up once whether any is left out

public:
  Range(U first, Word most)
      : first(first), most(most), least(most == greatest ? 0 : Word(greatest - most) % Word(most + 1)) {}

  /// Draws as long as the stream is before `end`, at most `wanted`; how many they are.
  template <bool isMasked> int64_t draw(Stream<Word> &stream, int64_t end, int64_t wanted, U *out) const {
    const bool isInBlocks = !isMasked && most != greatest && least <= greatest / (16 * block);
    int64_t done = 0;
    while (done < wanted && stream.position() < end) {
      if (isInBlocks) {
        int64_t available;
        const Word *words = stream.ready(available);
        const int64_t some = take(words, std::min({available, wanted - done, end - stream.position()}), out + done);
        stream.take(some);
        done += some;
      }
      for (int64_t k = 0; k < block && done < wanted && stream.position() < end; ++k)
        out[done++] = U(first + boundedBy<Word, isMasked>(most, [&] { return stream.next(); }));
    }
    return done;
  }

private:
  /// The integers of the words before the first one that is left out, or of some of those; how many they are.
  [[gnu::always_inline]] int64_t takeBlocks(const Word *words, int64_t available, U *out) const {
    using Wide = std::conditional_t<sizeof(Word) == 8, uint128, uint64_t>;
    const Word count = most + 1;
    int64_t done = 0;
    for (Word isLeftOut = 0; done + block <= available; done += block) {
      for (int64_t k = 0; k < block; ++k) {
        const Wide product = Wide(words[done + k]) * count;
        isLeftOut |= Word(product) < least;
        out[done + k] = U(first + Word(product >> 8 * sizeof(Word)));
      }
      if (isLeftOut)
        break;
    }
    return done;
  }

#if defined(__x86_64__)
  [[gnu::target("avx2")]] int64_t takeByAvx2(const Word *words, int64_t available, U *out) const {
    return takeBlocks(words, available, out);
  }
#endif

  int64_t take(const Word *words, int64_t available, U *out) const {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      return takeByAvx2(words, available, out);
#endif
    return takeBlocks(words, available, out);
  }

  U first;
  Word most, least;
};

template <typename U, bool isMasked> int32_t drawBetween(const Draws &draws) {
  const auto low = [&](int64_t k) { return draws.at<U>(0, k); };
  const auto range = [&](int64_t k) { return U(draws.at<U>(1, k) - low(k)); };
  Bounded<U, isMasked> bounded;
  const auto one = [&](auto &generator, int64_t k) { return U(low(k) + bounded.next(generator, range(k))); };
  const auto alike = [&]<typename Word>(Word) {
    const Range<Word, U> whole(low(0), Word(range(0)));
    return drawAlike<Word, U>(draws, [=](Stream<Word> &stream, int64_t end, int64_t wanted, U *out) {
      return whole.template draw<isMasked>(stream, end, wanted, out);
    });
  };
  if (!draws.areMany())
    return drawInTurn<U>(draws, one);
  if constexpr (sizeof(U) < 4) {
    return drawFromBlocks<uint32_t, U>(draws, one);
  } else {
    if (!draws.areForAll() || range(0) == 0)
      return drawInTurn<U>(draws, one);
    if (range(0) <= UINT32_MAX)
      return alike(uint32_t());
    return alike(uint64_t());
  }
}

template <bool isMasked> int32_t drawOfType(const Draws &draws) {
  switch (draws.type) {
  case QN_BOOL:
    return drawBetween<bool, isMasked>(draws);
  case QN_I8:
  case QN_U8:
    return drawBetween<uint8_t, isMasked>(draws);
  case QN_I16:
  case QN_U16:
    return drawBetween<uint16_t, isMasked>(draws);
  case QN_I32:
  case QN_U32:
    return drawBetween<uint32_t, isMasked>(draws);
  case QN_I64:
  case QN_U64:
    return drawBetween<uint64_t, isMasked>(draws);
  default:
    return QN_NO_ROUTINE;
  }
}

} // namespace

int32_t quernel::runtime::drawIntegers(const Draws &draws) {
  return draws.routine == QN_INTEGERS ? drawOfType<false>(draws) : drawOfType<true>(draws);
}
