// needs: any_lane above splat
extern "C" __attribute__((const)) VECTOR SYMBOL(VECTOR);
/// SLEEF's exponential, with its bits and the flags of its result; what only extreme results need stands aside.
inline VECTOR exp(VECTOR x) {
  if (any_lane(above(fabs(x), 87.0f)))
    return [=]() __attribute__((noinline, cold)) {
      // SLEEF leaves other flags far outside: there it gets what has the same result, or libm answers.
      const auto patched = above(x, 89.0f) | above(fabs(x), 0x1.fffffep127f);
      VECTOR result = SYMBOL(above(fabs(x), 104.0f) ? (patched ? VECTOR{} : splat<VECTOR>(-104.0f)) : x);
      for (int lane = 0; lane < LANES; ++lane)
        if (patched[lane])
          result[lane] = __builtin_expf(x[lane]);
      return result;
    }();
  const VECTOR shifted = x * 0x1.715476p+0f + 0x1.8p23f; // its last bits are those of the exponent
  const VECTOR exponent = shifted - 0x1.8p23f;
  VECTOR rest = fma(exponent, splat<VECTOR>(-0.693145751953125f), x);
  rest = fma(exponent, splat<VECTOR>(-1.428606765330187045e-06f), rest);
  VECTOR sum = fma(splat<VECTOR>(0.000198527617612853646278381f), rest, splat<VECTOR>(0.00139304355252534151077271f));
  sum = fma(sum, rest, splat<VECTOR>(0.00833336077630519866943359f));
  sum = fma(sum, rest, splat<VECTOR>(0.0416664853692054748535156f));
  sum = fma(sum, rest, splat<VECTOR>(0.166666671633720397949219f));
  sum = fma(sum, rest, splat<VECTOR>(0.5f));
  sum = 1.0f + fma(rest * rest, sum, rest);
  typedef decltype(x < x) Bits;
  return (VECTOR)((Bits)sum + ((Bits)shifted << 23));
}
