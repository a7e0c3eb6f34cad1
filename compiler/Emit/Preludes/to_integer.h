/// A float cut to an integer. NaN and what is out of range give the least one, as on x86; C++ leaves that undefined.
template <typename I, typename F> inline I to_integer(F x) {
  const F least = -(F)(1ull << (8 * sizeof(I) - 1));
  return (I)(x > least && x < -least ? x : least);
}
