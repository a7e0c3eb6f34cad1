/// The processor's flags. What is computed from these vectors is computed behind that.
template <typename... V> inline unsigned flags_before(V &...vectors) {
  const unsigned flags = __builtin_ia32_stmxcsr();
  const auto pin = [](auto &vector) { asm volatile("" : "+x"(vector)); };
  (pin(vectors), ...);
  return flags;
}

/// Sets the flags as they were, once a vector is computed. That of an underflow stays.
template <typename V> inline void keep_flags(unsigned flags, V &vector) {
  asm volatile("" : "+x"(vector));
  __builtin_ia32_ldmxcsr(flags | (__builtin_ia32_stmxcsr() & 16));
}
