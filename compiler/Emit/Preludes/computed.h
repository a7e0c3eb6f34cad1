/// The vector, computed in all lanes. Where Clang computes it under a mask, the other lanes set no flags.
template <typename V> inline V computed(V v) {
#if defined(__clang__) && defined(__AVX512F__)
  if constexpr (sizeof(V) <= 64) {
    asm("" : "+v"(v));
  } else {
    for (unsigned long at = 0; at < sizeof(V); at += 64) {
      char part __attribute__((vector_size(64)));
      __builtin_memcpy(&part, (const char *)&v + at, 64);
      asm("" : "+v"(part));
      __builtin_memcpy((char *)&v + at, &part, 64);
    }
  }
#endif
  return v;
}
