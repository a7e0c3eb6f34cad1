// needs: context
/// Asks once in `every` turns of a loop, a power of two, whether the program has to stop.
inline int32_t poll(const qn_context *context, uint32_t &turns, uint32_t every) {
  return (++turns & (every - 1)) == 0 ? context->poll() : 0;
}
