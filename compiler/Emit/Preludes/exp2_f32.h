// needs: any_lane above splat
extern "C" __attribute__((const)) VECTOR SYMBOL(VECTOR);
/// SLEEF's powers of two, with its bits and the flags of their results; what only extreme ones need stands aside.
inline VECTOR exp2(VECTOR x) {
  if (any_lane(above(fabs(x), 125.0f)))
    return [=]() __attribute__((noinline, cold)) {
      // SLEEF leaves other flags far outside: there it gets what has the same result, or libm answers.
      const auto patched = above(x, 0x1.fffffep6f) | above(fabs(x), 0x1.fffffep127f);
      VECTOR result = SYMBOL(above(fabs(x), 150.0f) ? (patched ? VECTOR{} : splat<VECTOR>(-150.0f)) : x);
      for (int lane = 0; lane < LANES; ++lane)
        if (patched[lane])
          result[lane] = __builtin_exp2f(x[lane]);
      return result;
    }();
  const VECTOR shifted = x + 0x1.8p23f; // its last bits are those of the exponent
  const VECTOR rest = x - (shifted - 0x1.8p23f);
  VECTOR sum = fma(splat<VECTOR>(0.1535920892e-3f), rest, splat<VECTOR>(0.1339262701e-2f));
  sum = fma(sum, rest, splat<VECTOR>(0.9618384764e-2f));
  sum = fma(sum, rest, splat<VECTOR>(0.5550347269e-1f));
  sum = fma(sum, rest, splat<VECTOR>(0.2402264476f));
  sum = fma(sum, rest, splat<VECTOR>(0.6931471825f));
  sum = fma(sum, rest, splat<VECTOR>(1.0f));
  typedef decltype(x < x) Bits;
  return (VECTOR)((Bits)sum + ((Bits)shifted << 23));
}
