/// What the runtime lends to a program; the layout is that of runtime/abi.h.
struct qn_context {
  int32_t threads;
  void *(*alloc)(int64_t bytes);
  void (*release)(void *memory);
  int32_t (*matmul_f64)(const qn_context *context, const double *a, const double *b, double *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
  int32_t (*matmul_f32)(const qn_context *context, const float *a, const float *b, float *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
  int32_t (*matmul_c128)(const qn_context *context, const double *a, const double *b, double *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                      int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
  int32_t (*matmul_c64)(const qn_context *context, const float *a, const float *b, float *out, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int64_t a_batch, int64_t a_row, int64_t a_col, int64_t b_batch, int64_t b_row, int64_t b_col);
  int32_t (*fail)(const qn_context *context, int32_t code, const int64_t *values, int32_t count);
  int32_t (*poll)(void);
  int32_t (*lapack)(const qn_context *context, int32_t routine, int32_t type, void *const *operands, const int64_t *strides, int64_t batch,
                    int64_t m, int64_t n, int64_t k);
  int32_t (*parallel_for)(const qn_context *context, int64_t begin, int64_t end, int64_t step, int64_t grain,
                          int32_t (*turns)(void *data, int64_t begin, int64_t end), void *data);
  int32_t (*parallel_tasks)(const qn_context *context, int64_t begin, int64_t end, int64_t step,
                            int32_t (*tasks)(void *data, const qn_context *context, int64_t begin, int64_t end), void *data);
  int32_t (*sort)(const qn_context *context, int32_t order, int32_t type, const void *values, void *out,
                  const int64_t *strides, int64_t rows, int64_t count, const int64_t *positions, int64_t wanted);
  int32_t (*transform)(const qn_context *context, int32_t kind, int32_t type, const void *in, const void *scale, void *out,
                       const int64_t *strides, int64_t lines, int64_t points, int64_t results);
};
