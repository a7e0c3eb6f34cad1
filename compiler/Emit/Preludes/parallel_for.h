// needs: context
/// Calls body for parts of the range, one a thread; for all of it at once if `grain` steps are not in it. A part is
/// computed in pieces of about a millisecond, between which its thread asks whether the program has to stop. Gives a code
/// where it has to, by that or by the body.
template <typename Body>
inline int32_t parallel_for(int64_t begin, int64_t end, int64_t step, int64_t grain, const qn_context *context,
                            const Body &body) {
  const int64_t steps = (end - begin + step - 1) / step;
  if (steps < grain)
    return body(begin, end);
  const int64_t most = 1 + steps / grain; // so that a part is about as long as is worth a thread
  struct Loop {
    int64_t begin, end, step, steps, grain, parts;
    const qn_context *context;
    const Body &body;
    int32_t code; // why the parts have to end
    static void run(void *data, int32_t part) {
      Loop &loop = *(Loop *)data;
      int64_t first = loop.steps * part / loop.parts, last = loop.steps * (part + 1) / loop.parts;
      const int64_t eighth = (last - first) / 8; // steps may be longer than the grain says
      for (int64_t piece = (loop.grain / 4 < eighth ? loop.grain / 4 : eighth) + 1, since = 0; !__atomic_load_n(&loop.code, __ATOMIC_RELAXED);) {
        const int64_t next = piece < last - first ? first + piece : last, end = loop.begin + next * loop.step;
        int32_t code = loop.body(loop.begin + first * loop.step, end < loop.end ? end : loop.end);
        first = next;
        if (!code && first < last)
          code = loop.context->pace(&since, &piece);
        else if (!code)
          return;
        if (code)
          __atomic_store_n(&loop.code, code, __ATOMIC_RELAXED);
      }
    }
  } loop = {begin, end, step, steps, grain, most < context->threads ? most : context->threads, context, body, 0};
#if defined(_OPENMP) && !defined(QUERNEL_RUNTIME) // compiled by hand; the runtime's own threads start faster
#pragma omp parallel for num_threads(loop.parts) schedule(static)
  for (int64_t part = 0; part < loop.parts; ++part)
    Loop::run(&loop, (int32_t)part);
#else
  context->parallel((int32_t)loop.parts, Loop::run, &loop);
#endif
  return loop.code;
}
