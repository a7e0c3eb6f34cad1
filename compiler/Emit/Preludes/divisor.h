// needs: raise_flags
/// The divisor. The processor's flags tell of what NumPy warns of: a zero, and a quotient that overflows.
template <typename T> inline T divisor(T y) {
  if (__builtin_expect(y == 0, 0))
    raise_flags(true, false);
  return y;
}

template <typename T> inline T divisor(T y, T x) {
  const bool overflows = y == -1 && x < 0 && (T)((uint64_t)x << 1) == 0;
  if (__builtin_expect(y == 0 || overflows, 0))
    raise_flags(y == 0, overflows);
  return y;
}
