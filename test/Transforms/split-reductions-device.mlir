// On a device, pieces of what isn't rounded are shorter, and many pieces are cut again.
// RUN: quernel-opt %s --quernel-target-gpu --quernel-split-reductions --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @rounded(
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<1000000xf64>) -> tensor<62xf64>
// CHECK-NEXT: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<62xf64>) -> tensor<f64>
func.func @rounded(%x: tensor<1000000xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000000xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// CHECK-LABEL: @exact(
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 2048 : i64, kind = "max"} : (tensor<100000000xf64>) -> tensor<48829xf64>
// CHECK-NEXT: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 2048 : i64, kind = "max"} : (tensor<48829xf64>) -> tensor<24xf64>
// CHECK-NEXT: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "max"} : (tensor<24xf64>) -> tensor<f64>
func.func @exact(%x: tensor<100000000xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<100000000xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// CHECK-LABEL: @integers(
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 2048 : i64, kind = "sum"} : (tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<?xi64>) -> tensor<i64>
func.func @integers(%n0: index, %x: tensor<?xi64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}) -> tensor<i64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
  return %s : tensor<i64>
}

// What a mask chooses is stored in the pieces in which it has been counted.
// CHECK-LABEL: @chosen(
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 256 : i64, kind = "sum"} : (tensor<1000000xi64>) -> tensor<3907xi64>
// CHECK-NEXT: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<3907xi64>) -> tensor<i64>
func.func @chosen(%x: tensor<1000000xf64>, %m: tensor<1000000xi1>) -> tensor<?xf64> {
  %ones = quernel.cast %m {dtype = i64} : (tensor<1000000xi1>) -> tensor<1000000xi64>
  %count = quernel.reduce %ones {kind = "sum", axes = array<i64: 0>} : (tensor<1000000xi64>) -> tensor<i64>
  quernel.symbol %count {number = 0 : i64} : tensor<i64>
  %r = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<1000000xf64>, tensor<1000000xi1>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// CHECK-LABEL: @place(
// CHECK: quernel.argreduce %{{.*}} {axis = 0 : i64, chunk = 2048 : i64, kind = "argmin"}
func.func @place(%x: tensor<1000000xf64>) -> tensor<i64> {
  %w:2 = quernel.argreduce %x {kind = "argmin", axis = 0 : i64} : (tensor<1000000xf64>) -> (tensor<f64>, tensor<i64>)
  return %w#1 : tensor<i64>
}
