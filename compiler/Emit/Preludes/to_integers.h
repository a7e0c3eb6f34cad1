/// Lanes cut to integers. NaN and what is out of range give the least one, as on x86; C++ leaves that undefined.
template <typename V, typename F> inline V to_integers(F x) {
  const F least = F{} - (decltype(F{}[0] + 0))(1ull << (8 * sizeof(V{}[0]) - 1));
  return __builtin_convertvector(((x > least) & (x < -least)) ? x : least, V);
}
