// needs: lanes
/// Elements p[index[0]], p[index[1]], … where the mask is set; the others' lanes come from v and their elements aren't read.
template <typename V, typename T, typename I, typename M> inline V gather_where(const T *p, I index, M mask, V v) {
  for (int lane = 0; lane < lanes<V>; ++lane)
    if (mask[lane])
      v[lane] = p[index[lane]];
  return v;
}
