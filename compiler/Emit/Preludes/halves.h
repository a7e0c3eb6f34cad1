/// The first half of the lanes.
template <typename H, typename V> inline H low(V v) {
  H half;
  __builtin_memcpy(&half, &v, sizeof half);
  return half;
}

/// The second half of the lanes.
template <typename H, typename V> inline H high(V v) {
  H half;
  __builtin_memcpy(&half, (const char *)&v + sizeof half, sizeof half);
  return half;
}
