extern "C" __attribute__((const)) VECTOR SYMBOL(VECTOR, VECTOR);
inline VECTOR fmod(VECTOR x, VECTOR y) {
  VECTOR result = SYMBOL(x, y);
  // SLEEF's remainder is exact but where the divisor is next to the subnormal numbers.
  auto tiny = (y < LEAST) & (y > -LEAST);
  for (int lane = 0; lane < LANES; ++lane)
    if (tiny[lane])
      result[lane] = BUILTIN(x[lane], y[lane]);
  return result;
}
