// needs: lanes
/// Elements p[0], p[stride], p[2 * stride], …
template <typename V, typename T> inline V strided(const T *p, int64_t stride) {
  V v{};
  for (int lane = 0; lane < lanes<V>; ++lane)
    v[lane] = p[lane * stride];
  return v;
}
