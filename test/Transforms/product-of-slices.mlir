// Products read their operands where they are. Inside of a loop so are slices of arguments and of what was computed
// before the loop.
// RUN: quernel-opt %s --quernel-form-kernels --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @products(
// CHECK: %[[CENTRED:.*]] = linalg.generic
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to
// CHECK-NOT: linalg.generic
// CHECK: %[[A:.*]] = tensor.extract_slice %[[CENTRED]][0, %[[I]]] [60, 1] [1, 1] : tensor<60x50xf64> to tensor<60xf64>
// CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[0, %[[I]]] [60, %{{.*}}] [1, 1] : tensor<60x50xf64> to tensor<60x?xf64>
// CHECK: linalg.generic {{.*}} library_call = "qn_matmul_f64"} ins(%[[A]], %[[B]] :
func.func @products(%x: tensor<60x50xf64>, %out: tensor<50xf64>) -> tensor<50xf64> attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50 : index
  %centred = quernel.square %x : (tensor<60x50xf64>) -> tensor<60x50xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<50xf64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %column = quernel.slice %centred {offsets = affine_map<()[s0] -> (0, s0)>, sizes = affine_map<()[s0] -> (60, 1)>, strides = affine_map<()[s0] -> (1, 1)>} : (tensor<60x50xf64>) -> tensor<60x1xf64>
    %a = quernel.reshape %column {shape = affine_map<()[s0] -> (60)>} : (tensor<60x1xf64>) -> tensor<60xf64>
    %b = quernel.slice %x {offsets = affine_map<()[s0] -> (0, s0)>, sizes = affine_map<()[s0] -> (60, -s0 + 50)>, strides = affine_map<()[s0] -> (1, 1)>} : (tensor<60x50xf64>) -> tensor<60x?xf64>
    %p = quernel.matmul %a, %b : (tensor<60xf64>, tensor<60x?xf64>) -> tensor<?xf64>
    %u = quernel.update_slice %o, %p {offsets = affine_map<()[s0] -> (s0)>, sizes = affine_map<()[s0] -> (-s0 + 50)>, strides = affine_map<()[s0] -> (1)>} : (tensor<50xf64>, tensor<?xf64>) -> tensor<50xf64>
    scf.yield %u : tensor<50xf64>
  }
  return %r : tensor<50xf64>
}

// An exchange of axes is the order of the operand's steps, axes that a reshape joins are one of them.
// CHECK-LABEL: @exchanged_and_joined(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7x100x6x50xf64>{{.*}}, %[[Y:[a-z0-9]+]]: tensor<2x25x60xf64>
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2]] : tensor<2x25x60xf64> into tensor<50x60xf64>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[X]], %[[B]] :
// CHECK-SAME: #quernel.axes<"**ikj">
func.func @exchanged_and_joined(%x: tensor<7x100x6x50xf64>, %y: tensor<2x25x60xf64>) -> tensor<7x6x100x60xf64> {
  %a = quernel.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<7x100x6x50xf64>) -> tensor<7x6x100x50xf64>
  %b = quernel.reshape %y {shape = affine_map<() -> (50, 60)>} : (tensor<2x25x60xf64>) -> tensor<50x60xf64>
  %p = quernel.matmul %a, %b : (tensor<7x6x100x50xf64>, tensor<50x60xf64>) -> tensor<7x6x100x60xf64>
  return %p : tensor<7x6x100x60xf64>
}

// An axis of size 1 that a reshape has put in is none of the memory.
// CHECK-LABEL: @unit_axes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<60x60x128xf64>, %[[Y:[a-z0-9]+]]: tensor<128x128xf64>
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2]] : tensor<60x60x128xf64> into tensor<60x60x128xf64>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[A]], %[[Y]] :
func.func @unit_axes(%x: tensor<60x60x128xf64>, %y: tensor<128x128xf64>) -> tensor<60x60x1x128xf64> {
  %a = quernel.reshape %x {shape = affine_map<() -> (60, 60, 1, 128)>} : (tensor<60x60x128xf64>) -> tensor<60x60x1x128xf64>
  %p = quernel.matmul %a, %y : (tensor<60x60x1x128xf64>, tensor<128x128xf64>) -> tensor<60x60x1x128xf64>
  return %p : tensor<60x60x1x128xf64>
}
