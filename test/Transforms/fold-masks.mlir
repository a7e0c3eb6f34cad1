// RUN: quernel-opt %s --quernel-fold-masks | FileCheck %s

// CHECK-LABEL: func.func @sum_of_selected(
// CHECK-NEXT:    %[[ZERO:.*]] = quernel.constant
// CHECK-NEXT:    %[[ALL:.*]] = quernel.where %arg1, %arg0, %[[ZERO]]
// CHECK-NEXT:    %[[SUM:.*]] = quernel.reduce %[[ALL]] {axes = array<i64: 0>, kind = "sum"}
// CHECK-NEXT:    return %[[SUM]]
func.func @sum_of_selected(%x: tensor<9xf64>, %m: tensor<9xi1>) -> tensor<f64> {
  %ones = quernel.cast %m {dtype = i64} : (tensor<9xi1>) -> tensor<9xi64>
  %n = quernel.reduce %ones {kind = "sum", axes = array<i64: 0>} : (tensor<9xi64>) -> tensor<i64>
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  %c = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<9xf64>, tensor<9xi1>) -> tensor<?xf64>
  %s = quernel.reduce %c {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// The number of selected elements is the number that became the symbol.
// CHECK-LABEL: func.func @mean_of_selected(
// CHECK-NOT:     quernel.symbol
// CHECK-NOT:     quernel.dim
// CHECK:         %[[COUNT:.*]] = quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<9xi64>)
// CHECK:         quernel.cast %[[COUNT]] {dtype = f64}
func.func @mean_of_selected(%x: tensor<9xf64>, %m: tensor<9xi1>) -> tensor<f64> {
  %ones = quernel.cast %m {dtype = i64} : (tensor<9xi1>) -> tensor<9xi64>
  %n = quernel.reduce %ones {kind = "sum", axes = array<i64: 0>} : (tensor<9xi64>) -> tensor<i64>
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  %c = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<9xf64>, tensor<9xi1>) -> tensor<?xf64>
  %s = quernel.reduce %c {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
  %count = quernel.dim {dim = affine_map<()[s0] -> (s0)>} : () -> tensor<i64>
  %number = quernel.cast %count {dtype = f64} : (tensor<i64>) -> tensor<f64>
  %mean = quernel.divide %s, %number : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %mean : tensor<f64>
}

// x[m] = x[m] * x[m]
// CHECK-LABEL: func.func @stored_where_it_came_from(
// CHECK-NEXT:    %[[SQUARE:.*]] = quernel.multiply %arg0, %arg0 : (tensor<3x4xf64>, tensor<3x4xf64>)
// CHECK-NEXT:    %[[NEW:.*]] = quernel.where %arg1, %[[SQUARE]], %arg0
// CHECK-NEXT:    return %[[NEW]]
func.func @stored_where_it_came_from(%x: tensor<3x4xf64>, %m: tensor<3x4xi1>) -> tensor<3x4xf64> {
  %ones = quernel.cast %m {dtype = i64} : (tensor<3x4xi1>) -> tensor<3x4xi64>
  %n = quernel.reduce %ones {kind = "sum", axes = array<i64: 0, 1>} : (tensor<3x4xi64>) -> tensor<i64>
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  %c = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<3x4xf64>, tensor<3x4xi1>) -> tensor<?xf64>
  %v = quernel.multiply %c, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %rows = quernel.iota {shape = affine_map<() -> (3, 4)>, axis = 0, dtype = i64} : () -> tensor<3x4xi64>
  %columns = quernel.iota {shape = affine_map<() -> (3, 4)>, axis = 1, dtype = i64} : () -> tensor<3x4xi64>
  %i = quernel.compress %rows, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<3x4xi64>, tensor<3x4xi1>) -> tensor<?xi64>
  %j = quernel.compress %columns, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<3x4xi64>, tensor<3x4xi1>) -> tensor<?xi64>
  %r = quernel.scatter %x, %v, %i, %j {axes = array<i64: 0, 1>, kind = "set"} : (tensor<3x4xf64>, tensor<?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}

// Two masks: what one selects isn't where the other stores.
// CHECK-LABEL: func.func @other_mask(
// CHECK:         quernel.compress %arg0, %arg1
// CHECK:         quernel.scatter
func.func @other_mask(%x: tensor<9xf64>, %m: tensor<9xi1>, %k: tensor<9xi1>) -> tensor<9xf64> {
  %ones = quernel.cast %m {dtype = i64} : (tensor<9xi1>) -> tensor<9xi64>
  %n = quernel.reduce %ones {kind = "sum", axes = array<i64: 0>} : (tensor<9xi64>) -> tensor<i64>
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  %c = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<9xf64>, tensor<9xi1>) -> tensor<?xf64>
  %at = quernel.iota {shape = affine_map<() -> (9)>, axis = 0, dtype = i64} : () -> tensor<9xi64>
  %i = quernel.compress %at, %k {size = affine_map<()[s0] -> (s0)>} : (tensor<9xi64>, tensor<9xi1>) -> tensor<?xi64>
  %r = quernel.scatter %x, %c, %i {axes = array<i64: 0>, kind = "set"} : (tensor<9xf64>, tensor<?xf64>, tensor<?xi64>) -> tensor<9xf64>
  return %r : tensor<9xf64>
}
