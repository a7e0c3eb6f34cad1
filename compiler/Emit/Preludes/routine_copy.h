// needs: routine_numbers
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
