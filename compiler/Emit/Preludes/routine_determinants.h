// needs: routine_numbers
struct RoutineDeterminants {
  const void *factors, *pivots;
  const int32_t *infos;
  void *values, *logarithms;
  int64_t count, n, factor_kind, has_wide_pivots, kind, value_stride, logarithm_stride;
};

/// The determinants of matrices from their factors, or their signs and the logarithms of their sizes.
extern "C" __global__ void routine_determinants(const RoutineDeterminants of) {
  const int64_t n = of.n, threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < of.count; k += threads) {
    RoutineNumber sign = {1, 0};
    double logarithm = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t pivot = of.has_wide_pivots ? ((const int64_t *)of.pivots)[k * n + i] : ((const int32_t *)of.pivots)[k * n + i];
      const RoutineNumber x = routine_load(of.factors, of.factor_kind, (k * n + i) * n + i);
      const double size = of.factor_kind == 1 ? fabs(x.re) : hypot(x.re, x.im);
      const RoutineNumber own = of.factor_kind == 1 ? RoutineNumber{x.re < 0 ? -1.0 : 1.0, 0} : RoutineNumber{x.re / size, x.im / size};
      if (pivot != i + 1)
        sign = {-sign.re, -sign.im};
      sign = {sign.re * own.re - sign.im * own.im, sign.re * own.im + sign.im * own.re};
      logarithm += log(size);
    }
    if (n > 0 && of.infos[k] != 0) {
      sign = {0, 0};
      logarithm = __builtin_bit_cast(double, 0xFFF0000000000000);
    }
    if (of.logarithms) {
      routine_store(of.logarithms, of.kind % 2, k * of.logarithm_stride, {logarithm, 0});
    } else {
      const double size = exp(logarithm);
      sign = {sign.re * size, sign.im * size};
    }
    routine_store(of.values, of.kind, k * of.value_stride, sign);
  }
}
