// RUN: quernel-opt %s --quernel-share-symbols | FileCheck %s

// CHECK-DAG: #[[ONE:.*]] = affine_map<()[s0] -> (1)>
// CHECK-DAG: #[[SIZE:.*]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: #[[MORE:.*]] = affine_map<()[s0, s1] -> (s0 + 1)>

// CHECK-LABEL: func.func @shared(
// CHECK: quernel.check %arg0
// CHECK-NEXT: quernel.symbol %arg1 {{.*}}number = 0
// CHECK-NEXT: quernel.full %arg2 {shape = #[[SIZE]]}
// CHECK-NEXT: quernel.full %arg2 {shape = #[[MORE]]}
// CHECK-NEXT: return
func.func @shared(%ok: tensor<i1>, %n: tensor<i64>, %x: tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>) {
  quernel.check %ok {exception = "ValueError", message = "no"} : tensor<i1>
  quernel.symbol %n {number = 0 : i64, lower = affine_map<()[s0] -> (0)>} : tensor<i64>
  %0 = quernel.full %x {shape = affine_map<()[s0] -> (s0)>} : (tensor<f64>) -> tensor<?xf64>
  quernel.check %ok {exception = "ValueError", message = "no"} : tensor<i1>
  quernel.symbol %n {number = 1 : i64, lower = affine_map<()[s0] -> (0)>} : tensor<i64>
  %1 = quernel.full %x {shape = affine_map<()[s0, s1] -> (s1 + 1)>} : (tensor<f64>) -> tensor<?xf64>
  return %0, %1 : tensor<?xf64>, tensor<?xf64>
}

// What is known of the two differs.

// CHECK-LABEL: func.func @other_bounds(
// CHECK: quernel.symbol %arg0 {number = 0
// CHECK: quernel.symbol %arg0 {lower = #[[ONE]], number = 1
func.func @other_bounds(%n: tensor<i64>, %x: tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>) {
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  quernel.symbol %n {number = 1 : i64, lower = affine_map<()[s0] -> (1)>} : tensor<i64>
  %0 = quernel.full %x {shape = affine_map<()[s0] -> (s0)>} : (tensor<f64>) -> tensor<?xf64>
  %1 = quernel.full %x {shape = affine_map<()[s0, s1] -> (s1)>} : (tensor<f64>) -> tensor<?xf64>
  return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
