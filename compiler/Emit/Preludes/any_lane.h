// needs: lanes
/// Whether any lane of a mask is set, which is rare.
template <typename V> inline bool any_lane(V mask) {
#if defined(__clang__)
  return __builtin_expect(__builtin_reduce_or(mask) != 0, 0);
#else
  bool any = false;
  for (int lane = 0; lane < lanes<V>; ++lane)
    any |= mask[lane] != 0;
  return __builtin_expect(any, 0);
#endif
}
