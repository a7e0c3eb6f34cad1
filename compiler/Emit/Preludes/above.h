// needs: splat
/// Where x is greater than a positive limit, or a NaN. The bits are compared, which sets no flag for a NaN.
template <typename V, typename T> inline auto above(V x, T limit) {
  typedef decltype(x < x) Bits;
  return (Bits)x > (Bits)splat<V>(limit);
}
