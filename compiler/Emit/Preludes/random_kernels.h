// needs: random
extern "C" __global__ void __launch_bounds__(256)
random_numbers(const uint64_t *state, int64_t state_step, int64_t words, double *numbers, int64_t step, int64_t count) {
  draw_numbers(state, state_step, words, numbers, step, count);
}

extern "C" __global__ void
random_state(const uint64_t *before, int64_t before_step, uint64_t *after, int64_t after_step, int64_t words, double *numbers,
             int64_t step, int64_t count) {
  advance_state(before, before_step, after, after_step, words, numbers, step, count);
}
