// needs: float16
#if defined(__clang__) && !defined(__F16C__)
// What Clang calls where a processor can't convert halves; nothing that a program is linked with has these.
#define CALLED_BY_CLANG extern "C" __attribute__((used, weak, visibility("hidden")))

CALLED_BY_CLANG float __extendhfsf2(_Float16 x) { return __builtin_bit_cast(Float16, x); }

CALLED_BY_CLANG _Float16 __truncsfhf2(float x) { return __builtin_bit_cast(_Float16, Float16(x)); }

/// The float between has an odd last bit where it isn't exact, so that the number is rounded once.
CALLED_BY_CLANG _Float16 __truncdfhf2(double x) {
  float near = (float)x;
  if ((double)near != x && x == x) {
    unsigned bits = __builtin_bit_cast(unsigned, near);
    bits -= __builtin_fabs((double)near) > __builtin_fabs(x);
    near = __builtin_bit_cast(float, bits | 1);
  }
  return __truncsfhf2(near);
}
#endif
