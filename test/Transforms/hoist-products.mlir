// Products with one vector a turn become one product before the loop, of which each turn reads a row.
// RUN: quernel-opt %s --quernel-hoist-products --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// The columns behind the turn's own.
// CHECK-LABEL: @triangle(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<60x50xf64>, %[[OUT:[a-z0-9]+]]:
// CHECK: %[[T:.*]] = quernel.transpose %[[X]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[ALL:.*]] = quernel.matmul %[[T]], %[[X]] : (tensor<50x60xf64>, tensor<60x50xf64>) -> tensor<50x50xf64>
// CHECK: scf.for
// CHECK-NOT: quernel.matmul
// CHECK: %[[ROW:.*]] = quernel.slice %[[ALL]] {offsets = affine_map<()[s0] -> (s0, s0)>, sizes = affine_map<()[s0] -> (1, -s0 + 50)>,
// CHECK-NEXT: quernel.reshape %[[ROW]] {shape = affine_map<()[s0] -> (-s0 + 50)>}
func.func @triangle(%x: tensor<60x50xf64>, %out: tensor<50xf64>) -> tensor<50xf64> attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %n = quernel.size {dim = affine_map<() -> (50)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<50xf64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %column = quernel.slice %x {offsets = affine_map<()[s0] -> (0, s0)>, sizes = affine_map<() -> (60, 1)>, strides = affine_map<() -> (1, 1)>} : (tensor<60x50xf64>) -> tensor<60x1xf64>
    %a = quernel.reshape %column {shape = affine_map<() -> (60)>} : (tensor<60x1xf64>) -> tensor<60xf64>
    %b = quernel.slice %x {offsets = affine_map<()[s0] -> (0, s0)>, sizes = affine_map<()[s0] -> (60, -s0 + 50)>, strides = affine_map<() -> (1, 1)>} : (tensor<60x50xf64>) -> tensor<60x?xf64>
    %p = quernel.matmul %a, %b : (tensor<60xf64>, tensor<60x?xf64>) -> tensor<?xf64>
    %u = quernel.update_slice %o, %p {offsets = affine_map<()[s0] -> (s0)>, sizes = affine_map<()[s0] -> (-s0 + 50)>, strides = affine_map<() -> (1)>} : (tensor<50xf64>, tensor<?xf64>) -> tensor<50xf64>
    scf.yield %u : tensor<50xf64>
  }
  return %r : tensor<50xf64>
}

// Half of the rows of an array of 80; the vector is the right operand, and its index falls.
// CHECK-LABEL: @part_of_the_rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<80x60xf64>, %[[Y:[a-z0-9]+]]: tensor<30x60xf64>
// CHECK-DAG: %[[HALF:.*]] = quernel.slice %[[X]] {offsets = affine_map<() -> (40, 0)>, sizes = affine_map<() -> (40, 60)>
// CHECK-DAG: %[[T:.*]] = quernel.transpose %[[Y]] {permutation = array<i64: 1, 0>}
// CHECK: %[[ALL:.*]] = quernel.matmul %[[HALF]], %[[T]] : (tensor<40x60xf64>, tensor<60x30xf64>) -> tensor<40x30xf64>
// CHECK: scf.for
// CHECK: quernel.slice %[[ALL]] {offsets = affine_map<()[s0] -> (-s0 + 39, 0)>, sizes = affine_map<() -> (1, 30)>
func.func @part_of_the_rows(%x: tensor<80x60xf64>, %y: tensor<30x60xf64>, %out: tensor<80x30xf64>) -> tensor<80x30xf64> attributes {quernel.function = #quernel.function<graph, updates = [2]>} {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %n = quernel.size {dim = affine_map<() -> (40)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<80x30xf64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %row = quernel.slice %x {offsets = affine_map<()[s0] -> (-s0 + 79, 0)>, sizes = affine_map<() -> (1, 60)>, strides = affine_map<() -> (1, 1)>} : (tensor<80x60xf64>) -> tensor<1x60xf64>
    %v = quernel.reshape %row {shape = affine_map<() -> (60)>} : (tensor<1x60xf64>) -> tensor<60xf64>
    %p = quernel.matmul %y, %v : (tensor<30x60xf64>, tensor<60xf64>) -> tensor<30xf64>
    %q = quernel.reshape %p {shape = affine_map<() -> (1, 30)>} : (tensor<30xf64>) -> tensor<1x30xf64>
    %u = quernel.update_slice %o, %q {offsets = affine_map<()[s0] -> (s0, 0)>, sizes = affine_map<() -> (1, 30)>, strides = affine_map<() -> (1, 1)>} : (tensor<80x30xf64>, tensor<1x30xf64>) -> tensor<80x30xf64>
    scf.yield %u : tensor<80x30xf64>
  }
  return %r : tensor<80x30xf64>
}

