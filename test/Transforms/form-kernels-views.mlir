// Every view, creation and reduction as index arithmetic.
// RUN: quernel-opt %s --quernel-form-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

// The general case divides the position in C order.
// CHECK-LABEL: @reshape(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.muli %[[V2]], %c8{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V4]], %[[V3]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.remui %[[V5]], %c4{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.divui %[[V5]], %c4{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V7]], %[[V6]]]
// CHECK-NEXT: linalg.yield %[[V8]]
// CHECK: return %[[V1]]
func.func @reshape(%x: tensor<6x4xf64> {quernel.argument = #quernel.argument<strided>}) -> tensor<3x8xf64> {
  %0 = quernel.reshape %x {shape = affine_map<() -> (3, 8)>} : (tensor<6x4xf64>) -> tensor<3x8xf64>
  return %0 : tensor<3x8xf64>
}

// Leading axes that both shapes share, and axes of size 1, need no arithmetic.
// CHECK-LABEL: @shared_lead(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 2
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = linalg.index 3
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.muli %[[V3]], %c2{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.addi %[[V5]], %[[V4]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V2]], %[[V6]]]
// CHECK-NEXT: linalg.yield %[[V7]]
// CHECK: return %[[V1]]
func.func @shared_lead(%n0: index, %x: tensor<?x4xf64> {quernel.argument = #quernel.argument<strided, shape = affine_map<()[s0] -> (s0, 4)>>}) -> tensor<?x1x2x2xf64> {
  %0 = quernel.reshape %x {shape = affine_map<()[s0] -> (s0, 1, 2, 2)>} : (tensor<?x4xf64>) -> tensor<?x1x2x2xf64>
  return %0 : tensor<?x1x2x2xf64>
}

// Axes are divided within groups that hold as many elements on both sides: here the first axis alone.
// CHECK-LABEL: @groups(
// CHECK: %[[I:[a-z0-9_]+]] = linalg.index 0
// CHECK-DAG: %[[J:[a-z0-9_]+]] = linalg.index 1
// CHECK-DAG: %[[K:[a-z0-9_]+]] = linalg.index 2
// CHECK-DAG: %[[R:[a-z0-9_]+]] = arith.remui %[[I]], %c6{{[_a-z0-9]*}}
// CHECK-DAG: %[[Q:[a-z0-9_]+]] = arith.divui %[[I]], %c6{{[_a-z0-9]*}}
// CHECK: tensor.extract %{{.*}}[%[[Q]], %[[R]], %[[J]], %[[K]]]
// CHECK-NOT: arith.remui
func.func @groups(%n0: index, %x: tensor<4x6x?x5xf64> {quernel.argument = #quernel.argument<strided, shape = affine_map<()[s0] -> (4, 6, s0, 5)>>}) -> tensor<24x?x5xf64> {
  %0 = quernel.reshape %x {shape = affine_map<()[s0] -> (24, s0, 5)>} : (tensor<4x6x?x5xf64>) -> tensor<24x?x5xf64>
  return %0 : tensor<24x?x5xf64>
}

// Where the beginnings differ, the ends may still be groups: (4 * n, 3, 5) as (n, 4 * 3, 5).
// CHECK-LABEL: @groups_at_the_end(
// CHECK-DAG: %[[I:[a-z0-9_]+]] = linalg.index 0
// CHECK-DAG: %[[J:[a-z0-9_]+]] = linalg.index 1
// CHECK-DAG: %[[K:[a-z0-9_]+]] = linalg.index 2
// CHECK: %[[M:[a-z0-9_]+]] = arith.muli %[[I]], %c12{{[_a-z0-9]*}}
// CHECK: %[[P:[a-z0-9_]+]] = arith.addi %[[M]], %[[J]]
// CHECK-DAG: %[[R:[a-z0-9_]+]] = arith.remui %[[P]], %c3{{[_a-z0-9]*}}
// CHECK-DAG: %[[Q:[a-z0-9_]+]] = arith.divui %[[P]], %c3{{[_a-z0-9]*}}
// CHECK: tensor.extract %{{.*}}[%[[Q]], %[[R]], %[[K]]]
func.func @groups_at_the_end(%n0: index, %x: tensor<?x3x5xf64> {quernel.argument = #quernel.argument<strided, shape = affine_map<()[s0] -> (s0 * 4, 3, 5)>>}) -> tensor<?x12x5xf64> {
  %0 = quernel.reshape %x {shape = affine_map<()[s0] -> (s0, 12, 5)>} : (tensor<?x3x5xf64>) -> tensor<?x12x5xf64>
  return %0 : tensor<?x12x5xf64>
}

// CHECK-LABEL: @transpose(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = linalg.index 2
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V3]], %[[V4]], %[[V2]]]
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: return %[[V1]]
func.func @transpose(%x: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %0 = quernel.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  return %0 : tensor<4x2x3xf64>
}

