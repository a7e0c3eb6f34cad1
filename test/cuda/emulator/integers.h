// Functions of integers, and of the bits of floats.

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long result = 0;
  for (int i = 0; i < 64; ++i)
    result |= (x >> i & 1) << (63 - i);
  return result;
}
inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline long long llabs(long long x) { return x < 0 ? -x : x; }

#define EMULATOR_MIN_MAX(TYPE)                                                                                         \
  inline TYPE min(TYPE a, TYPE b) { return b < a ? b : a; }                                                            \
  inline TYPE max(TYPE a, TYPE b) { return a < b ? b : a; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
inline float min(float a, float b) { return __builtin_fminf(a, b); }
inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }

inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

namespace emulator {

/// A float that is whole already; what is out of range becomes the nearest, and NaN becomes 0 or the sign bit alone.
template <typename I, typename F> inline I saturated(F x) {
  constexpr bool isSigned = (I)-1 < (I)0;
  constexpr I least = isSigned ? (I)1 << (8 * sizeof(I) - 1) : 0, greatest = ~least;
  if (x != x)
    return sizeof(I) == 8 ? (I)1 << 63 : 0;
  if (x <= (F)least)
    return least;
  return x >= (F)greatest ? greatest : (I)x;
}

} // namespace emulator

#define EMULATOR_ROUND(FROM, F, TO, I)                                                                                 \
  inline I __##FROM##2##TO##_rz(F x) { return emulator::saturated<I>(__builtin_trunc(x)); }                            \
  inline I __##FROM##2##TO##_rn(F x) { return emulator::saturated<I>(__builtin_rint(x)); }                             \
  inline I __##FROM##2##TO##_rd(F x) { return emulator::saturated<I>(__builtin_floor(x)); }                            \
  inline I __##FROM##2##TO##_ru(F x) { return emulator::saturated<I>(__builtin_ceil(x)); }
#define EMULATOR_ROUNDS(TO, I) EMULATOR_ROUND(float, float, TO, I) EMULATOR_ROUND(double, double, TO, I)
EMULATOR_ROUNDS(int, int)
EMULATOR_ROUNDS(uint, unsigned)
EMULATOR_ROUNDS(ll, long long)
EMULATOR_ROUNDS(ull, unsigned long long)
inline double __ll2double_rn(long long x) { return (double)x; }
inline double __ull2double_rn(unsigned long long x) { return (double)x; }
inline double __int2double_rn(int x) { return x; }
inline float __int2float_rn(int x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }
