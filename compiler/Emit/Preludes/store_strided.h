// needs: lanes
/// Writes p[0], p[stride], p[2 * stride], …
template <typename V, typename T> inline void store_strided(T *p, int64_t stride, V v) {
  for (int lane = 0; lane < lanes<V>; ++lane)
    p[lane * stride] = v[lane];
}
