// Programs hold calls, sizes and allocations alone: loops that read nothing stay in their kernel, every allocation is released, and an
// array that two library calls read is cast once.
// RUN: quernel-opt %s --quernel-to-loops | FileCheck %s

// CHECK-LABEL: func.func @uniform_value(
// CHECK-NOT: scf.for
// CHECK: call @uniform_value_sum(%[[T:.*]]) : (memref<?xf64>) -> ()
// CHECK-NEXT: call @uniform_value_copy(%[[T]],
// CHECK-NOT: scf.for
// CHECK: return
func.func @uniform_value(%n0: index, %A: tensor<?x3xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 3)>>}) -> tensor<?x3xf64> attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
  %0 = quernel.iota {shape = affine_map<() -> (30)>, axis = 0 : i64, dtype = f64} : () -> tensor<30xf64>
  %1 = quernel.reduce %0 {kind = "sum", axes = array<i64: 0>} : (tensor<30xf64>) -> tensor<f64>
  %2 = quernel.update_slice %A, %1 {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<()[s0] -> (s0, 2)>, strides = affine_map<() -> (1, 1)>} : (tensor<?x3xf64>, tensor<f64>) -> tensor<?x3xf64>
  return %2 : tensor<?x3xf64>
}

// CHECK-LABEL: func.func @symbolic_temporary(
// CHECK: %[[T:.*]] = memref.alloc(%{{.*}}){{.*}} : memref<?xf64>
// CHECK-NEXT: quernel.allocated %[[T]]
// CHECK-NEXT: call {{.*}}%[[T]]
// CHECK-NEXT: quernel.allocated %[[OUT:.*]](%c100, %{{.*}}) {dtype = "float64"}
// CHECK-NEXT: call {{.*}}%[[T]], %[[OUT]]
// CHECK-NEXT: memref.dealloc %[[T]] : memref<?xf64>
func.func @symbolic_temporary(%n0: index, %x: tensor<100x?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (100, s0)>>}) -> tensor<100x?xf64> {
  %0 = quernel.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<100x?xf64>) -> tensor<?xf64>
  %1 = quernel.subtract %x, %0 : (tensor<100x?xf64>, tensor<?xf64>) -> tensor<100x?xf64>
  return %1 : tensor<100x?xf64>
}

// CHECK-LABEL: func.func @read_by_two_products(
// CHECK: %[[T:.*]] = memref.alloc() : memref<289xf64>
// CHECK-NOT: memref.alloc
// CHECK: call @qn_matmul_f64(
// CHECK-NEXT: call @qn_matmul_f64(
// CHECK-NEXT: call @qn_matmul_f64(
// CHECK-NEXT: memref.dealloc %[[T]]
func.func @read_by_two_products(%x: tensor<17x17xf64>) -> (tensor<17x17xf64>, tensor<17x17xf64>) {
  %0 = quernel.matmul %x, %x : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  %1 = quernel.matmul %x, %0 : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  %2 = quernel.matmul %0, %x : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  return %1, %2 : tensor<17x17xf64>, tensor<17x17xf64>
}

// CHECK-LABEL: func.func @scalar_update(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x">}
// CHECK-NEXT: call @scalar_update_add(%[[X]], %{{[^,]*}}) :
// CHECK-NEXT: return
func.func @scalar_update(%x: tensor<f64> {quernel.argument = #quernel.argument<"x">}, %v: tensor<f64> {quernel.argument = #quernel.argument<"v">}) -> tensor<f64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %0 = quernel.add %x, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = quernel.update_slice %x, %0 {offsets = affine_map<() -> ()>, sizes = affine_map<() -> ()>, strides = affine_map<() -> ()>} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// An array that is returned in two versions: the older one isn't overwritten.
// CHECK-LABEL: func.func @two_versions(
// CHECK-SAME: %[[NEW:[a-z0-9]+]]: memref<?xi64> {quernel.argument = #quernel.argument<"out0">}, %[[OLD:[a-z0-9]+]]: memref<?xi64> {quernel.argument = #quernel.argument<"out1">}
// CHECK: call @two_versions_copy(%[[OLD]])
// CHECK-NOT: %[[OLD]]
// CHECK: call @two_versions_sum{{.*}}%[[NEW]]
func.func @two_versions(%x: tensor<3xi64> {quernel.argument = #quernel.argument<"x">}) -> (tensor<1xi64>, tensor<1xi64>) {
  %0 = quernel.reduce %x {axes = array<i64: 0>, kind = "sum"} : (tensor<3xi64>) -> tensor<i64>
  %1 = quernel.iota {axis = 0 : i64, dtype = i64, shape = affine_map<() -> (1)>} : () -> tensor<1xi64>
  %2 = quernel.update_slice %1, %0 {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  return %2, %1 : tensor<1xi64>, tensor<1xi64>
}
