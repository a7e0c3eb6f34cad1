/// The bytes of v from the given one on, as a vector of another size; lanes beyond the end are 0.
template <typename P, typename V> inline P part(V v, int first) {
  P result{};
  __builtin_memcpy(&result, (const char *)&v + first, sizeof v < sizeof result ? sizeof v : sizeof result);
  return result;
}
