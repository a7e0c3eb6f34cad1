// needs: lanes
/// Writes p[index[0]], p[index[1]], … in this order.
template <typename V, typename T, typename I> inline void scatter(T *p, I index, V v) {
  for (int lane = 0; lane < lanes<V>; ++lane)
    p[index[lane]] = v[lane];
}
