// needs: sort
extern "C" __global__ void __launch_bounds__(256)
sort_tiles(const TYPE *values, int64_t values_row, int64_t values_step, TYPE *sorted, int64_t *places, int64_t row, int64_t step,
           int64_t lines, int64_t count, int64_t width) {
  __shared__ TYPE tile[sort_tile];
  __shared__ unsigned short sources[HAS_PLACES ? sort_tile : 1];
  sort_each_tile<HAS_PLACES>(tile, sources, values, values_row, values_step, sorted, places, row, step, lines, count, (int)width);
}

extern "C" __global__ void __launch_bounds__(256)
sort_merge(const TYPE *values, const int64_t *values_places, TYPE *sorted, int64_t *places, int64_t row, int64_t step,
           int64_t lines, int64_t count, int64_t run) {
  __shared__ TYPE tile[sort_tile];
  __shared__ unsigned short sources[HAS_PLACES ? sort_tile : 1];
  __shared__ int64_t splits[2];
  merge_each_run<HAS_PLACES>(tile, sources, splits, values, values_places, sorted, places, row, step, lines, count, run);
}
