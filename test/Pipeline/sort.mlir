// A sort is one call of the library; what is sorted is stored before it, and the places are integers.
// RUN: quernel-opt %s --quernel-to-loops | quernel-translate --to-cpp | FileCheck %s

// CHECK: extern "C" int32_t places(
// CHECK: sort(context, 2 /* argsort */, 1 /* f64 */, {{.*}}, out, {50, 1, 50, 1, 0}, 4, 50)
func.func @places(%x: tensor<4x50xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (4, 50)>>}) -> tensor<4x50xi64> {
  %0 = quernel.square %x : (tensor<4x50xf64>) -> tensor<4x50xf64>
  %1 = quernel.sort %0 {kind = "argsort"} : (tensor<4x50xf64>) -> tensor<4x50xi64>
  return %1 : tensor<4x50xi64>
}

// CHECK: extern "C" int32_t bytes(
// CHECK: sort(context, 1 /* sort_stable */, 6 /* u8 */, x, out, {7, 1, 7, 1, 0}, 1, 7)
func.func @bytes(%x: tensor<1x7xui8> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (1, 7)>>}) -> tensor<1x7xui8> {
  %0 = quernel.sort %x {kind = "sort_stable"} : (tensor<1x7xui8>) -> tensor<1x7xui8>
  return %0 : tensor<1x7xui8>
}

// CHECK: extern "C" int32_t middle(
// CHECK: sort(context, 4 /* partition */, 11 /* i64 */, x, out, {9, 1, 9, 1, 1}, 2, 9, k, 3)
func.func @middle(%x: tensor<2x9xi64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (2, 9)>>}, %k: tensor<1x3xi64> {quernel.argument = #quernel.argument<"k", shape = affine_map<() -> (1, 3)>>}) -> tensor<2x9xi64> {
  %0 = quernel.sort %x, %k {kind = "partition"} : (tensor<2x9xi64>, tensor<1x3xi64>) -> tensor<2x9xi64>
  return %0 : tensor<2x9xi64>
}
