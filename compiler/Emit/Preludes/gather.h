// needs: lanes
/// Elements p[index[0]], p[index[1]], …
template <typename V, typename T, typename I> inline V gather(const T *p, I index) {
  V v{};
  for (int lane = 0; lane < lanes<V>; ++lane)
    v[lane] = p[index[lane]];
  return v;
}
