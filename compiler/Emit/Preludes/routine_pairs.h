/// Eigenvectors of real matrices: a pair of conjugated values has the real and the imaginary part of the first one's vector.
extern "C" __global__ void routine_pairs(double *to, const double *vectors, const double *values, int64_t n, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count * n * n; k += threads) {
    const double side = values[k / n * 2 + 1];
    to[k * 2] = vectors[side < 0 ? k - n : k];
    to[k * 2 + 1] = side > 0 ? vectors[k + n] : side < 0 ? -vectors[k] : 0;
  }
}
