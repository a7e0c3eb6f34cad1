// needs: routine_numbers
/// A matrix with a zero in its diagonal becomes the identity: then the solution is the right-hand side.
extern "C" __global__ void routine_triangles(void *matrices, int64_t kind, int64_t n, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += threads) {
    bool is_regular = true;
    for (int64_t i = 0; i < n && is_regular; ++i) {
      const RoutineNumber x = routine_load(matrices, kind, (k * n + i) * n + i);
      is_regular = x.re != 0 || x.im != 0;
    }
    for (int64_t i = 0; i < n && !is_regular; ++i)
      for (int64_t j = 0; j < n; ++j)
        routine_store(matrices, kind, (k * n + i) * n + j, {i == j ? 1.0 : 0.0, 0});
  }
}
