// needs: any_lane above splat
extern "C" __attribute__((const)) VECTOR SYMBOL(VECTOR);
/// SLEEF's powers of two, with its bits and the flags of their results; what only extreme ones need stands aside.
inline VECTOR exp2(VECTOR x) {
  if (any_lane(above(fabs(x), 1021.0)))
    return [=]() __attribute__((noinline, cold)) {
      // SLEEF leaves other flags far outside: there it gets what has the same result, or libm answers.
      const auto patched = above(x, 0x1.fffffffffffffp9) | above(fabs(x), 0x1.fffffffffffffp1023);
      VECTOR result = SYMBOL(above(fabs(x), 1100.0) ? (patched ? VECTOR{} : splat<VECTOR>(-1100.0)) : x);
      for (int lane = 0; lane < LANES; ++lane)
        if (patched[lane])
          result[lane] = __builtin_exp2(x[lane]);
      return result;
    }();
  const VECTOR shifted = x + 0x1.8p52; // its last bits are those of the exponent
  const VECTOR rest = x - (shifted - 0x1.8p52), square = rest * rest, fourth = square * square;
  const auto pair = [=](double a, double b) { return fma(rest, splat<VECTOR>(a), splat<VECTOR>(b)); };
  const VECTOR high = fma(square, pair(0.1017819260921760451e-6, 0.1321543872511327615e-5),
                          pair(0.1525273353517584730e-4, 0.1540353045101147808e-3));
  const VECTOR low = fma(square, pair(0.1333355814670499073e-2, 0.9618129107597600536e-2),
                         pair(0.5550410866482046596e-1, 0.2402265069591012214e+0));
  VECTOR sum = fma(fourth * fourth, pair(0.4434359082926529454e-9, 0.7073164598085707425e-8), fma(fourth, high, low));
  sum = fma(sum, rest, splat<VECTOR>(0.6931471805599452862));
  sum = fma(sum, rest, splat<VECTOR>(1.0));
  typedef decltype(x < x) Bits;
  return (VECTOR)((Bits)sum + ((Bits)shifted << 52));
}
