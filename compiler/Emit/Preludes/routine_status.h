/// Leaves a code where a problem has no answer: where a library has said so, or where a value isn't a number.
extern "C" __global__ void routine_status(int64_t *status, int64_t code, const int32_t *infos, const double *values, int64_t stride, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += threads)
    if (infos[k] != 0 || (values && values[k * stride] != values[k * stride]))
      atomicMax((unsigned long long *)status, (unsigned long long)code);
}
