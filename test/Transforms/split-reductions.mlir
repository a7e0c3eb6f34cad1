// Long reductions with few results are cut into pieces of 16384.
// RUN: quernel-opt %s --quernel-split-reductions --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @sum(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A0]] {axes = array<i64: 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<1000000xf64>) -> tensor<62xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<62xf64>) -> tensor<f64>
// CHECK-NEXT: return %[[V1]] : tensor<f64>
func.func @sum(%x: tensor<1000000xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000000xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// CHECK-LABEL: @symbolic(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A1]] {axes = array<i64: 0>, chunk = 16384 : i64, kind = "max"} : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "max"} : (tensor<?xf64>) -> tensor<f64>
// CHECK-NEXT: return %[[V1]] : tensor<f64>
func.func @symbolic(%n0: index, %x: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// The long axis goes first.
// CHECK-LABEL: @second_axis_is_long(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A0]] {axes = array<i64: 2, 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<3x2x100000xf64>) -> tensor<7x2xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<7x2xf64>) -> tensor<2xf64>
// CHECK-NEXT: return %[[V1]] : tensor<2xf64>
func.func @second_axis_is_long(%x: tensor<3x2x100000xf64>) -> tensor<2xf64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 2>} : (tensor<3x2x100000xf64>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}

// CHECK-LABEL: @search(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]], %[[V1:[a-z0-9_]+]] = quernel.argreduce %[[A0]] {axis = 0 : i64, chunk = 16384 : i64, kind = "argmin"} : (tensor<100000x3xf64>) -> (tensor<7x3xf64>, tensor<7x3xi64>)
// CHECK-NEXT: %[[V2:[a-z0-9_]+]], %[[V3:[a-z0-9_]+]] = quernel.argreduce %[[V0]], %[[V1]] {axis = 0 : i64, kind = "argmin"} : (tensor<7x3xf64>, tensor<7x3xi64>) -> (tensor<3xf64>, tensor<3xi64>)
// CHECK-NEXT: return %[[V3]] : tensor<3xi64>
func.func @search(%x: tensor<100000x3xf64>) -> tensor<3xi64> {
  %v, %i = quernel.argreduce %x {kind = "argmin", axis = 0 : i64} : (tensor<100000x3xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %i : tensor<3xi64>
}

// Less than two pieces.
// CHECK-LABEL: @short(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<32767xf64>) -> tensor<f64>
// CHECK-NEXT: return %[[V0]] : tensor<f64>
func.func @short(%x: tensor<32767xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<32767xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// The results are the parallelism.
// CHECK-LABEL: @many_results(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A0]] {axes = array<i64: 1>, kind = "sum"} : (tensor<64x100000xf64>) -> tensor<64xf64>
// CHECK-NEXT: return %[[V0]] : tensor<64xf64>
func.func @many_results(%x: tensor<64x100000xf64>) -> tensor<64xf64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 1>} : (tensor<64x100000xf64>) -> tensor<64xf64>
  return %s : tensor<64xf64>
}

// CHECK-LABEL: @one_after_another(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reduce %[[A0]] {axes = array<i64: 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<100000x3xf64>) -> tensor<7x3xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<7x3xf64>) -> tensor<3xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.subtract %[[A0]], %[[V1]] : (tensor<100000x3xf64>, tensor<3xf64>) -> tensor<100000x3xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 0>, chunk = 16384 : i64, kind = "max"} : (tensor<100000x3xf64>) -> tensor<7x3xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = quernel.reduce %[[V3]] {axes = array<i64: 0>, kind = "max"} : (tensor<7x3xf64>) -> tensor<3xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 0, 1>, chunk = 16384 : i64, kind = "sum"} : (tensor<100000x3xf64>) -> tensor<7xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = quernel.reduce %[[V5]] {axes = array<i64: 0>, kind = "sum"} : (tensor<7xf64>) -> tensor<f64>
// CHECK-NEXT: return %[[V4]], %[[V6]] : tensor<3xf64>, tensor<f64>
func.func @one_after_another(%x: tensor<100000x3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<100000x3xf64>) -> tensor<3xf64>
  %d = quernel.subtract %x, %s : (tensor<100000x3xf64>, tensor<3xf64>) -> tensor<100000x3xf64>
  %m = quernel.reduce %d {kind = "max", axes = array<i64: 0>} : (tensor<100000x3xf64>) -> tensor<3xf64>
  %t = quernel.reduce %d {kind = "sum", axes = array<i64: 0, 1>} : (tensor<100000x3xf64>) -> tensor<f64>
  return %m, %t : tensor<3xf64>, tensor<f64>
}

