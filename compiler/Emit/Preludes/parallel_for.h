// needs: context
/// Calls body for parts of the range, one a thread; for all of it at once if `grain` steps are not in it. A part is
/// computed in pieces of about a millisecond, between which its thread asks whether the program has to stop; who has done
/// with its own part takes pieces of others, whose threads the system may have stopped. Gives a code where the parts have
/// to end, by that or by the body.
template <typename Body>
inline int32_t parallel_for(int64_t begin, int64_t end, int64_t step, int64_t grain, const qn_context *context,
                            const Body &body) {
  const int64_t steps = (end - begin + step - 1) / step;
  if (steps < grain)
    return body(begin, end);
  const int64_t most = 1 + steps / grain; // so that a part is about as long as is worth a thread
  constexpr int64_t manyThreads = 256;
  const int64_t threads = context->threads < manyThreads ? context->threads : manyThreads;
  int64_t begun[manyThreads]; // of each part, where what nobody has begun begins
  struct Loop {
    int64_t begin, end, step, steps, grain, parts, *begun;
    const qn_context *context;
    const Body &body;
    int32_t code; // why the parts have to end
    int64_t start(int64_t part) const { return steps * part / parts; }
    static void run(void *data, int32_t own) {
      Loop &loop = *(Loop *)data;
      const int64_t eighth = loop.steps / loop.parts / 8; // steps may be longer than the grain says
      int64_t piece = (loop.grain / 4 < eighth ? loop.grain / 4 : eighth) + 1, since = 0;
      for (int64_t done = 0; done < loop.parts && !__atomic_load_n(&loop.code, __ATOMIC_RELAXED);) {
        const int64_t part = (own + done) % loop.parts, last = loop.start(part + 1);
        const int64_t first = __atomic_fetch_add(&loop.begun[part], piece, __ATOMIC_RELAXED);
        if (first >= last) {
          ++done;
          continue;
        }
        const int64_t next = piece < last - first ? first + piece : last, end = loop.begin + next * loop.step;
        int32_t code = loop.body(loop.begin + first * loop.step, end < loop.end ? end : loop.end);
        if (!code && next < last)
          code = loop.context->pace(&since, &piece);
        if (code)
          __atomic_store_n(&loop.code, code, __ATOMIC_RELAXED);
      }
    }
  } loop = {begin, end, step, steps, grain, most < threads ? most : threads, begun, context, body, 0};
  for (int64_t part = 0; part < loop.parts; ++part)
    begun[part] = loop.start(part);
#if defined(_OPENMP) && !defined(QUERNEL_RUNTIME) // compiled by hand; the runtime's own threads start faster
#pragma omp parallel for num_threads(loop.parts) schedule(static)
  for (int64_t part = 0; part < loop.parts; ++part)
    Loop::run(&loop, (int32_t)part);
#else
  context->parallel((int32_t)loop.parts, Loop::run, &loop);
#endif
  return loop.code;
}
