extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(VECTOR x) {
  // Further below, SLEEF's own steps overflow, although the result is 0 there.
  const VECTOR least = VECTOR{} - LIMIT;
  return SYMBOL(x < least ? least : x);
}
