// needs: context
/// As `parallel_for`, for turns that call libraries and are each worth a thread, with a context of their own.
template <typename Tasks>
inline int32_t parallel_tasks(int64_t begin, int64_t end, int64_t step, const qn_context *context, const Tasks &tasks) {
  auto call = [](void *data, const qn_context *context, int64_t first, int64_t last) -> int32_t {
    return (*(const Tasks *)data)(context, first, last);
  };
  return context->parallel_tasks(context, begin, end, step, call, (void *)&tasks);
}
