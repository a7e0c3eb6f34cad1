/// Writes the lanes from p on; p needs no alignment.
template <typename V, typename T> inline void store(T *p, V v) { __builtin_memcpy(p, &v, sizeof v); }
