// needs: context
/// Asks whether the program has to stop when enough turns and elements have been counted; `more` are those of this turn.
inline int32_t poll(const qn_context *context, uint64_t &turns, uint64_t more) {
  turns += more;
  if (turns < 16384)
    return 0;
  turns = 0;
  return context->poll();
}
