// Compares the printed exponentials, which stand above this text, with SLEEF's, and their flags with libm's.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

static uint64_t state = 1;

static uint64_t random64() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/// Any bits at all, and numbers whose results are finite.
template <typename V> static V arguments(int turn, double reach) {
  V x;
  for (unsigned lane = 0; lane < sizeof(V) / sizeof x[0]; ++lane) {
    uint64_t bits = random64();
    auto number = x[0];
    std::memcpy(&number, &bits, sizeof number);
    x[lane] = turn % 2 ? (decltype(number))((double(bits >> 11) * 0x1p-52 - 1) * reach) : number;
  }
  return x;
}

static int faults = 0;

/// Beyond the greatest result SLEEF gives infinity a little early.
template <typename V, typename Printed, typename Library>
static void compare(const char *name, double reach, Printed printed, Library library) {
  for (int turn = 0; turn < 1000000; ++turn) {
    V x = arguments<V>(turn, reach), got = printed(x), want = library(x);
    for (unsigned lane = 0; lane < sizeof(V) / sizeof x[0]; ++lane) {
      bool isSame = got[lane] == want[lane] || (got[lane] != got[lane] && want[lane] != want[lane]);
      if (!isSame && !(want[lane] > reach * 1e30 && std::isinf(want[lane])) && ++faults < 10)
        std::printf("%s(%a) is %a, not %a\n", name, double(x[lane]), double(got[lane]), double(want[lane]));
    }
  }
}

template <typename V, typename Printed, typename Library>
static void compareFlags(const char *name, Printed printed, Library library) {
  constexpr int watched = FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
  for (double number : {0.0,
                        1.0,
                        80.0,
                        88.5,
                        89.0,
                        127.5,
                        128.0,
                        130.0,
                        700.0,
                        709.5,
                        710.0,
                        1023.5,
                        1024.0,
                        1e4,
                        1e9,
                        1e30,
                        -1e30,
                        -1e9,
                        -1e4,
                        -80.0,
                        -710.0,
                        double(INFINITY),
                        -double(INFINITY),
                        double(NAN)}) {
    volatile auto x = (decltype(V{}[0] + 0))number;
    std::feclearexcept(FE_ALL_EXCEPT);
    volatile auto value = library(x);
    int want = std::fetestexcept(watched);
    std::feclearexcept(FE_ALL_EXCEPT);
    volatile V values = printed(x - V{});
    int got = std::fetestexcept(watched);
    (void)value, (void)values;
    if (got != want && ++faults < 10)
      std::printf("%s(%g) sets %d, not %d\n", name, number, got, want);
  }
}

int main() {
  using namespace quernel;
  auto e64 = [](f64x4 x) { return quernel::exp(x); };
  auto p64 = [](f64x4 x) { return quernel::exp2(x); };
  auto e32 = [](f32x8 x) { return quernel::exp(x); };
  auto p32 = [](f32x8 x) { return quernel::exp2(x); };
  compare<f64x4>("exp", 709, e64, Sleef_finz_expd4_u10avx2);
  compare<f64x4>("exp2", 1023, p64, Sleef_finz_exp2d4_u10avx2);
  compare<f32x8>("expf", 88, e32, Sleef_finz_expf8_u10avx2);
  compare<f32x8>("exp2f", 127, p32, Sleef_finz_exp2f8_u10avx2);
  compareFlags<f64x4>("exp", e64, [](double x) { return std::exp(x); });
  compareFlags<f64x4>("exp2", p64, [](double x) { return std::exp2(x); });
  compareFlags<f32x8>("expf", e32, [](float x) { return std::exp(x); });
  compareFlags<f32x8>("exp2f", p32, [](float x) { return std::exp2(x); });
  return faults != 0;
}
