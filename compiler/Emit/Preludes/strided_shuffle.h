// needs: load strided
// Two whole loads and a shuffle; together they reach from the first element to the last and not beyond.
template <> inline VECTOR strided<VECTOR, STRIDE>(const SCALAR *p) {
  return __builtin_shufflevector(load<VECTOR>(FIRST), load<VECTOR>(SECOND), ORDER);
}
