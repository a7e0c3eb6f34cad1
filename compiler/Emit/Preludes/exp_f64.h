// needs: any_lane above splat
extern "C" __attribute__((const)) VECTOR SYMBOL(VECTOR);
/// SLEEF's exponential, with its bits and the flags of its result; what only extreme results need stands aside.
inline VECTOR exp(VECTOR x) {
  if (any_lane(above(fabs(x), 708.0)))
    return [=]() __attribute__((noinline, cold)) {
      // SLEEF leaves other flags far outside: there it gets what has the same result, or libm answers.
      const auto patched = above(x, 709.782711149557) | above(fabs(x), 0x1.fffffffffffffp1023);
      VECTOR result = SYMBOL(above(fabs(x), 800.0) ? (patched ? VECTOR{} : splat<VECTOR>(-800.0)) : x);
      for (int lane = 0; lane < LANES; ++lane)
        if (patched[lane])
          result[lane] = __builtin_exp(x[lane]);
      return result;
    }();
  const VECTOR shifted = x * 0x1.71547652b82fep+0 + 0x1.8p52; // its last bits are those of the exponent
  const VECTOR exponent = shifted - 0x1.8p52;
  VECTOR rest = fma(exponent, splat<VECTOR>(-0x1.62e42fefa3p-1), x);
  rest = fma(exponent, splat<VECTOR>(-0x1.3de6af278ece6p-42), rest);
  const VECTOR square = rest * rest, fourth = square * square;
  const auto pair = [=](double a, double b) { return fma(rest, splat<VECTOR>(a), splat<VECTOR>(b)); };
  const VECTOR high = fma(square, pair(0.2755762628169491192e-6, 0.2755723402025388239e-5),
                          pair(0.2480158687479686264e-4, 0.1984126989855865850e-3));
  const VECTOR low = fma(square, pair(0.1388888888914497797e-2, 0.8333333333314938210e-2),
                         pair(0.4166666666666602598e-1, 0.1666666666666669072e+0));
  VECTOR sum = fma(fourth * fourth, pair(0.2081276378237164457e-8, 0.2511210703042288022e-7), fma(fourth, high, low));
  sum = fma(sum, rest, splat<VECTOR>(0.5));
  sum = fma(sum, rest, splat<VECTOR>(1.0));
  sum = fma(sum, rest, splat<VECTOR>(1.0));
  typedef decltype(x < x) Bits;
  return (VECTOR)((Bits)sum + ((Bits)shifted << 52));
}
