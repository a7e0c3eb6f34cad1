// needs: lanes
/// Writes p[index[0]], p[index[1]], … in this order, where the mask is set.
template <typename V, typename T, typename I, typename M> inline void scatter_where(T *p, I index, M mask, V v) {
  for (int lane = 0; lane < lanes<V>; ++lane)
    if (mask[lane])
      p[index[lane]] = v[lane];
}
