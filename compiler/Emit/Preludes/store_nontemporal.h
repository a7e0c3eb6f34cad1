// needs: store
/// Writes the lanes past the cache where p is aligned and the compiler can.
template <typename V, typename T> inline void store_nontemporal(T *p, V v) {
#if defined(__clang__)
  if ((uintptr_t)p % sizeof(V) == 0)
    return __builtin_nontemporal_store(v, (V *)p);
#endif
  store(p, v);
}
