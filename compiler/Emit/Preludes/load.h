/// The lanes from p on; p needs no alignment.
template <typename V, typename T> inline V load(const T *p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
