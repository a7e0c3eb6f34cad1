/// Calls body for parts of the range, one a thread; for all of it at once if `grain` steps are not in it.
template <typename Body>
inline void parallel_for(int64_t begin, int64_t end, int64_t step, int64_t grain, int32_t threads, const Body &body) {
  const int64_t steps = (end - begin + step - 1) / step;
  if (steps < grain || threads < 2)
    return body(begin, end);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int32_t part = 0; part < threads; ++part) {
    const int64_t first = begin + steps * part / threads * step, next = begin + steps * (part + 1) / threads * step;
    body(first, next < end ? next : end);
  }
}
