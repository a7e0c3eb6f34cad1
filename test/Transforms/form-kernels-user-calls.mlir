// A function of the user's gets the sizes, then what it reads, then what it writes, which begins with what the array holds.
// Nothing it takes is fused into it; numbers are handed over by value.
// RUN: quernel-opt %s --quernel-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: tensor<f64>, %{{.*}}: tensor<?xf64>
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[A]][] : tensor<f64>
// CHECK: linalg.generic {{.*}}library_call = "scaled_1"} ins(%[[N]], %[[NUMBER]], %{{.*}} : index, f64, tensor<?xf64>) outs(%{{.*}} : tensor<?xf64>)
// CHECK: linalg.yield %cst : f64
func.func @scaled(%n: index, %a: tensor<f64>, %x: tensor<?xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0)>>}) -> tensor<?xf64> {
  %two = quernel.add %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %0 = quernel.user_call %a, %two {callee = "scaled_1", written = 0 : i64, sizes = affine_map<()[s0] -> (s0)>, ranks = array<i64: 1>, shapes = affine_map<()[s0] -> (s0)>, dtypes = [f64]} : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func.func @written(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>
// CHECK: linalg.generic {{.*}}library_call = "written_1"} outs(%[[X]], %{{.*}} : tensor<4xi8>, tensor<2x3xcomplex<f64>>)
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: i8, %{{.*}}: complex<f64>):
// CHECK: linalg.yield %[[OLD]], %{{.*}} : i8, complex<f64>
func.func @written(%x: tensor<4xui8>) -> (tensor<2x3xcomplex<f64>>, tensor<4xui8>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %0, %1 = quernel.user_call %x {callee = "written_1", written = 1 : i64, sizes = affine_map<() -> ()>, ranks = array<i64: 2>, shapes = affine_map<() -> (2, 3)>, dtypes = [complex<f64>]} : (tensor<4xui8>) -> (tensor<4xui8>, tensor<2x3xcomplex<f64>>)
  return %1, %0 : tensor<2x3xcomplex<f64>>, tensor<4xui8>
}
