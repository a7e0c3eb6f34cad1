/// Lanes cut to integers. NaN and what is out of range give the least one, as on x86; C++ leaves that undefined.
template <typename V, typename F> inline V to_integers(F x) {
#if defined(__clang__) && defined(__AVX512DQ__)
  // The instruction itself, which sets the flag of invalid operations where NumPy warns.
  typedef long long Wide __attribute__((vector_size(64)));
  constexpr int from = sizeof x[0], to = sizeof V{}[0], bytes = sizeof(V) > sizeof(F) ? sizeof(V) : sizeof(F);
  if constexpr (bytes == 64 && from == 8 && to == 8)
    return (V)__builtin_ia32_cvttpd2qq512_mask(x, Wide{}, -1, 4);
  else if constexpr (bytes == 64 && from == 8 && to == 4)
    return (V)__builtin_ia32_cvttpd2dq512_mask(x, V{}, -1, 4);
  else if constexpr (bytes == 64 && from == 4 && to == 8)
    return (V)__builtin_ia32_cvttps2qq512_mask(x, Wide{}, -1, 4);
  else if constexpr (bytes == 64 && from == 4 && to == 4)
    return (V)__builtin_ia32_cvttps2dq512_mask(x, V{}, -1, 4);
#endif
  const F least = F{} - (decltype(F{}[0] + 0))(1ull << (8 * sizeof(V{}[0]) - 1));
  return __builtin_convertvector(((x > least) & (x < -least)) ? x : least, V);
}
