/// What the runtime lends to a program; the layout is that of runtime/abi.h.
struct qn_context {
  int32_t threads;
  void *(*alloc)(int64_t bytes);
  void (*release)(void *memory);
  int32_t (*fail)(const qn_context *context, int32_t code, const int64_t *values, int32_t count);
  int32_t (*poll)(void);
  int32_t (*call)(const qn_context *context, int32_t routine, int32_t type, void *const *operands, const int64_t *strides,
                  const int64_t *sizes);
  int32_t (*parallel_for)(const qn_context *context, int64_t begin, int64_t end, int64_t step, int64_t grain,
                          int32_t (*turns)(void *data, int64_t begin, int64_t end), void *data);
  int32_t (*parallel_tasks)(const qn_context *context, int64_t begin, int64_t end, int64_t step,
                            int32_t (*tasks)(void *data, const qn_context *context, int64_t begin, int64_t end), void *data);
  int32_t (*draw)(const qn_context *context, int32_t routine, int64_t words, const uint64_t *before, uint64_t *after, double *number);
};
