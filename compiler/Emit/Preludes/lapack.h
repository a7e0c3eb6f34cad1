// needs: context
/// A routine of linear algebra for sizes[0] matrices of sizes[1] x sizes[2]; three strides for each operand. Where a matrix has
/// no answer, `*failure` becomes what the runtime says of it.
template <class... T, int64_t count>
inline int32_t lapack(const qn_context *context, int32_t routine, int32_t type, int64_t *failure, const int64_t (&sizes)[4],
                      const int64_t (&strides)[count], const T &...operands) {
  static_assert(count == 3 * sizeof...(T));
  void *const pointers[] = {(void *)operands...};
  const int32_t code = context->lapack(context, routine, type, pointers, strides, sizes[0], sizes[1], sizes[2], sizes[3]);
  const bool fails = code >= 3 && code <= 7;
  if (fails)
    *failure = code;
  return fails ? 0 : code;
}
