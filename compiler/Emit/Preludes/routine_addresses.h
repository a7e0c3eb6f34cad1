/// Addresses of matrices that lie so many bytes from each other.
extern "C" __global__ void routine_addresses(uint64_t *to, uint64_t first, int64_t bytes, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += threads)
    to[k] = first + k * bytes;
}
