// Products inside of a loop read slices where they are, of arguments and of what was computed before the loop.
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
