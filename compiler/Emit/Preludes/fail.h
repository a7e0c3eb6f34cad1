// needs: context
/// Notes a check that failed, with the numbers of its message. The result is the program's.
template <class... T> inline int32_t fail(const qn_context *context, int32_t code, T... numbers) {
  const int64_t values[] = {numbers..., 0};
  return context->fail(context, code, values, sizeof...(numbers));
}
