// A routine is one call of the library; what it takes is stored before it. The places that a sort gives are integers.
// RUN: quernel-opt %s --quernel-to-loops | quernel-translate --to-cpp | FileCheck %s

// CHECK: extern "C" int32_t places(
// CHECK: call(context, {{[0-9]+}} /* argsort */, 1 /* f64 */, {4, 50, 1, 1}, {50, 1, 0, 50, 1, 0}, {{.*}}, out)
func.func @places(%x: tensor<4x50xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (4, 50)>>}) -> tensor<4x50xi64> {
  %0 = quernel.square %x : (tensor<4x50xf64>) -> tensor<4x50xf64>
  %1 = quernel.routine %0 {kind = "argsort", axis = 1, sizes = affine_map<() -> ()>} : (tensor<4x50xf64>) -> tensor<4x50xi64>
  return %1 : tensor<4x50xi64>
}

// CHECK: extern "C" int32_t bytes(
// CHECK: call(context, {{[0-9]+}} /* sort_stable */, 6 /* u8 */, {1, 7, 1, 1}, {7, 1, 0, 7, 1, 0}, x, out)
func.func @bytes(%x: tensor<1x7xui8> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (1, 7)>>}) -> tensor<1x7xui8> {
  %0 = quernel.routine %x {kind = "sort_stable", axis = 1, sizes = affine_map<() -> ()>} : (tensor<1x7xui8>) -> tensor<1x7xui8>
  return %0 : tensor<1x7xui8>
}

// CHECK: extern "C" int32_t middle(
// CHECK: call(context, {{[0-9]+}} /* partition */, 11 /* i64 */, {2, 9, 3, 1}, {9, 1, 0, 0, 1, 0, 9, 1, 0}, x, k, out)
func.func @middle(%x: tensor<2x9xi64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (2, 9)>>}, %k: tensor<3xi64> {quernel.argument = #quernel.argument<"k", shape = affine_map<() -> (3)>>}) -> tensor<2x9xi64> {
  %0 = quernel.routine %x, %k {kind = "partition", axis = 1, sizes = affine_map<() -> ()>} : (tensor<2x9xi64>, tensor<3xi64>) -> tensor<2x9xi64>
  return %0 : tensor<2x9xi64>
}

// A number that all lines share has no steps; the lines' axis needn't be the last one, which others stand around.
// CHECK: extern "C" int32_t spectrum(
// CHECK: for (int64_t i = 0; i < 2; ++i)
// CHECK:   if (int32_t code = call(context, {{[0-9]+}} /* rfft_n_even */, 1 /* f64 */, {5, 8, 5, 1}, {1, 5, 0, 0, 0, 0, 1, 5, 0}, x + {{.*}}, scale, out + {{.*}}))
// CHECK-NEXT: return fail(context, {{[0-9]+}}, code);
func.func @spectrum(%x: tensor<2x8x5xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (2, 8, 5)>>}, %scale: tensor<f64> {quernel.argument = #quernel.argument<"scale", shape = affine_map<() -> ()>>}) -> tensor<2x5x5xcomplex<f64>> {
  %0 = quernel.routine %x, %scale {kind = "rfft_n_even", axis = 1, sizes = affine_map<() -> (5)>} : (tensor<2x8x5xf64>, tensor<f64>) -> tensor<2x5x5xcomplex<f64>>
  return %0 : tensor<2x5x5xcomplex<f64>>
}
