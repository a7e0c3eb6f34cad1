#if defined(__clang__)
// Unrolling a remainder costs compile time, unrolling blocks scatters the order in which memory is read.
#define ROLLED _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define ROLLED
#endif
