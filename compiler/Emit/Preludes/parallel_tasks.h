// needs: parallel_for
/// While one lives, a library computes each call in the thread that makes it.
struct Alone {
  const qn_context *context;
  explicit Alone(const qn_context *context) : context(context) { context->alone(1); }
  Alone(const Alone &) = delete;
  ~Alone() { context->alone(0); }
};

/// The check that failed in the first turn of those in which one did.
struct FirstError {
  static constexpr int32_t most = 8;
  int64_t turn = __INT64_MAX__, values[most];
  int32_t code = 0, count = 0;
  bool taken = false;

  bool isBehind(int64_t other) const { return __atomic_load_n(&turn, __ATOMIC_RELAXED) < other; }
  void note(int64_t at, int32_t newCode, const int64_t *newValues, int32_t newCount) {
    while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {
    }
    if (at < turn) {
      __atomic_store_n(&turn, at, __ATOMIC_RELAXED);
      code = newCode;
      count = newCount < most ? newCount : most;
      for (int32_t k = 0; k < count; ++k)
        values[k] = newValues[k];
    }
    __atomic_clear(&taken, __ATOMIC_RELEASE);
  }
};

/// The context of some turns, in which a check that fails ends none of the turns before them.
struct TaskContext : qn_context {
  FirstError *error;
  int64_t turn;
  TaskContext(const qn_context *context, FirstError *error, int64_t turn)
      : qn_context(*context), error(error), turn(turn) {
    fail = [](const qn_context *self, int32_t code, const int64_t *values, int32_t count) {
      const TaskContext *task = (const TaskContext *)self;
      task->error->note(task->turn, code, values, count);
      return code;
    };
  }
};

/// As `parallel_for`, for turns that call libraries and are each worth a thread. The body gets the context of its turns.
template <typename Body>
inline int32_t parallel_tasks(int64_t begin, int64_t end, int64_t step, const qn_context *context, const Body &body) {
  const Alone alone(context);
  FirstError error;
  auto turns = [&](int64_t first, int64_t last) -> int32_t {
    if (error.isBehind(first))
      return 0;
    const TaskContext task(context, &error, first);
    const int32_t code = body((const qn_context *)&task, first, last);
    return error.isBehind(last) ? 0 : code; // those before go on
  };
  if (int32_t code = parallel_for(begin, end, step, 2, context, turns))
    return code;
  return error.code ? context->fail(context, error.code, error.values, error.count) : 0;
}
