// No element is loaded that an array doesn't have, also where the value isn't used: what is asked of an array that may
// be empty stands in a branch on its size.
// RUN: quernel-opt %s --quernel-form-kernels -cse | FileCheck %s

// Both parts may be empty.
// CHECK-LABEL: @parts(
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK: tensor.extract
// CHECK: scf.yield
// CHECK-NEXT: } else {
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NOT: tensor.extract
// CHECK: %[[SECOND:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK: tensor.extract
// CHECK: arith.select %{{.*}}, %[[SECOND]], %[[FIRST]]
func.func @parts(%k: tensor<i64> {quernel.argument = #quernel.argument<scalar>}, %x: tensor<9xf64>, %y: tensor<9xf64>) -> tensor<9xf64> {
  quernel.symbol %k {number = 0 : i64} : tensor<i64>
  %a = quernel.slice %x {offsets = affine_map<()[s0] -> (0)>, sizes = affine_map<()[s0] -> (s0)>, strides = affine_map<()[s0] -> (1)>} : (tensor<9xf64>) -> tensor<?xf64>
  %b = quernel.slice %y {offsets = affine_map<()[s0] -> (s0)>, sizes = affine_map<()[s0] -> (9 - s0)>, strides = affine_map<()[s0] -> (1)>} : (tensor<9xf64>) -> tensor<?xf64>
  %0 = quernel.concatenate %a, %b {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %square = quernel.square %0 : (tensor<?xf64>) -> tensor<?xf64>
  %1 = quernel.assume_shape %square {shape = affine_map<()[s0] -> (9)>} : (tensor<?xf64>) -> tensor<9xf64>
  return %1 : tensor<9xf64>
}

// Sizes of arguments are at least 2, and a counter is no less than its first value.
// CHECK-LABEL: @proven(
// CHECK-NOT: scf.if
// CHECK: return
func.func @proven(%n0: index, %n1: index, %x: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0, s1] -> (s0)>>}, %y: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0, s1] -> (s1)>>}, %m: tensor<20xf64>) -> (tensor<?xf64>, tensor<20xf64>) {
  %0 = quernel.concatenate %x, %y {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %first = quernel.size {dim = affine_map<() -> (1)>} : index
  %last = quernel.size {dim = affine_map<() -> (20)>} : index
  %one = quernel.size {dim = affine_map<() -> (1)>} : index
  %r = scf.for %i = %first to %last step %one iter_args(%a = %m) -> tensor<20xf64> {
    quernel.symbol %i {number = 2 : i64} : index
    %head = quernel.slice %a {offsets = affine_map<()[s0, s1, s2] -> (0)>, sizes = affine_map<()[s0, s1, s2] -> (s2)>, strides = affine_map<()[s0, s1, s2] -> (1)>} : (tensor<20xf64>) -> tensor<?xf64>
    %tail = quernel.slice %m {offsets = affine_map<()[s0, s1, s2] -> (s2)>, sizes = affine_map<()[s0, s1, s2] -> (20 - s2)>, strides = affine_map<()[s0, s1, s2] -> (1)>} : (tensor<20xf64>) -> tensor<?xf64>
    %both = quernel.concatenate %head, %tail {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %next = quernel.assume_shape %both {shape = affine_map<()[s0, s1, s2] -> (20)>} : (tensor<?xf64>) -> tensor<20xf64>
    scf.yield %next : tensor<20xf64>
  }
  return %0, %r : tensor<?xf64>, tensor<20xf64>
}

// But for those of a program that takes any size.
// CHECK-LABEL: @any_size(
// CHECK: scf.if
// CHECK: tensor.extract
func.func @any_size(%n0: index {quernel.argument = #quernel.argument<symbol, any_size>}, %x: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}, %at: tensor<4xi64>) -> tensor<4xf64> {
  %0 = quernel.gather %x, %at {axes = array<i64: 0>} : (tensor<?xf64>, tensor<4xi64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// A gather from an array that may be empty; what is asked of its operands, a reduction here, stays in the branch, too.
// CHECK-LABEL: @gather(
// CHECK: linalg.generic
// CHECK: scf.if %{{.*}} -> (f64) {
// CHECK: scf.for
// CHECK: tensor.extract %{{.*}}
// CHECK: } else {
func.func @gather(%k: tensor<i64> {quernel.argument = #quernel.argument<scalar>}, %x: tensor<9x3xf64>, %at: tensor<4xi64>) -> tensor<4xf64> {
  quernel.symbol %k {number = 0 : i64} : tensor<i64>
  %a = quernel.slice %x {offsets = affine_map<()[s0] -> (0, 0)>, sizes = affine_map<()[s0] -> (s0, 3)>, strides = affine_map<()[s0] -> (1, 1)>} : (tensor<9x3xf64>) -> tensor<?x3xf64>
  %s = quernel.reduce %a {kind = "sum", axes = array<i64: 1>} : (tensor<?x3xf64>) -> tensor<?xf64>
  %0 = quernel.gather %s, %at {axes = array<i64: 0>} : (tensor<?xf64>, tensor<4xi64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
