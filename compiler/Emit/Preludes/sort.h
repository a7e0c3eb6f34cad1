// needs: context
/// Puts each row's elements in order, or their places, or those at some positions; the strides are those of the values' rows
/// and elements, of the result's, and of the positions.
inline int32_t sort(const qn_context *context, int32_t order, int32_t type, const void *values, void *out,
                    const int64_t (&strides)[5], int64_t rows, int64_t count, const int64_t *positions = nullptr,
                    int64_t wanted = 0) {
  return context->sort(context, order, type, values, out, strides, rows, count, positions, wanted);
}
