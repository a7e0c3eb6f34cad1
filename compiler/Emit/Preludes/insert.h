/// The vector with one lane replaced.
template <int Lane, typename V, typename T> inline V insert(V v, T x) {
  v[Lane] = x;
  return v;
}
