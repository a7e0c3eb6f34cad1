/// A float cut to an integer. NaN and what is out of range give the least one, as on x86; C++ leaves that undefined.
template <typename I, typename F> inline I to_integer(F x) {
#if defined(__x86_64__) && defined(__SSE2__) && !defined(__CUDACC_RTC__) && !defined(__CUDA_ARCH__)
  // The instruction itself, which sets the flag of invalid operations where NumPy warns.
  typedef F Register __attribute__((vector_size(16)));
  if constexpr (sizeof(I) == 8 && sizeof(F) == 8)
    return (I)__builtin_ia32_cvttsd2si64(Register{x});
  else if constexpr (sizeof(I) == 4 && sizeof(F) == 8)
    return (I)__builtin_ia32_cvttsd2si(Register{x});
  else if constexpr (sizeof(I) == 8 && sizeof(F) == 4)
    return (I)__builtin_ia32_cvttss2si64(Register{x});
  else if constexpr (sizeof(I) == 4 && sizeof(F) == 4)
    return (I)__builtin_ia32_cvttss2si(Register{x});
#endif
  const F least = -(F)(1ull << (8 * sizeof(I) - 1));
  return (I)(x > least && x < -least ? x : least);
}
