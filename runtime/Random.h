// Random streams: the draws of NumPy's generators, bit for bit, from states that programs hand on as arrays.
#ifndef QUERNEL_RUNTIME_RANDOM_H
#define QUERNEL_RUNTIME_RANDOM_H

#include "runtime/abi.h"

namespace quernel::runtime {

/// The first word of a state: what the others are. Behind the state of each generator but Mersenne's stands what it has
/// left of a word of which somebody took 32 bits: those bits, and above them 1 as long as nobody has had them.
enum class StreamKind : uint64_t {
  pcg64,     ///< state and increment, each with its low half first
  pcg64dxsm, ///< the same
  philox,    ///< four words of the counter, two of the key, the four last computed, how many of those are taken
  sfc64,     ///< four words
  mt19937,   ///< 624 numbers of 32 bits, two in a word, and how many of them are taken
  legacy,    ///< a RandomState's: the same, then 1 where a normal number is left of a pair, and that number
};
inline constexpr int streamKinds = 6;

/// How many words a state of a kind has.
constexpr int64_t streamWords(StreamKind kind) {
  constexpr int64_t words[] = {6, 6, 13, 6, 314, 316};
  return words[int64_t(kind)];
}
inline constexpr int64_t mostStreamWords = 316;

/// What functions of NumPy's draw from, its `bitgen_t`.
struct BitGenerator {
  void *state;
  uint64_t (*next64)(void *state);
  uint32_t (*next32)(void *state);
  double (*nextDouble)(void *state);
  uint64_t (*nextRaw)(void *state);
};

/// A function of NumPy's that draws a number, of the type that Distributions.def says.
using Distribution = void (*)();

/// Memory in which NumPy's binomial distributions keep what they have computed of their last parameters.
struct BinomialMemory {
  alignas(8) char bytes[256] = {};
};
/// What is lent for QN_BINOMIAL, and for QN_LEGACY_BINOMIAL the part of it for many draws of a small probability.
using Binomial = int64_t (*)(BitGenerator *, double p, int64_t n, void *memory);
using ManyBinomial = int64_t (*)(BitGenerator *, int64_t n, double p, void *memory);

/// Has a routine draw by a function from now on. For the beginning of a process: nobody may draw meanwhile.
void lendDistribution(int32_t routine, Distribution function);
/// The function; null where nobody has lent one.
Distribution lentDistribution(int32_t routine);

/// The function of `qn_context`.
int32_t drawOne(const qn_context *context, int32_t routine, int64_t words, const uint64_t *before, uint64_t *after,
                double *number);

/// Whether a state can be moved by any number of draws at once: that of PCG64, PCG64DXSM and Philox.
bool hasPositions(const uint64_t *state);

/// The numbers from 0 to 1 that a state with positions gives behind its first `first` draws, without a change of it.
void fillUniform(const uint64_t *state, int64_t first, int64_t count, double *out);
/// Moves a state with positions by so many draws of 64 bits. It keeps what it has left of a word.
void advance(uint64_t *state, int64_t count);

} // namespace quernel::runtime

#endif
