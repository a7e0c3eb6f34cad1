// needs: raise_flags any_lane splat
/// The divisors. The processor's flags tell of what NumPy warns of: a zero, and a quotient that overflows.
template <typename V> inline V divisors(V y) {
  if (any_lane(y == V{})) [[unlikely]]
    raise_flags(true, false);
  return y;
}

template <typename V> inline V divisors(V y, V x) {
  auto least = x[0];
  least = (decltype(least))(1ull << (8 * sizeof least - 1));
  if (any_lane((y == V{}) | (y == ~V{}))) [[unlikely]]
    raise_flags(any_lane(y == V{}), any_lane((y == ~V{}) & (x == splat<V>(least))));
  return y;
}
