// What the lanes of a warp do together.

namespace emulator {

template <typename T> inline unsigned long long bits(T value) {
  unsigned long long result = 0;
  __builtin_memcpy(&result, &value, sizeof(T));
  return result;
}
template <typename T> inline T value(unsigned long long bits) {
  T result;
  __builtin_memcpy(&result, &bits, sizeof(T));
  return result;
}

template <typename T> inline T shuffle(unsigned mask, T var, unsigned source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle exchanges 4 or 8 bytes");
  return value<T>(exchange(Shuffle, mask, bits(var), source));
}

inline unsigned segment(int width) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    stop("shuffles with a width that is no power of two up to 32");
  return lane() & ~(unsigned)(width - 1);
}

} // namespace emulator

template <typename T> inline T __shfl_sync(unsigned mask, T var, int source, int width = 32) {
  return emulator::shuffle(mask, var, emulator::segment(width) + (source & (width - 1)));
}
template <typename T> inline T __shfl_up_sync(unsigned mask, T var, unsigned delta, int width = 32) {
  unsigned lane = emulator::lane(), first = emulator::segment(width);
  return emulator::shuffle(mask, var, lane - first >= delta ? lane - delta : lane);
}
template <typename T> inline T __shfl_down_sync(unsigned mask, T var, unsigned delta, int width = 32) {
  unsigned lane = emulator::lane(), first = emulator::segment(width);
  return emulator::shuffle(mask, var, delta < width - (lane - first) ? lane + delta : lane);
}
template <typename T> inline T __shfl_xor_sync(unsigned mask, T var, int lanes, int width = 32) {
  unsigned lane = emulator::lane(), end = emulator::segment(width) + width, source = lane ^ (unsigned)lanes;
  return emulator::shuffle(mask, var, source < end ? source : lane);
}

inline void __syncwarp(unsigned mask = 0xffffffff) { emulator::exchange(emulator::SyncWarp, mask, 0, 0); }
inline unsigned __activemask() { return emulator::activeLanes(); }
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)emulator::exchange(emulator::Ballot, mask, predicate != 0, 0);
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }
template <typename T> inline unsigned __match_any_sync(unsigned mask, T value) {
  return (unsigned)emulator::exchange(emulator::MatchAny, mask, emulator::bits(value), 0);
}

#define EMULATOR_REDUCE(NAME, TYPE, EXCHANGE)                                                                          \
  inline TYPE NAME(unsigned mask, TYPE value) {                                                                        \
    return (TYPE)emulator::exchange(emulator::EXCHANGE, mask, (unsigned long long)value, 0);                           \
  }
EMULATOR_REDUCE(__reduce_add_sync, int, ReduceAdd)
EMULATOR_REDUCE(__reduce_add_sync, unsigned, ReduceAdd)
EMULATOR_REDUCE(__reduce_min_sync, int, ReduceMin)
EMULATOR_REDUCE(__reduce_min_sync, unsigned, ReduceMinUnsigned)
EMULATOR_REDUCE(__reduce_max_sync, int, ReduceMax)
EMULATOR_REDUCE(__reduce_max_sync, unsigned, ReduceMaxUnsigned)
EMULATOR_REDUCE(__reduce_and_sync, unsigned, ReduceAnd)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, ReduceOr)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, ReduceXor)
