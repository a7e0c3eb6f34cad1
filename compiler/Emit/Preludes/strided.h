// needs: lanes
/// Elements p[0], p[Stride], p[2 * Stride], …
template <typename V, int Stride, typename T> inline V strided(const T *p) {
  V v{};
  for (int lane = 0; lane < lanes<V>; ++lane)
    v[lane] = p[lane * Stride];
  return v;
}
