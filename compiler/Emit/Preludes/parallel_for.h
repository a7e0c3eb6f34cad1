// needs: context
/// Calls body for parts of the range, one a thread; for all of it at once if `grain` steps are not in it.
template <typename Body>
inline void parallel_for(int64_t begin, int64_t end, int64_t step, int64_t grain, const qn_context *context,
                         const Body &body) {
  const int64_t steps = (end - begin + step - 1) / step;
  if (steps < grain || context->threads < 2)
    return body(begin, end);
  const int64_t most = 1 + steps / grain; // so that a part is about as long as is worth a thread
  struct Loop {
    int64_t begin, end, step, steps, parts;
    const Body &body;
    static void run(void *data, int32_t part) {
      const Loop &loop = *(const Loop *)data;
      const int64_t first = loop.begin + loop.steps * part / loop.parts * loop.step,
                    next = loop.begin + loop.steps * (part + 1) / loop.parts * loop.step;
      loop.body(first, next < loop.end ? next : loop.end);
    }
  } loop = {begin, end, step, steps, most < context->threads ? most : context->threads, body};
#if defined(_OPENMP) && !defined(QUERNEL_RUNTIME) // compiled by hand; the runtime's own threads start faster
#pragma omp parallel for num_threads(loop.parts) schedule(static)
  for (int64_t part = 0; part < loop.parts; ++part)
    Loop::run(&loop, (int32_t)part);
#else
  context->parallel((int32_t)loop.parts, Loop::run, &loop);
#endif
}
