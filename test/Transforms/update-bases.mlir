// Updates of elements of a reshaped array, of which the array is made again, update the array.
// RUN: quernel-opt %s --quernel-update-bases --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @element(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<30x20xf64>, %[[V:[a-z0-9]+]]: tensor<1xf64>)
// CHECK-NEXT: %[[Y:.+]] = quernel.update_slice %[[X]], %[[V]] {offsets = affine_map<() -> (6, 3)>, sizes = affine_map<() -> (1, 1)>, strides = affine_map<() -> (1, 1)>}
// CHECK-NEXT: return %[[Y]]
func.func @element(%x: tensor<30x20xf64>, %v: tensor<1xf64>) -> tensor<30x20xf64> {
  %f = quernel.reshape %x {shape = affine_map<() -> (600)>} : (tensor<30x20xf64>) -> tensor<600xf64>
  %u = quernel.update_slice %f, %v {offsets = affine_map<() -> (123)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<600xf64>, tensor<1xf64>) -> tensor<600xf64>
  %y = quernel.reshape %u {shape = affine_map<() -> (30, 20)>} : (tensor<600xf64>) -> tensor<30x20xf64>
  return %y : tensor<30x20xf64>
}

// One after the other.
// CHECK-LABEL: @scattered(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5x4x3xf64>, %[[K:[a-z0-9]+]]: tensor<7xi64>, %[[V:[a-z0-9]+]]: tensor<7xf64>)
// CHECK: %[[THREE:.+]] = quernel.constant {value = dense<3> : tensor<i64>}
// CHECK-NEXT: %[[Z:.+]] = quernel.remainder %[[K]], %[[THREE]]
// CHECK-NEXT: %[[REST:.+]] = quernel.floor_divide %[[K]], %[[THREE]]
// CHECK-NEXT: %[[FOUR:.+]] = quernel.constant {value = dense<4> : tensor<i64>}
// CHECK-NEXT: %[[J:.+]] = quernel.remainder %[[REST]], %[[FOUR]]
// CHECK-NEXT: %[[I:.+]] = quernel.floor_divide %[[REST]], %[[FOUR]]
// CHECK-NEXT: %[[Y:.+]] = quernel.scatter %[[X]], %[[V]], %[[I]], %[[J]], %[[Z]] {axes = array<i64: 0, 1, 2>, kind = "sum"}
// CHECK: quernel.scatter %[[Y]], %[[V]]
// CHECK-NOT: quernel.reshape
// CHECK: return
func.func @scattered(%x: tensor<5x4x3xf64>, %k: tensor<7xi64>, %v: tensor<7xf64>) -> tensor<5x4x3xf64> {
  %f = quernel.reshape %x {shape = affine_map<() -> (60)>} : (tensor<5x4x3xf64>) -> tensor<60xf64>
  %u = quernel.scatter %f, %v, %k {axes = array<i64: 0>, kind = "sum"} : (tensor<60xf64>, tensor<7xf64>, tensor<7xi64>) -> tensor<60xf64>
  %y = quernel.reshape %u {shape = affine_map<() -> (5, 4, 3)>} : (tensor<60xf64>) -> tensor<5x4x3xf64>
  %g = quernel.reshape %y {shape = affine_map<() -> (60)>} : (tensor<5x4x3xf64>) -> tensor<60xf64>
  %w = quernel.scatter %g, %v, %k {axes = array<i64: 0>, kind = "set"} : (tensor<60xf64>, tensor<7xf64>, tensor<7xi64>) -> tensor<60xf64>
  %z = quernel.reshape %w {shape = affine_map<() -> (5, 4, 3)>} : (tensor<60xf64>) -> tensor<5x4x3xf64>
  return %z : tensor<5x4x3xf64>
}

// A size that only the run knows divides the position there.
// CHECK-LABEL: @unknown_rows(
// CHECK: %[[AT:.+]] = quernel.constant {value = dense<5> : tensor<i64>}
// CHECK-NEXT: %[[N:.+]] = quernel.dim {dim = affine_map<()[s0] -> (s0)>}
// CHECK-NEXT: %[[J:.+]] = quernel.remainder %[[AT]], %[[N]]
// CHECK-NEXT: %[[I:.+]] = quernel.floor_divide %[[AT]], %[[N]]
// CHECK-NEXT: quernel.scatter %{{.+}}, %{{.+}}, %[[I]], %[[J]] {axes = array<i64: 0, 1>, kind = "set"}
func.func @unknown_rows(%n: index, %x: tensor<?x?xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0, s0)>>}, %v: tensor<f64>) -> tensor<?x?xf64> {
  %f = quernel.reshape %x {shape = affine_map<()[s0] -> (s0 * s0)>} : (tensor<?x?xf64>) -> tensor<?xf64>
  %u = quernel.update_slice %f, %v {offsets = affine_map<() -> (5)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %y = quernel.reshape %u {shape = affine_map<()[s0] -> (s0, s0)>} : (tensor<?xf64>) -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

// Several elements, another shape, and an updated array that is asked for itself stay.
// CHECK-LABEL: @stays(
// CHECK-COUNT-6: quernel.reshape
func.func @stays(%x: tensor<30x20xf64>, %v: tensor<1xf64>) -> (tensor<30x20xf64>, tensor<20x30xf64>, tensor<30x20xf64>, tensor<600xf64>) {
  %f = quernel.reshape %x {shape = affine_map<() -> (600)>} : (tensor<30x20xf64>) -> tensor<600xf64>
  %u = quernel.update_slice %f, %v {offsets = affine_map<() -> (123)>, sizes = affine_map<() -> (9)>, strides = affine_map<() -> (1)>} : (tensor<600xf64>, tensor<1xf64>) -> tensor<600xf64>
  %y = quernel.reshape %u {shape = affine_map<() -> (30, 20)>} : (tensor<600xf64>) -> tensor<30x20xf64>
  %g = quernel.reshape %x {shape = affine_map<() -> (600)>} : (tensor<30x20xf64>) -> tensor<600xf64>
  %w = quernel.update_slice %g, %v {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<600xf64>, tensor<1xf64>) -> tensor<600xf64>
  %z = quernel.reshape %w {shape = affine_map<() -> (20, 30)>} : (tensor<600xf64>) -> tensor<20x30xf64>
  %h = quernel.reshape %x {shape = affine_map<() -> (600)>} : (tensor<30x20xf64>) -> tensor<600xf64>
  %a = quernel.update_slice %h, %v {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<600xf64>, tensor<1xf64>) -> tensor<600xf64>
  %b = quernel.reshape %a {shape = affine_map<() -> (30, 20)>} : (tensor<600xf64>) -> tensor<30x20xf64>
  return %y, %z, %b, %a : tensor<30x20xf64>, tensor<20x30xf64>, tensor<30x20xf64>, tensor<600xf64>
}
