// The mathematical functions of CUDA, by the host's library; those that it hasn't by others. Both may be less accurate
// than a device's, or more.

namespace emulator {

template <bool condition, typename T> struct Where {};
template <typename T> struct Where<true, T> {
  typedef T type;
};
template <typename T> constexpr bool isInteger = (T)1 / 2 == 0;
template <typename A, typename B> constexpr bool isSame = false;
template <typename A> constexpr bool isSame<A, A> = true;
template <typename A, typename B> using Mixed = typename Where<!isSame<A, B> || isInteger<A>, double>::type;

} // namespace emulator

#define EMULATOR_MATH(NAME)                                                                                            \
  extern "C" double NAME(double) noexcept;                                                                             \
  extern "C" float NAME##f(float) noexcept;                                                                            \
  inline float NAME(float x) { return NAME##f(x); }                                                                    \
  template <typename I> inline typename emulator::Where<emulator::isInteger<I>, double>::type NAME(I x) {              \
    return NAME((double)x);                                                                                            \
  }
EMULATOR_MATH(acos)
EMULATOR_MATH(acosh)
EMULATOR_MATH(asin)
EMULATOR_MATH(asinh)
EMULATOR_MATH(atan)
EMULATOR_MATH(atanh)
EMULATOR_MATH(cbrt)
EMULATOR_MATH(ceil)
EMULATOR_MATH(cos)
EMULATOR_MATH(cosh)
EMULATOR_MATH(erf)
EMULATOR_MATH(erfc)
EMULATOR_MATH(exp)
EMULATOR_MATH(exp10)
EMULATOR_MATH(exp2)
EMULATOR_MATH(expm1)
EMULATOR_MATH(fabs)
EMULATOR_MATH(floor)
EMULATOR_MATH(j0)
EMULATOR_MATH(j1)
EMULATOR_MATH(lgamma)
EMULATOR_MATH(log)
EMULATOR_MATH(log10)
EMULATOR_MATH(log1p)
EMULATOR_MATH(log2)
EMULATOR_MATH(logb)
EMULATOR_MATH(nearbyint)
EMULATOR_MATH(rint)
EMULATOR_MATH(round)
EMULATOR_MATH(sin)
EMULATOR_MATH(sinh)
EMULATOR_MATH(sqrt)
EMULATOR_MATH(tan)
EMULATOR_MATH(tanh)
EMULATOR_MATH(tgamma)
EMULATOR_MATH(trunc)
EMULATOR_MATH(y0)
EMULATOR_MATH(y1)

#define EMULATOR_MATH_TWO(NAME)                                                                                        \
  extern "C" double NAME(double, double) noexcept;                                                                     \
  extern "C" float NAME##f(float, float) noexcept;                                                                     \
  inline float NAME(float x, float y) { return NAME##f(x, y); }                                                        \
  template <typename A, typename B> inline emulator::Mixed<A, B> NAME(A x, B y) { return NAME((double)x, (double)y); }
EMULATOR_MATH_TWO(atan2)
EMULATOR_MATH_TWO(copysign)
EMULATOR_MATH_TWO(fdim)
EMULATOR_MATH_TWO(fmax)
EMULATOR_MATH_TWO(fmin)
EMULATOR_MATH_TWO(fmod)
EMULATOR_MATH_TWO(hypot)
EMULATOR_MATH_TWO(nextafter)
EMULATOR_MATH_TWO(pow)
EMULATOR_MATH_TWO(remainder)

#define EMULATOR_MATH_TO(NAME, RESULT)                                                                                 \
  extern "C" RESULT NAME(double) noexcept;                                                                             \
  extern "C" RESULT NAME##f(float) noexcept;                                                                           \
  inline RESULT NAME(float x) { return NAME##f(x); }
EMULATOR_MATH_TO(ilogb, int)
EMULATOR_MATH_TO(llrint, long long)
EMULATOR_MATH_TO(llround, long long)
EMULATOR_MATH_TO(lrint, long)
EMULATOR_MATH_TO(lround, long)

extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float x, int n) { return ldexpf(x, n); }
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
inline float scalbn(float x, int n) { return scalbnf(x, n); }

#define EMULATOR_MATH_TEST(NAME)                                                                                       \
  inline bool NAME(double x) { return __builtin_##NAME(x); }                                                           \
  inline bool NAME(float x) { return __builtin_##NAME(x); }
EMULATOR_MATH_TEST(isfinite)
EMULATOR_MATH_TEST(isinf)
EMULATOR_MATH_TEST(isnan)
EMULATOR_MATH_TEST(signbit)

// The results lie in the kernel's memory, where the host's library would write unchecked.
#define EMULATOR_MATH_PARTS(F, SUFFIX)                                                                                 \
  inline void sincos(F x, F *s, F *c) { *s = sin##SUFFIX(x), *c = cos##SUFFIX(x); }                                    \
  inline F frexp(F x, int *exponent) {                                                                                 \
    int e;                                                                                                             \
    F result = __builtin_frexp##SUFFIX(x, &e);                                                                         \
    *exponent = e;                                                                                                     \
    return result;                                                                                                     \
  }                                                                                                                    \
  inline F modf(F x, F *whole) {                                                                                       \
    F w, result = __builtin_modf##SUFFIX(x, &w);                                                                       \
    *whole = w;                                                                                                        \
    return result;                                                                                                     \
  }
EMULATOR_MATH_PARTS(double, )
EMULATOR_MATH_PARTS(float, f)
inline void sincosf(float x, float *s, float *c) { sincos(x, s, c); }
inline float frexpf(float x, int *exponent) { return frexp(x, exponent); }
inline float modff(float x, float *whole) { return modf(x, whole); }

namespace emulator {

constexpr double pi = 3.14159265358979323846;

inline double sinpi(double x) {
  double r = fmod(x, 2.0);
  if (__builtin_fabs(r) >= 1.5)
    r -= copysign(2.0, r);
  else if (__builtin_fabs(r) > 0.5)
    r = copysign(1.0, r) - r;
  return r == 0 ? copysign(0.0, x) : sin(pi * r);
}
inline double cospi(double x) {
  double r = fmod(fabs(x), 2.0);
  if (r > 1)
    r = 2 - r;
  return r <= 0.25 ? cos(pi * r) : sinpi(0.5 - r);
}

/// By Newton's method from a rough value.
inline double erfinv(double y) {
  if (!(y > -1 && y < 1))
    return y == 1 || y == -1 ? y * __builtin_inf() : __builtin_nan("");
  double w = log((1 - y) * (1 + y)), t = 2 / (pi * 0.147) + w / 2;
  double x = copysign(sqrt(sqrt(t * t - w / 0.147) - t), y);
  for (int i = 0; i < 4; ++i) {
    double error = (y > 0.5 ? 1 - y - erfc(x) : y < -0.5 ? erfc(-x) - (1 + y) : erf(x) - y);
    x -= (y > 0.5 ? -(erfc(x) - (1 - y)) : error) / (2 / sqrt(pi) * exp(-x * x));
  }
  return y == 0 ? y : x;
}

} // namespace emulator

#define EMULATOR_MATH_OWN(NAME, VALUE)                                                                                 \
  inline double NAME(double x) { return VALUE; }                                                                       \
  inline float NAME(float given) {                                                                                     \
    double x = given;                                                                                                  \
    return (float)(VALUE);                                                                                             \
  }                                                                                                                    \
  inline float NAME##f(float x) { return NAME(x); }
EMULATOR_MATH_OWN(rsqrt, 1 / sqrt(x))
EMULATOR_MATH_OWN(rcbrt, 1 / cbrt(x))
EMULATOR_MATH_OWN(sinpi, emulator::sinpi(x))
EMULATOR_MATH_OWN(cospi, emulator::cospi(x))
EMULATOR_MATH_OWN(erfinv, emulator::erfinv(x))
EMULATOR_MATH_OWN(erfcinv, emulator::erfinv(1 - x))
EMULATOR_MATH_OWN(erfcx, exp(x *x) * erfc(x))
EMULATOR_MATH_OWN(normcdf, erfc(-x / sqrt(2.0)) / 2)
EMULATOR_MATH_OWN(normcdfinv, sqrt(2.0) * emulator::erfinv(2 * x - 1))
inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float *s, float *c) { *s = sinpi(x), *c = cospi(x); }

// Rounded to the nearest.
#define EMULATOR_ROUNDED(TYPE, F, D)                                                                                   \
  inline TYPE __##F##add_rn(TYPE x, TYPE y) { return x + y; }                                                          \
  inline TYPE __##F##sub_rn(TYPE x, TYPE y) { return x - y; }                                                          \
  inline TYPE __##F##mul_rn(TYPE x, TYPE y) { return x * y; }                                                          \
  inline TYPE __##F##div_rn(TYPE x, TYPE y) { return x / y; }                                                          \
  inline TYPE __##F##rcp_rn(TYPE x) { return 1 / x; }                                                                  \
  inline TYPE __##F##sqrt_rn(TYPE x) { return sqrt(x); }                                                               \
  inline TYPE __##D##_rn(TYPE x, TYPE y, TYPE z) { return fma(x, y, z); }
EMULATOR_ROUNDED(float, f, fmaf)
EMULATOR_ROUNDED(double, d, fma)

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __frsqrt_rn(float x) { return rsqrt(x); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
inline float saturate(float x) { return __saturatef(x); }