// What is summed is another size in every turn: mostly short.
// CHECK-LABEL: @growing(
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<?xf64>) -> tensor<f64>
// CHECK-NEXT: scf.yield
func.func @growing(%x: tensor<100000xf64>, %zero: tensor<f64>) -> tensor<f64> {
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%last = %zero) -> (tensor<f64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %a = quernel.slice %x {offsets = affine_map<()[s0] -> (0)>, sizes = affine_map<()[s0] -> (s0)>, strides = affine_map<()[s0] -> (1)>} : (tensor<100000xf64>) -> tensor<?xf64>
    %s = quernel.reduce %a {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// Many long rows are cut into pieces of 64 rows, as for sums of columns.
// CHECK-LABEL: @all_of_a_matrix(
// CHECK: %[[V0:.+]] = quernel.reduce %{{.+}} {axes = array<i64: 0, 1>, chunk = 64 : i64, kind = "sum"} : (tensor<2000x1000xf64>) -> tensor<32xf64>
// CHECK-NEXT: quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<32xf64>) -> tensor<f64>
func.func @all_of_a_matrix(%x: tensor<2000x1000xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 1>} : (tensor<2000x1000xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// Four pieces are too few: the next axis is cut.
// CHECK-LABEL: @few_matrices(
// CHECK: quernel.reduce %{{.+}} {axes = array<i64: 1, 0, 2>, chunk = 8 : i64, kind = "max"} : (tensor<4x500x500xf64>) -> tensor<63xf64>
func.func @few_matrices(%x: tensor<4x500x500xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "max", axes = array<i64: 0, 1, 2>} : (tensor<4x500x500xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// Sizes that aren't known: rows of a length that is assumed.
// CHECK-LABEL: @symbolic_matrix(
// CHECK: quernel.reduce %{{.+}} {axes = array<i64: 0, 1>, chunk = 64 : i64, kind = "max"} : (tensor<?x?xf64>) -> tensor<?xf64>
func.func @symbolic_matrix(%n0: index, %n1: index, %x: tensor<?x?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0, s1] -> (s0, s1)>>}) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "max", axes = array<i64: 0, 1>} : (tensor<?x?xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// Together too few elements for two pieces.
// CHECK-LABEL: @small_matrix(
// CHECK: quernel.reduce %{{.+}} {axes = array<i64: 0, 1>, kind = "sum"} : (tensor<181x181xf64>) -> tensor<f64>
func.func @small_matrix(%x: tensor<181x181xf64>) -> tensor<f64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 1>} : (tensor<181x181xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// What a mask keeps choosing of what it has left, from turn to turn, is counted and stored in pieces; other sizes that only a
// loop knows count as short.

// CHECK-LABEL: func.func @left(
// CHECK: scf.while
// CHECK: quernel.symbol %{{.*}} {number = 0
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<?xi64>) -> tensor<?xi64>
// CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "sum"} : (tensor<?xf64>) -> tensor<f64>
func.func @left(%x: tensor<40000xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (40000)>>},
                %m: tensor<40000xi1> {quernel.argument = #quernel.argument<"m", shape = affine_map<() -> (40000)>>},
                %n: tensor<i64> {quernel.argument = #quernel.argument<"n", scalar, shape = affine_map<() -> ()>>}) -> tensor<i64> {
  %r = scf.while (%i = %n) : (tensor<i64>) -> tensor<i64> {
    %ok = quernel.not_equal %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = tensor.extract %ok[] : tensor<i1>
    scf.condition(%go) %i : tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>):
    quernel.symbol %i {number = 0 : i64} : tensor<i64>
    %part = quernel.slice %x {offsets = affine_map<()[s0] -> (0)>, sizes = affine_map<()[s0] -> (s0)>, strides = affine_map<()[s0] -> (1)>} : (tensor<40000xf64>) -> tensor<?xf64>
    %mask = quernel.slice %m {offsets = affine_map<()[s0] -> (0)>, sizes = affine_map<()[s0] -> (s0)>, strides = affine_map<()[s0] -> (1)>} : (tensor<40000xi1>) -> tensor<?xi1>
    %ones = quernel.cast %mask {dtype = i64} : (tensor<?xi1>) -> tensor<?xi64>
    %count = quernel.reduce %ones {axes = array<i64: 0>, kind = "sum"} : (tensor<?xi64>) -> tensor<i64>
    quernel.symbol %count {number = 1 : i64} : tensor<i64>
    %chosen = quernel.compress %part, %mask {size = affine_map<()[s0, s1] -> (s1)>} : (tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
    %sum = quernel.reduce %part {axes = array<i64: 0>, kind = "sum"} : (tensor<?xf64>) -> tensor<f64>
    %next = quernel.cast %sum {dtype = i64} : (tensor<f64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %r : tensor<i64>
}

// Products of floats are multiplied one after the other; those of integers in pieces.
// CHECK-LABEL: @products(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:
// CHECK-NEXT: quernel.reduce %[[A0]] {axes = array<i64: 0>, kind = "prod"} : (tensor<1000000xf64>) -> tensor<f64>
// CHECK-NEXT: quernel.reduce %[[A1]] {axes = array<i64: 0>, kind = "prod"} : (tensor<1000000xcomplex<f32>>) -> tensor<complex<f32>>
// CHECK-NEXT: quernel.reduce %[[A2]] {axes = array<i64: 0>, kind = "prod"} : (tensor<5000x300xf32>) -> tensor<300xf32>
// CHECK-NEXT: quernel.reduce %[[A3]] {axes = array<i64: 0>, chunk = 16384 : i64, kind = "prod"} : (tensor<1000000xi64>) -> tensor<62xi64>
func.func @products(%x: tensor<1000000xf64>, %z: tensor<1000000xcomplex<f32>>, %c: tensor<5000x300xf32>, %i: tensor<1000000xi64>)
    -> (tensor<f64>, tensor<complex<f32>>, tensor<300xf32>, tensor<i64>) {
  %0 = quernel.reduce %x {kind = "prod", axes = array<i64: 0>} : (tensor<1000000xf64>) -> tensor<f64>
  %1 = quernel.reduce %z {kind = "prod", axes = array<i64: 0>} : (tensor<1000000xcomplex<f32>>) -> tensor<complex<f32>>
  %2 = quernel.reduce %c {kind = "prod", axes = array<i64: 0>} : (tensor<5000x300xf32>) -> tensor<300xf32>
  %3 = quernel.reduce %i {kind = "prod", axes = array<i64: 0>} : (tensor<1000000xi64>) -> tensor<i64>
  return %0, %1, %2, %3 : tensor<f64>, tensor<complex<f32>>, tensor<300xf32>, tensor<i64>
}
