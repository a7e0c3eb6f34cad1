// The vector types, with their alignments, and dim3.

#define EMULATOR_VECTORS(TYPE, NAME, ALIGN2, ALIGN4)                                                                   \
  struct NAME##1 { TYPE x; };                                                                                          \
  struct alignas(ALIGN2) NAME##2 { TYPE x, y; };                                                                       \
  struct NAME##3 { TYPE x, y, z; };                                                                                    \
  struct alignas(ALIGN4) NAME##4 { TYPE x, y, z, w; };                                                                 \
  inline NAME##1 make_##NAME##1(TYPE x) { return {x}; }                                                                \
  inline NAME##2 make_##NAME##2(TYPE x, TYPE y) { return {x, y}; }                                                     \
  inline NAME##3 make_##NAME##3(TYPE x, TYPE y, TYPE z) { return {x, y, z}; }                                          \
  inline NAME##4 make_##NAME##4(TYPE x, TYPE y, TYPE z, TYPE w) { return {x, y, z, w}; }

EMULATOR_VECTORS(signed char, char, 2, 4)
EMULATOR_VECTORS(unsigned char, uchar, 2, 4)
EMULATOR_VECTORS(short, short, 4, 8)
EMULATOR_VECTORS(unsigned short, ushort, 4, 8)
EMULATOR_VECTORS(int, int, 8, 16)
EMULATOR_VECTORS(unsigned, uint, 8, 16)
EMULATOR_VECTORS(long, long, 16, 16)
EMULATOR_VECTORS(unsigned long, ulong, 16, 16)
EMULATOR_VECTORS(long long, longlong, 16, 16)
EMULATOR_VECTORS(unsigned long long, ulonglong, 16, 16)
EMULATOR_VECTORS(float, float, 8, 16)
EMULATOR_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
