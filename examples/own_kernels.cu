// What `own_kernels.py` launches.
#include <quernel.h>

// A thread for each element. An array knows its sizes; the last block may have more threads than there are elements.
__global__ void add(qn::array<const float, 1> x, qn::array<const float, 1> y, qn::array<float, 1> sum) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < sum.size())
    sum[i] = x[i] + y[i];
}

// A block for each row, whose threads add up parts of it. A kernel may take pointers, too, and behind all else the sizes
// of its signature.
__global__ void product(const float *a, const float *x, float *result, int64_t m, int64_t n) {
  __shared__ float parts[128];
  const float *row = a + blockIdx.x * n;
  float part = 0;
  for (int64_t j = threadIdx.x; j < n; j += blockDim.x)
    part += row[j] * x[j];
  parts[threadIdx.x] = part;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    result[blockIdx.x] = parts[0];
}
