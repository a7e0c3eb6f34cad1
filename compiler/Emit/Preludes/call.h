// needs: context
/// A routine of a library, for sizes[0] problems; the sizes of its axes follow. Three strides for each operand: from problem to
/// problem, and along its axes. What says whether a problem had no answer has none.
template <class... T, int64_t count>
inline int32_t call(const qn_context *context, int32_t routine, int32_t type, const int64_t (&sizes)[4], const int64_t (&strides)[count],
                    const T &...operands) {
  void *const pointers[] = {(void *)operands...};
  return context->call(context, routine, type, pointers, strides, sizes);
}
