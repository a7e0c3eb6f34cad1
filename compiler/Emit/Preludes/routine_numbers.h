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