// The same product in all turns, of which the call says how many there are.
// CHECK-LABEL: @steady(
// CHECK: quernel.matmul {{.*}} (tensor<?x60xf64>, tensor<60x?xf64>) -> tensor<?x?xf64>
// CHECK: scf.for
// CHECK-NOT: quernel.matmul
// CHECK: return
func.func @steady(%n0: index, %x: tensor<?x60xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 60)>>}, %out: tensor<?x?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, s0)>>}) -> tensor<?x?xf64> attributes {quernel.function = #quernel.function<graph, updates = [2]>} {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %n = quernel.size {dim = affine_map<()[s0] -> (s0)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<?x?xf64>) {
    quernel.symbol %i {number = 1 : i64} : index
    %t = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x60xf64>) -> tensor<60x?xf64>
    %p = quernel.matmul %x, %t : (tensor<?x60xf64>, tensor<60x?xf64>) -> tensor<?x?xf64>
    %u = quernel.add %o, %p : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    scf.yield %u : tensor<?x?xf64>
  }
  return %r : tensor<?x?xf64>
}

// Nothing says that the array has a row for each turn.
// CHECK-LABEL: @not_proven(
// CHECK: scf.for
// CHECK: quernel.matmul
func.func @not_proven(%n0: index, %n1: index, %x: tensor<?x60xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 60)>>}, %y: tensor<60x50xf64>, %out: tensor<?x50xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0, s1] -> (s1, 50)>>}) -> tensor<?x50xf64> attributes {quernel.function = #quernel.function<graph, updates = [2]>} {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %n = quernel.size {dim = affine_map<()[s0, s1] -> (s1)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<?x50xf64>) {
    quernel.symbol %i {number = 2 : i64} : index
    %row = quernel.slice %x {offsets = affine_map<()[s0, s1, s2] -> (s2, 0)>, sizes = affine_map<() -> (1, 60)>, strides = affine_map<() -> (1, 1)>} : (tensor<?x60xf64>) -> tensor<1x60xf64>
    %v = quernel.reshape %row {shape = affine_map<() -> (60)>} : (tensor<1x60xf64>) -> tensor<60xf64>
    %p = quernel.matmul %v, %y : (tensor<60xf64>, tensor<60x50xf64>) -> tensor<50xf64>
    %q = quernel.reshape %p {shape = affine_map<() -> (1, 50)>} : (tensor<50xf64>) -> tensor<1x50xf64>
    %u = quernel.update_slice %o, %q {offsets = affine_map<()[s0, s1, s2] -> (s2, 0)>, sizes = affine_map<() -> (1, 50)>, strides = affine_map<() -> (1, 1)>} : (tensor<?x50xf64>, tensor<1x50xf64>) -> tensor<?x50xf64>
    scf.yield %u : tensor<?x50xf64>
  }
  return %r : tensor<?x50xf64>
}

// Both operands are views of one view, which moves once, before both.
// CHECK-LABEL: @views_of_one(
// CHECK: quernel.reshape
// CHECK: quernel.slice
// CHECK: %[[P:.*]] = quernel.matmul
// CHECK: scf.for
// CHECK-NOT: quernel.matmul
// CHECK: quernel.update_slice %{{.*}}, %[[P]]
func.func @views_of_one(%x: tensor<1x4x4xf64>, %out: tensor<3x3xf64>) -> tensor<3x3xf64> attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %n = quernel.size {dim = affine_map<() -> (50)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<3x3xf64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %m = quernel.reshape %x {shape = affine_map<() -> (4, 4)>} : (tensor<1x4x4xf64>) -> tensor<4x4xf64>
    %a = quernel.slice %m {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<() -> (3, 3)>, strides = affine_map<() -> (1, 1)>} : (tensor<4x4xf64>) -> tensor<3x3xf64>
    %b = quernel.slice %m {offsets = affine_map<() -> (1, 1)>, sizes = affine_map<() -> (3, 3)>, strides = affine_map<() -> (1, 1)>} : (tensor<4x4xf64>) -> tensor<3x3xf64>
    %p = quernel.matmul %a, %b : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %u = quernel.update_slice %o, %p {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<() -> (3, 3)>, strides = affine_map<() -> (1, 1)>} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    scf.yield %u : tensor<3x3xf64>
  }
  return %r : tensor<3x3xf64>
}
