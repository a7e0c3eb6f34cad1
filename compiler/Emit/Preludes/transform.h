// needs: context
/// A Fourier transform of sizes[0] lines of sizes[1] elements into lines of sizes[2]; three strides for each operand, of which the
/// second one is a line's scale.
template <class In, class Scale, class Out>
inline int32_t transform(const qn_context *context, int32_t kind, int32_t type, const int64_t (&sizes)[4], const int64_t (&strides)[9],
                         const In &in, const Scale &scale, Out &&out) {
  return context->transform(context, kind, type, in, scale, out, strides, sizes[0], sizes[1], sizes[2]);
}
