// Chains in which computing a value again would compute all before it again, too: something on the way is stored.
// RUN: quernel-opt %s --quernel-form-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

// Element (i, k) of the first product is asked for by each column j of the second one, whose sum over k is inside.
// CHECK-LABEL: @products(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @products(%x: tensor<4x1x4xf64>, %y: tensor<1x4x4xf64>) -> tensor<4x4xf64> {
  %0 = quernel.multiply %x, %y : (tensor<4x1x4xf64>, tensor<1x4x4xf64>) -> tensor<4x4x4xf64>
  %1 = quernel.reduce %0 {axes = array<i64: 2>, kind = "sum"} : (tensor<4x4x4xf64>) -> tensor<4x4xf64>
  %2 = quernel.exp %1 : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %3 = quernel.reshape %2 {shape = affine_map<() -> (4, 4, 1)>} : (tensor<4x4xf64>) -> tensor<4x4x1xf64>
  %4 = quernel.multiply %3, %y : (tensor<4x4x1xf64>, tensor<1x4x4xf64>) -> tensor<4x4x4xf64>
  %5 = quernel.reduce %4 {axes = array<i64: 1>, kind = "sum"} : (tensor<4x4x4xf64>) -> tensor<4x4xf64>
  return %5 : tensor<4x4xf64>
}

// Both ways from the first sum to the second one count, not only the first that is looked at.
// CHECK-LABEL: @outer(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @outer(%x: tensor<64x64xf64>) -> tensor<64xf64> {
  %0 = quernel.reduce %x {axes = array<i64: 1>, kind = "sum"} : (tensor<64x64xf64>) -> tensor<64xf64>
  %1 = quernel.reshape %0 {shape = affine_map<() -> (1, 64)>} : (tensor<64xf64>) -> tensor<1x64xf64>
  %2 = quernel.reshape %0 {shape = affine_map<() -> (64, 1)>} : (tensor<64xf64>) -> tensor<64x1xf64>
  %3 = quernel.multiply %2, %1 : (tensor<64x1xf64>, tensor<1x64xf64>) -> tensor<64x64xf64>
  %4 = quernel.reduce %3 {axes = array<i64: 1>, kind = "sum"} : (tensor<64x64xf64>) -> tensor<64xf64>
  return %4 : tensor<64xf64>
}

// The maximum of a row is computed before the loop over the row, so that nothing has to be stored.
// CHECK-LABEL: @rows(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rows(%x: tensor<64x64xf64>) -> tensor<64xf64> {
  %0 = quernel.reduce %x {axes = array<i64: 1>, kind = "max"} : (tensor<64x64xf64>) -> tensor<64xf64>
  %1 = quernel.reshape %0 {shape = affine_map<() -> (64, 1)>} : (tensor<64xf64>) -> tensor<64x1xf64>
  %2 = quernel.subtract %x, %1 : (tensor<64x64xf64>, tensor<64x1xf64>) -> tensor<64x64xf64>
  %3 = quernel.reduce %2 {axes = array<i64: 1>, kind = "sum"} : (tensor<64x64xf64>) -> tensor<64xf64>
  return %3 : tensor<64xf64>
}

// A use by another grouping of the elements doesn't hide that the other use asks for each of them again.
// CHECK-LABEL: @regrouped(
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @regrouped(%x: tensor<64xf64>, %y: tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<8x8xf64>) {
  %0 = quernel.exp %x : (tensor<64xf64>) -> tensor<64xf64>
  %1 = quernel.multiply %0, %y : (tensor<64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  %2 = quernel.reshape %0 {shape = affine_map<() -> (8, 8)>} : (tensor<64xf64>) -> tensor<8x8xf64>
  %3 = quernel.negative %2 : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %1, %3 : tensor<64x64xf64>, tensor<8x8xf64>
}

// The same with the uses in the other order.
// CHECK-LABEL: @regrouped_first(
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @regrouped_first(%x: tensor<64xf64>, %y: tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<8x8xf64>) {
  %0 = quernel.exp %x : (tensor<64xf64>) -> tensor<64xf64>
  %2 = quernel.reshape %0 {shape = affine_map<() -> (8, 8)>} : (tensor<64xf64>) -> tensor<8x8xf64>
  %3 = quernel.negative %2 : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = quernel.multiply %0, %y : (tensor<64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %1, %3 : tensor<64x64xf64>, tensor<8x8xf64>
}

// A row's update goes through the row alone, not through all rows: what it stores is computed once.
// CHECK-LABEL: @row_of_a_matrix(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @row_of_a_matrix(%x: tensor<64xf64>, %y: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %0 = quernel.exp %x : (tensor<64xf64>) -> tensor<64xf64>
  %1 = quernel.negative %0 : (tensor<64xf64>) -> tensor<64xf64>
  %2 = quernel.update_slice %y, %1 {offsets = affine_map<() -> (3, 0)>, sizes = affine_map<() -> (1, 64)>, strides = affine_map<() -> (1, 1)>} : (tensor<64x64xf64>, tensor<64xf64>) -> tensor<64x64xf64>
  return %2 : tensor<64x64xf64>
}

// The update of all rows by one row asks for each element again.
// CHECK-LABEL: @all_rows_of_a_matrix(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @all_rows_of_a_matrix(%x: tensor<64xf64>, %y: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %0 = quernel.exp %x : (tensor<64xf64>) -> tensor<64xf64>
  %1 = quernel.negative %0 : (tensor<64xf64>) -> tensor<64xf64>
  %2 = quernel.update_slice %y, %1 {offsets = affine_map<() -> (1, 0)>, sizes = affine_map<() -> (62, 64)>, strides = affine_map<() -> (1, 1)>} : (tensor<64x64xf64>, tensor<64xf64>) -> tensor<64x64xf64>
  return %2 : tensor<64x64xf64>
}

// Many sums of which one maximum is made: threads share the sums where they are stored.
// CHECK-LABEL: @greatest_of_sums(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @greatest_of_sums(%x: tensor<500x500xf64>) -> tensor<f64> {
  %0 = quernel.reduce %x {axes = array<i64: 0>, kind = "sum"} : (tensor<500x500xf64>) -> tensor<500xf64>
  %1 = quernel.reduce %0 {axes = array<i64: 0>, kind = "max"} : (tensor<500xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// Little work isn't worth a kernel.
// CHECK-LABEL: @greatest_of_few_sums(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @greatest_of_few_sums(%x: tensor<50x50xf64>) -> tensor<f64> {
  %0 = quernel.reduce %x {axes = array<i64: 0>, kind = "sum"} : (tensor<50x50xf64>) -> tensor<50xf64>
  %1 = quernel.reduce %0 {axes = array<i64: 0>, kind = "max"} : (tensor<50xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}
