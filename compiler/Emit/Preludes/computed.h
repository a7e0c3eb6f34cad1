/// The vector, computed in all lanes. Where Clang computes it under a mask, the other lanes set no flags.
template <typename V> inline V computed(V v) {
#if defined(__clang__) && defined(__AVX512F__)
  if constexpr (sizeof(V) <= 64)
    asm("" : "+v"(v));
#endif
  return v;
}
