// needs: context
/// One number of a random stream, and the state afterwards; both states have so many words.
inline int32_t draw(const qn_context *context, int32_t routine, int64_t words, const int64_t *before, int64_t *after, double *number) {
  return context->draw(context, routine, words, (const uint64_t *)before, (uint64_t *)after, number);
}
