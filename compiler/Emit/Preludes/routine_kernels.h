// What routines of libraries need besides: runtime/device/RoutineKernels.h has the same arguments.

/// A real or a complex number. Kinds of elements: float, double, complex of floats, complex of doubles.
struct RoutineNumber {
  double re, im;
};

inline RoutineNumber routine_load(const void *memory, int64_t kind, int64_t place) {
  switch (kind) {
  case 0:
    return {((const float *)memory)[place], 0};
  case 1:
    return {((const double *)memory)[place], 0};
  case 2:
    return {((const float *)memory)[place * 2], ((const float *)memory)[place * 2 + 1]};
  default:
    return {((const double *)memory)[place * 2], ((const double *)memory)[place * 2 + 1]};
  }
}

inline void routine_store(void *memory, int64_t kind, int64_t place, RoutineNumber number) {
  switch (kind) {
  case 0:
    ((float *)memory)[place] = (float)number.re;
    break;
  case 1:
    ((double *)memory)[place] = number.re;
    break;
  case 2:
    ((float *)memory)[place * 2] = (float)number.re;
    ((float *)memory)[place * 2 + 1] = (float)number.im;
    break;
  default:
    ((double *)memory)[place * 2] = number.re;
    ((double *)memory)[place * 2 + 1] = number.im;
  }
}

struct RoutineCopy {
  void *to;
  const void *from, *factors;
  int64_t to_kind, to_strides[3], from_kind, from_strides[3], factor_kind, factor_stride;
  int64_t sizes[3], rows, columns, part, last_real;
};

/// Copies matrices: all of them, a triangle with zeros beside it, or none, and then they are those of the identity.
extern "C" __global__ void routine_copy(const RoutineCopy copy) {
  const int64_t size = copy.sizes[0] * copy.sizes[1] * copy.sizes[2], threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < size; k += threads) {
    const int64_t i = k % copy.sizes[1], j = k / copy.sizes[1] % copy.sizes[2], problem = k / copy.sizes[1] / copy.sizes[2];
    const bool is_part = copy.part == 0 || (copy.part == 1 ? i >= j : copy.part == 2 && i <= j);
    RoutineNumber number = {copy.part == 3 && i == j ? 1.0 : 0.0, 0};
    if (is_part && i < copy.rows && j < copy.columns)
      number = routine_load(copy.from, copy.from_kind,
                            problem * copy.from_strides[0] + i * copy.from_strides[1] + j * copy.from_strides[2]);
    if (copy.last_real >= 0 && (i == 0 || i == copy.last_real))
      number.im = 0;
    if (copy.factors) {
      const double factor = routine_load(copy.factors, copy.factor_kind, problem * copy.factor_stride).re;
      number = copy.to_kind % 2 ? RoutineNumber{number.re * factor, number.im * factor}
                                : RoutineNumber{(float)number.re * (float)factor, (float)number.im * (float)factor};
    }
    routine_store(copy.to, copy.to_kind,
                  problem * copy.to_strides[0] + i * copy.to_strides[1] + j * copy.to_strides[2], number);
  }
}

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

/// The rows that rows were exchanged with, from 0 on.
extern "C" __global__ void routine_places(int64_t *to, int64_t stride, int64_t step, const void *pivots, int64_t is_wide, int64_t count, int64_t size) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count * size; k += threads)
    to[k / size * stride + k % size * step] = (is_wide ? ((const int64_t *)pivots)[k] : ((const int32_t *)pivots)[k]) - 1;
}

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

/// Eigenvectors of real matrices: a pair of conjugated values has the real and the imaginary part of the first one's vector.
extern "C" __global__ void routine_pairs(double *to, const double *vectors, const double *values, int64_t n, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count * n * n; k += threads) {
    const double side = values[k / n * 2 + 1];
    to[k * 2] = vectors[side < 0 ? k - n : k];
    to[k * 2 + 1] = side > 0 ? vectors[k + n] : side < 0 ? -vectors[k] : 0;
  }
}

/// Addresses of matrices that lie so many bytes from each other.
extern "C" __global__ void routine_addresses(uint64_t *to, uint64_t first, int64_t bytes, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += threads)
    to[k] = first + k * bytes;
}

/// Leaves a code where a problem has no answer: where a library has said so, or where a value isn't a number.
extern "C" __global__ void routine_status(int64_t *status, int64_t code, const int32_t *infos, const double *values, int64_t stride, int64_t count) {
  const int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += threads)
    if (infos[k] != 0 || (values && values[k * stride] != values[k * stride]))
      atomicMax((unsigned long long *)status, (unsigned long long)code);
}