// CHECK-LABEL: @broadcast(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V2]], %c0{{[_a-z0-9]*}}]
// CHECK-NEXT: linalg.yield %[[V3]]
// CHECK: return %[[V1]]
func.func @broadcast(%x: tensor<3x1xf64>) -> tensor<2x3x4xf64> {
  %0 = quernel.broadcast_to %x {shape = affine_map<() -> (2, 3, 4)>} : (tensor<3x1xf64>) -> tensor<2x3x4xf64>
  return %0 : tensor<2x3x4xf64>
}

// CHECK-LABEL: @reversed(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %c-1{{[_a-z0-9]*}} = arith.constant -1
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.addi %[[A0]], %c-1{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.subi %[[V3]], %[[V2]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V4]]]
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: return %[[V1]]
func.func @reversed(%n0: index, %x: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}) -> tensor<?xf64> {
  %0 = quernel.slice %x {offsets = affine_map<()[s0] -> (s0 - 1)>, sizes = affine_map<()[s0] -> (s0)>, strides = affine_map<() -> (-1)>} : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// Indices are clamped into each piece, so that every load is legal; empty pieces are left out.
// CHECK-LABEL: @concatenate(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.maxsi %[[V2]], %c0{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.minsi %[[V3]], %c1{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V4]]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.subi %[[V2]], %c2{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.maxsi %[[V6]], %c0{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.minsi %[[V7]], %c2{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.extract %[[A2]][%[[V8]]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.cmpi sge, %[[V2]], %c2{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = arith.select %[[V10]], %[[V9]], %[[V5]]
// CHECK-NEXT: linalg.yield %[[V11]]
// CHECK: return %[[V1]]
func.func @concatenate(%x: tensor<2xf64>, %e: tensor<0xf64>, %y: tensor<3xf64>) -> tensor<5xf64> {
  %0 = quernel.concatenate %x, %e, %y {axis = 0 : i64} : (tensor<2xf64>, tensor<0xf64>, tensor<3xf64>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}

// CHECK-LABEL: @created(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V2:[a-z0-9_]+]]:2 = linalg.generic {{.*}} outs(%[[V0]], %[[V1]] :
// CHECK: %[[V3:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A1]][]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.index_cast %[[V3]] : index to i64
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.sitofp %[[V5]]
// CHECK-NEXT: linalg.yield %[[V4]], %[[V6]]
// CHECK: %[[V7:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V7]] :
// CHECK: %[[V3]] = linalg.index 0
// CHECK-NEXT: %[[V4]] = tensor.extract %{{[a-z0-9_]+}}[%[[V3]]]
// CHECK-NEXT: linalg.yield %[[V4]]
// CHECK: %[[V9:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V9]] :
// CHECK: %[[V3]] = arith.muli %[[A0]], %c2{{[_a-z0-9]*}} overflow<nsw>
// CHECK-NEXT: %[[V5]] = arith.index_cast %[[V3]] : index to i64
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: return %[[V2]]#0, %[[V2]]#1, %[[V8]], %[[V10]]
func.func @created(%n0: index, %v: tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<2xi64>, tensor<i64>) {
  %0 = quernel.full %v {shape = affine_map<()[s0] -> (s0)>} : (tensor<f64>) -> tensor<?xf64>
  %1 = quernel.iota {shape = affine_map<()[s0] -> (s0)>, axis = 0 : i64, dtype = f64} : () -> tensor<?xf64>
  %2 = quernel.constant {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %3 = quernel.dim {dim = affine_map<()[s0] -> (s0 * 2)>} : () -> tensor<i64>
  return %0, %1, %2, %3 : tensor<?xf64>, tensor<?xf64>, tensor<2xi64>, tensor<i64>
}

// There is no table to load from.
// CHECK-LABEL: @empty_constant(
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: linalg.yield %{{[a-z0-9_]+}}
// CHECK: return %[[V1]]
func.func @empty_constant() -> tensor<0x2xf64> {
  %0 = quernel.constant {value = dense<> : tensor<0x2xf64>} : () -> tensor<0x2xf64>
  return %0 : tensor<0x2xf64>
}

// CHECK-LABEL: @several_axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = scf.for %[[V4:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c2{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V5:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = scf.for %[[V7:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c4{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V8:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V4]], %[[V2]], %[[V7]]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.addf %[[V8]], %[[V9]]
// CHECK-NEXT: scf.yield %[[V10]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = arith.addf %[[V5]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V11]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: linalg.yield %[[V3]]
// CHECK: return %[[V1]]
func.func @several_axes(%x: tensor<2x3x4xf64>) -> tensor<3xf64> {
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 2>} : (tensor<2x3x4xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// The sum of nothing is plus zero.
// CHECK-LABEL: @nothing(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: linalg.yield %{{[a-z0-9_]+}}
// CHECK: return %[[V1]]
func.func @nothing(%x: tensor<0x3xf64>) -> tensor<3xf64> {
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<0x3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// A chunk is a piece of the loop.
// CHECK-LABEL: @pieces(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.muli %[[V2]], %c16{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addi %[[V3]], %c16{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.minsi %[[V4]], %c40{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = scf.for %[[V7:[a-z0-9_]+]] = %[[V3]] to %[[V5]] step %c1{{[_a-z0-9]*}} iter_args(%[[V8:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V7]]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.addf %[[V8]], %[[V9]]
// CHECK-NEXT: scf.yield %[[V10]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: linalg.yield %[[V6]]
// CHECK: return %[[V1]]
func.func @pieces(%x: tensor<40xf64>) -> tensor<3xf64> {
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>, chunk = 16 : i64} : (tensor<40xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// The second search takes indices from the first.
// CHECK-LABEL: @search(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V2:[a-z0-9_]+]]:2 = linalg.generic {{.*}} outs(%[[V0]], %[[V1]] :
// CHECK: %[[V3:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.muli %[[V3]], %c16{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V4]], %c16{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.minsi %[[V5]], %c40{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.index_cast %[[V4]] : index to i64
// CHECK-NEXT: %[[V8:[a-z0-9_]+]]:2 = scf.for %[[V9:[a-z0-9_]+]] = %[[V4]] to %[[V6]] step %c1{{[_a-z0-9]*}} iter_args(%[[V10:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V11:[a-z0-9_]+]] = %[[V7]]) -> {{.*}} {
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = arith.index_cast %[[V9]] : index to i64
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V9]]]
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = arith.cmpf ugt, %[[V13]], %[[V10]]
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = arith.cmpf uno, %[[V10]], %[[V10]]
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = arith.xori %[[V16]], %true
// CHECK-NEXT: %[[V19:[a-z0-9_]+]] = arith.andi %[[V14]], %[[V17]]
// CHECK-NEXT: %[[V20:[a-z0-9_]+]] = arith.select %[[V19]], %[[V13]], %[[V10]]
// CHECK-NEXT: %[[V21:[a-z0-9_]+]] = arith.select %[[V19]], %[[V12]], %[[V11]]
// CHECK-NEXT: scf.yield %[[V20]], %[[V21]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [argmax, index]>}
// CHECK-NEXT: linalg.yield %[[V8]]#0, %[[V8]]#1
// CHECK: %[[V22:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V23:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V22]] :
// CHECK: %[[V13]] = tensor.extract %[[V2]]#1[%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V24:[a-z0-9_]+]]:2 = scf.for %[[V9]] = %c0{{[_a-z0-9]*}} to %c3{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V10]] = %{{[a-z0-9_]+}}, %[[V11]] = %[[V13]]) -> {{.*}} {
// CHECK-NEXT: %[[V25:[a-z0-9_]+]] = tensor.extract %[[V2]]#1[%[[V9]]]
// CHECK-NEXT: %[[V26:[a-z0-9_]+]] = tensor.extract %[[V2]]#0[%[[V9]]]
// CHECK-NEXT: %[[BETTER:[a-z0-9_]+]] = arith.cmpf ugt, %[[V26]], %[[V10]]
// CHECK-NEXT: %[[NAN:[a-z0-9_]+]] = arith.cmpf uno, %[[V10]], %[[V10]]
// CHECK-NEXT: %[[NUMBER:[a-z0-9_]+]] = arith.xori %[[NAN]], %true
// CHECK-NEXT: %[[WINS:[a-z0-9_]+]] = arith.andi %[[BETTER]], %[[NUMBER]]
// CHECK-NEXT: %[[BEST:[a-z0-9_]+]] = arith.select %[[WINS]], %[[V26]], %[[V10]]
// CHECK-NEXT: %[[AT:[a-z0-9_]+]] = arith.select %[[WINS]], %[[V25]], %[[V11]]
// CHECK-NEXT: scf.yield %[[BEST]], %[[AT]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [argmax, index]>}
// CHECK-NEXT: linalg.yield %[[V24]]#1
// CHECK: return %[[V23]]
func.func @search(%x: tensor<40xf64>) -> tensor<i64> {
  %p:2 = quernel.argreduce %x {kind = "argmax", axis = 0 : i64, chunk = 16 : i64} : (tensor<40xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  %w:2 = quernel.argreduce %p#0, %p#1 {kind = "argmax", axis = 0 : i64} : (tensor<3xf64>, tensor<3xi64>) -> (tensor<f64>, tensor<i64>)
  return %w#1 : tensor<i64>
}

// A product of floats over several axes has one accumulator, which the inner loop takes over from the outer one.
// CHECK-LABEL: func.func @product_of_axes(
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}}) -> (f64) {
// CHECK-NEXT: %[[ROW:.*]] = scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (f64) {
// CHECK: %[[NEXT:.*]] = arith.mulf %[[INNER]], %{{.*}} : f64
// CHECK-NEXT: scf.yield %[[NEXT]] : f64
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [prod]>}
// CHECK-NEXT: scf.yield %[[ROW]] : f64
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [prod]>}
// CHECK: linalg.yield %[[ALL]]
func.func @product_of_axes(%x: tensor<2x3x4xf64>) -> tensor<3xf64> {
  %0 = quernel.reduce %x {kind = "prod", axes = array<i64: 0, 2>} : (tensor<2x3x4xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
