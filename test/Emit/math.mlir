// Where a function comes from: the processor, libm, NumPy, or SLEEF at its own width, narrower and wider.
// RUN: quernel-translate --to-cpp %s | FileCheck %s --check-prefix=LIBM
// RUN: quernel-translate --to-cpp --math-isa=avx2 %s | FileCheck %s --check-prefix=SLEEF
// RUN: quernel-translate --to-cpp --math-isa=avx2 %s | %clang -mavx2 -mfma -x c++ -c - -o %t.o
// RUN: quernel-translate --to-cpp --math-isa=avx2 %s | %gcc -mavx2 -mfma -x c++ -c - -o %t.o

// RUN: quernel-translate --to-cpp --math-isa=avx512f --svml %s | FileCheck %s --check-prefix=SVML
// RUN: quernel-translate --to-cpp --math-isa=avx512f --svml %s | %clang -mavx512f -x c++ -c - -o %t.o

// NumPy's functions leave the flags of NumPy's warnings, so nothing stands around a call.
// SVML:      extern "C" __attribute__((const)) f64x8 qn_expd8(f64x8);
// SVML-NEXT: inline f64x8 exp(f64x8 x) { return qn_expd8(x); }
// SVML:      inline f64x4 exp(f64x4 x) { return part<f64x4>(exp(part<f64x8>(x, 0)), 0); }
// SVML:      extern "C" __attribute__((const)) f32x16 qn_powf16(f32x16, f32x16);
// SVML-NOT:  Sleef

// LIBM-NOT:  Sleef
// LIBM:      inline double exp(double x) { return __builtin_exp(x); }
// LIBM:      inline f64x4 exp(f64x4 x) {
// LIBM:          result[lane] = exp(x[lane]);

// Only what is used is declared. The deterministic variants give a lane the same bits whatever is in the others.
// SLEEF:      extern "C" __attribute__((const)) f64x4 Sleef_finz_expd4_u10avx2(f64x4);
// SLEEF-NEXT: inline f64x4 exp(f64x4 x) {
// SLEEF-NEXT:   if (!any_lane(above(fabs(x), 709.0)))
// SLEEF-NEXT:     return Sleef_finz_expd4_u10avx2(x);
// SLEEF:          const unsigned before = flags_before(x);
// SLEEF-NEXT:     f64x4 result = Sleef_finz_expd4_u10avx2(x);
// SLEEF-NEXT:     keep_flags(before, result);
// SLEEF-NEXT:     const auto beyond = above(x, 709.0);
// SLEEF:              result[lane] = __builtin_exp(x[lane]);
// SLEEF:      inline double exp(double x) { return exp(splat<f64x4>(x))[0]; }
// SLEEF:      inline f64x8 exp(f64x8 x) {
// SLEEF:          f64x4 r = exp(part<f64x4>(x, at));
// SLEEF:      inline f64x2 exp(f64x2 x) { return part<f64x2>(exp(part<f64x4>(x, 0)), 0); }
// SLEEF:      extern "C" __attribute__((const)) f32x8 Sleef_finz_powf8_u10avx2(f32x8, f32x8);
// SLEEF-NEXT: inline f32x8 pow(f32x8 x, f32x8 y) {
// SLEEF-NEXT:   const f32x8 result = Sleef_finz_powf8_u10avx2(x, y);
// SLEEF-NEXT:   const auto doubtful = above(fabs(result), 0x1.fffffep127f);
// SLEEF:            patched[lane] = __builtin_powf(x[lane], y[lane]);
// SLEEF-NOT:  Sleef_

func.func private @functions(%a: memref<?xf64>, %b: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<?xf64>
  %e = math.exp %x : f64
  memref.store %e, %a[%c0] : memref<?xf64>
  %x4 = vector.load %a[%c0] : memref<?xf64>, vector<4xf64>
  %e4 = math.exp %x4 : vector<4xf64>
  vector.store %e4, %a[%c0] : memref<?xf64>, vector<4xf64>
  %x8 = vector.load %a[%c0] : memref<?xf64>, vector<8xf64>
  %e8 = math.exp %x8 : vector<8xf64>
  vector.store %e8, %a[%c0] : memref<?xf64>, vector<8xf64>
  %x2 = vector.load %a[%c0] : memref<?xf64>, vector<2xf64>
  %e2 = math.exp %x2 : vector<2xf64>
  vector.store %e2, %a[%c0] : memref<?xf64>, vector<2xf64>
  %y = vector.load %b[%c0] : memref<?xf32>, vector<8xf32>
  %p = math.powf %y, %y : vector<8xf32>
  vector.store %p, %b[%c0] : memref<?xf32>, vector<8xf32>
  return
}
