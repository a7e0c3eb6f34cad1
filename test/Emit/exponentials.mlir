// Exponentials are printed where the processor multiplies and adds in one step: they have the library's bits, and set
// the flags of their results alone.
// RUN: quernel-translate --to-cpp --math-isa=avx2 %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -mavx2 -mfma -c %t.cpp -o %t.o
// RUN: %if avx2 %{ %clang -mavx2 -mfma -include %t.cpp %S/Inputs/exponentials.cpp %libsleef -o %t.run %}
// RUN: %if avx2 %{ %t.run %}
// RUN: quernel-translate --to-cpp --math-isa=sse4 %s | FileCheck %s --check-prefix=SSE

// CHECK:     inline f64x4 exp(f64x4 x) {
// CHECK:       if (any_lane(above(fabs(x), 708.0)))
// CHECK:     inline f32x8 exp2(f32x8 x) {
// SSE:       inline f64x2 exp(f64x2 x) {
// SSE-NEXT:    const auto beyond = above(x, 710.0);
// SSE-NEXT:    if (!any_lane(beyond))
// SSE-NEXT:      return Sleef_cinz_expd2_u10sse4(x);
// SSE:             result[lane] = __builtin_exp(x[lane]);

func.func private @functions(%a: memref<?xf64>, %b: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<?xf64>, vector<4xf64>
  %ex = math.exp %x : vector<4xf64>
  vector.store %ex, %a[%c0] : memref<?xf64>, vector<4xf64>
  %px = math.exp2 %x : vector<4xf64>
  vector.store %px, %a[%c0] : memref<?xf64>, vector<4xf64>
  %y = vector.load %b[%c0] : memref<?xf32>, vector<8xf32>
  %ey = math.exp %y : vector<8xf32>
  vector.store %ey, %b[%c0] : memref<?xf32>, vector<8xf32>
  %py = math.exp2 %y : vector<8xf32>
  vector.store %py, %b[%c0] : memref<?xf32>, vector<8xf32>
  return
}
