/// The rows that rows were exchanged with, from 0 on.
extern "C" __global__ void routine_places(int64_t *to, int64_t stride, int64_t step, const void *pivots, int64_t is_wide, int64_t count, int64_t size) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count * size; k += threads)
    to[k / size * stride + k % size * step] = (is_wide ? ((const int64_t *)pivots)[k] : ((const int32_t *)pivots)[k]) - 1;
}
