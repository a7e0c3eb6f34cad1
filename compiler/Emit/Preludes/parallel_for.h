// needs: context
/// Calls turns(first, last) for parts of the range, in several threads where `grain` steps and more are in it. Gives a
/// code where the loop has to end.
template <typename Turns>
inline int32_t parallel_for(int64_t begin, int64_t end, int64_t step, int64_t grain, const qn_context *context,
                            const Turns &turns) {
#if defined(_OPENMP) && !defined(QUERNEL_RUNTIME) // compiled by hand; the runtime's own threads start faster
  const int64_t steps = (end - begin + step - 1) / step, parts = 1 + steps / grain;
  int32_t code = 0;
#pragma omp parallel for num_threads(context->threads) if (parts > 1)
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = begin + steps * part / parts * step, last = begin + steps * (part + 1) / parts * step;
    if (!__atomic_load_n(&code, __ATOMIC_RELAXED))
      if (int32_t found = turns(first, last < end ? last : end))
        __atomic_store_n(&code, found, __ATOMIC_RELAXED);
  }
  return code;
#else
  auto call = [](void *data, int64_t first, int64_t last) -> int32_t { return (*(const Turns *)data)(first, last); };
  return context->parallel_for(context, begin, end, step, grain, call, (void *)&turns);
#endif
}
