/// The product of sizes, or the greatest number where it doesn't fit.
template <class... T> inline int64_t element_count(T... sizes) {
  int64_t product = 1;
  return (... || __builtin_mul_overflow(product, (int64_t)sizes, &product)) ? __INT64_MAX__ : product;
}
