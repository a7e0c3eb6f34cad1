/// A float of 16 bits in memory; it is computed with as a float.
struct alignas(2) Float16 {
  unsigned short bits;

  Float16() = default;
  inline Float16(float x) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
    const unsigned u = __builtin_bit_cast(unsigned, x), sign = (u >> 16) & 0x8000, magnitude = u & 0x7fffffff;
    unsigned half;
    if (magnitude >= 0x7f800000) { // infinity, and NaN with what fits of its payload
      half = magnitude == 0x7f800000 ? 0x7c00 : 0x7e00 | ((magnitude >> 13) & 0x3ff);
    } else if (magnitude >= 0x477ff000) {
      half = 0x7c00;
    } else if (magnitude < 0x38800000) { // subnormal: the sum rounds
      half = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f000000;
    } else {
      half = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    }
    bits = (unsigned short)(sign | half);
#endif
  }
  inline operator float() const {
#ifdef __CUDA_ARCH__
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    const unsigned sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
      return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x70000000) | (magnitude > 0x7c00 ? 0x400000u : 0));
    const float x = __builtin_bit_cast(float, magnitude << 13) * 5.192296858534828e+33f; // 2^112
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) | sign);
#endif
  }
};
