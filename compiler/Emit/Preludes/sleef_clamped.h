extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(VECTOR x) {
  // Further below, SLEEF's own steps overflow, although the result is 0 there; further above, its steps lose that.
  const VECTOR most = VECTOR{} + LIMIT;
  x = x < -most ? -most : x;
  return SYMBOL(x > most ? most : x);
}
