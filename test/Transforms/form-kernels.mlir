// What is stored, and the index functions of what isn't.
// RUN: quernel-opt %s --quernel-form-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @fused(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A2]][%[[V3]]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.subf %[[V4]], %[[V5]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = math.exp %[[V6]]
// CHECK-NEXT: linalg.yield %[[V7]]
// CHECK: return %[[V1]]
func.func @fused(%n0: index, %x: tensor<?x3xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 3)>>}, %y: tensor<3xf64>) -> tensor<?x3xf64> {
  %0 = quernel.subtract %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %1 = quernel.exp %0 : (tensor<?x3xf64>) -> tensor<?x3xf64>
  return %1 : tensor<?x3xf64>
}

// One index space over joined axes, two results, one kernel.
// CHECK-LABEL: @flat(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.collapse_shape %[[A1]] {{\[\[}}0, 1]]
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.muli %[[A0]], %c3{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty(%[[V1]])
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.muli %[[A0]], %c3{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty(%[[V3]])
// CHECK-NEXT: %[[V5:[a-z0-9_]+]]:2 = linalg.generic {{.*}} outs(%[[V2]], %[[V4]] :
// CHECK: %[[V6:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.extract %[[V0]][%[[V6]]]
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.extract %[[A2]][]
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = arith.mulf %[[V7]], %[[V8]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.cmpf uno, %[[V9]], %[[V9]]
// CHECK-NEXT: linalg.yield %[[V9]], %[[V10]]
// CHECK: return %[[V5]]#0, %[[V5]]#1
func.func @flat(%n0: index, %x: tensor<?x3xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 3)>>}, %k: tensor<f64>) -> (tensor<?x3xf64>, tensor<?x3xi1>) {
  %0 = quernel.multiply %x, %k : (tensor<?x3xf64>, tensor<f64>) -> tensor<?x3xf64>
  %1 = quernel.isnan %0 : (tensor<?x3xf64>) -> tensor<?x3xi1>
  return %0, %1 : tensor<?x3xf64>, tensor<?x3xi1>
}

// An argument without elements keeps its axes, as MLIR can't join an axis of size 0 with one of a dynamic size.
// CHECK-LABEL: @without_elements(
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK: return
func.func @without_elements(%n0: index, %x: tensor<0x?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (0, s0)>>}) -> tensor<0x?xf64> {
  %0 = quernel.multiply %x, %x : (tensor<0x?xf64>, tensor<0x?xf64>) -> tensor<0x?xf64>
  return %0 : tensor<0x?xf64>
}

// Strided arguments keep their axes.
// CHECK-LABEL: @strided(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.negf %[[V4]]
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: return %[[V1]]
func.func @strided(%x: tensor<4x3xf64> {quernel.argument = #quernel.argument<strided>}) -> tensor<4x3xf64> {
  %0 = quernel.negative %x : (tensor<4x3xf64>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// Row reductions are inlined: one kernel, one pass over memory.
// CHECK-LABEL: @softmax(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty(%[[A0]])
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = scf.for %[[V6:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V7:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V2]], %[[V6]]]
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = arith.maximumf %[[V7]], %[[V8]]
// CHECK-NEXT: scf.yield %[[V9]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.subf %[[V4]], %[[V5]]
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = math.exp %[[V10]]
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = scf.for %[[V6]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V7]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V8]] = tensor.extract %[[A1]][%[[V2]], %[[V6]]]
// CHECK-NEXT: %[[V9]] = arith.subf %[[V8]], %[[V5]]
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = math.exp %[[V9]]
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = arith.addf %[[V7]], %[[V13]]
// CHECK-NEXT: scf.yield %[[V14]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = arith.divf %[[V11]], %[[V12]]
// CHECK-NEXT: linalg.yield %[[V15]]
// CHECK: return %[[V1]]
func.func @softmax(%n0: index, %x: tensor<?x300xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 300)>>}) -> tensor<?x300xf64> {
  %m = quernel.reduce %x {kind = "max", axes = array<i64: 1>} : (tensor<?x300xf64>) -> tensor<?xf64>
  %m1 = quernel.reshape %m {shape = affine_map<()[s0] -> (s0, 1)>} : (tensor<?xf64>) -> tensor<?x1xf64>
  %d = quernel.subtract %x, %m1 : (tensor<?x300xf64>, tensor<?x1xf64>) -> tensor<?x300xf64>
  %e = quernel.exp %d : (tensor<?x300xf64>) -> tensor<?x300xf64>
  %s = quernel.reduce %e {kind = "sum", axes = array<i64: 1>} : (tensor<?x300xf64>) -> tensor<?xf64>
  %s1 = quernel.reshape %s {shape = affine_map<()[s0] -> (s0, 1)>} : (tensor<?xf64>) -> tensor<?x1xf64>
  %r = quernel.divide %e, %s1 : (tensor<?x300xf64>, tensor<?x1xf64>) -> tensor<?x300xf64>
  return %r : tensor<?x300xf64>
}

// A reduction that every row asks for again is stored.
// CHECK-LABEL: @columns(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = scf.for %[[V4:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c1000{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V5:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V4]], %[[V2]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.addf %[[V5]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: linalg.yield %[[V3]]
// CHECK: %[[V8:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V8]] :
// CHECK: %[[V2]] = linalg.index 0
// CHECK-NEXT: %[[V3]] = linalg.index 1
// CHECK-NEXT: %[[V6]] = tensor.extract %[[A0]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = tensor.extract %[[V1]][%[[V3]]]
// CHECK-NEXT: %[[V7]] = arith.subf %[[V6]], %[[V10]]
// CHECK-NEXT: linalg.yield %[[V7]]
// CHECK: return %[[V9]]
func.func @columns(%x: tensor<1000x30xf64>) -> tensor<1000x30xf64> {
  %m = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000x30xf64>) -> tensor<30xf64>
  %d = quernel.subtract %x, %m : (tensor<1000x30xf64>, tensor<30xf64>) -> tensor<1000x30xf64>
  return %d : tensor<1000x30xf64>
}

// A stored scalar has one axis.
// CHECK-LABEL: @centred(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = scf.for %[[V3:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c1000{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V4:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V3]]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.addf %[[V4]], %[[V5]]
// CHECK-NEXT: scf.yield %[[V6]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: linalg.yield %[[V2]]
// CHECK: %[[V7:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V7]] :
// CHECK: %[[V2]] = linalg.index 0
// CHECK-NEXT: %[[V5]] = tensor.extract %[[A0]][%[[V2]]]
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.extract %[[V1]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V6]] = arith.subf %[[V5]], %[[V9]]
// CHECK-NEXT: linalg.yield %[[V6]]
// CHECK: return %[[V8]]
func.func @centred(%x: tensor<1000xf64>) -> tensor<1000xf64> {
  %m = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000xf64>) -> tensor<f64>
  %d = quernel.subtract %x, %m : (tensor<1000xf64>, tensor<f64>) -> tensor<1000xf64>
  return %d : tensor<1000xf64>
}

// A slice that keeps one element of an axis asks each element once.
// CHECK-LABEL: @sliced_reduction(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = scf.for %[[V4:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c9{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V5:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V2]], %c1{{[_a-z0-9]*}}, %[[V4]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.addf %[[V5]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V2]]]
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = arith.addf %[[V3]], %[[V8]]
// CHECK-NEXT: linalg.yield %[[V9]]
// CHECK: return %[[V1]]
func.func @sliced_reduction(%x: tensor<30x5x9xf64>, %y: tensor<30xf64>) -> tensor<30xf64> {
  %s = quernel.reduce %x {kind = "sum", axes = array<i64: 2>} : (tensor<30x5x9xf64>) -> tensor<30x5xf64>
  %c = quernel.slice %s {offsets = affine_map<() -> (0, 1)>, sizes = affine_map<() -> (30, 1)>, strides = affine_map<() -> (1, 1)>} : (tensor<30x5xf64>) -> tensor<30x1xf64>
  %v = quernel.reshape %c {shape = affine_map<() -> (30)>} : (tensor<30x1xf64>) -> tensor<30xf64>
  %r = quernel.add %v, %y : (tensor<30xf64>, tensor<30xf64>) -> tensor<30xf64>
  return %r : tensor<30xf64>
}

// Operands and results of a library call are stored; BLAS transposes by itself.
// CHECK-LABEL: @matmul(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = linalg.index 1
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.negf %[[V4]]
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: %[[V6:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%[[V1]], %[[A1]] : tensor<100x50xf64>, tensor<60x50xf64>) outs(%[[V6]] : tensor<100x60xf64>) attrs =  {quernel.axes = #quernel.axes<"ikj">} {
// CHECK: %[[V2]] = arith.mulf %[[V8:[a-z0-9_]+]], %[[V9:[a-z0-9_]+]]
// CHECK-NEXT: linalg.yield %[[V2]]
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V10]] :
// CHECK: %[[V2]] = linalg.index 0
// CHECK-NEXT: %[[V3]] = linalg.index 1
// CHECK-NEXT: %[[V4]] = tensor.extract %[[V7]][%[[V2]], %[[V3]]]
// CHECK-NEXT: %[[V5]] = math.exp %[[V4]]
// CHECK-NEXT: linalg.yield %[[V5]]
// CHECK: return %[[V11]]
func.func @matmul(%A: tensor<100x50xf64>, %B: tensor<60x50xf64>) -> tensor<100x60xf64> {
  %n = quernel.negative %A : (tensor<100x50xf64>) -> tensor<100x50xf64>
  %t = quernel.transpose %B {permutation = array<i64: 1, 0>} : (tensor<60x50xf64>) -> tensor<50x60xf64>
  %s = quernel.matmul %n, %t : (tensor<100x50xf64>, tensor<50x60xf64>) -> tensor<100x60xf64>
  %e = quernel.exp %s : (tensor<100x60xf64>) -> tensor<100x60xf64>
  return %e : tensor<100x60xf64>
}

// A negative stride writes the region backwards.
// CHECK-LABEL: @update(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.subi %c3{{[_a-z0-9]*}}, %[[V2]]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.extract %[[A1]][%[[V3]]]
// CHECK-NEXT: linalg.yield %[[V4]]
// CHECK: %[[V5:[a-z0-9_]+]] = tensor.insert_slice %[[V1]] into %[[A0]][1] [4] [2]
// CHECK-NEXT: return %[[V5]]
func.func @update(%x: tensor<9xf64>, %v: tensor<4xf64>) -> tensor<9xf64> {
  %u = quernel.update_slice %x, %v {offsets = affine_map<() -> (7)>, sizes = affine_map<() -> (4)>, strides = affine_map<() -> (-2)>} : (tensor<9xf64>, tensor<4xf64>) -> tensor<9xf64>
  return %u : tensor<9xf64>
}

// Every result has a buffer of its own.
// CHECK-LABEL: @returned_twice(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V3:[a-z0-9_]+]]:3 = linalg.generic {{.*}} outs(%[[V0]], %[[V1]], %[[V2]] :
// CHECK: %[[V4:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V4]]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = math.exp %[[V5]]
// CHECK-NEXT: linalg.yield %[[V6]], %[[V6]], %[[V5]]
// CHECK: return %[[V3]]#0, %[[V3]]#1, %[[V3]]#2
func.func @returned_twice(%x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %0 = quernel.exp %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0, %0, %x : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: @reduction_of_reduction(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = tensor.empty()
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V0]] :
// CHECK: %[[V2:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = scf.for %[[V4:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c5{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V5:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = scf.for %[[V7:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c6{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V8:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.extract %[[A0]][%[[V2]], %[[V4]], %[[V7]]]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.maximumf %[[V8]], %[[V9]]
// CHECK-NEXT: scf.yield %[[V10]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = arith.addf %[[V5]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V11]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: linalg.yield %[[V3]]
// CHECK: return %[[V1]]
func.func @reduction_of_reduction(%x: tensor<4x5x6xf64>) -> tensor<4xf64> {
  %0 = quernel.reduce %x {kind = "max", axes = array<i64: 2>} : (tensor<4x5x6xf64>) -> tensor<4x5xf64>
  %1 = quernel.reduce %0 {kind = "sum", axes = array<i64: 1>} : (tensor<4x5xf64>) -> tensor<4xf64>
  return %1 : tensor<4xf64>
}

// A positive divisor that is known: no remainder is computed, as `~` takes negative numbers to positive ones and back.
// CHECK-LABEL: @floor_divide_by_constant(
// CHECK: %[[X:.*]] = tensor.extract
// CHECK-NEXT: %[[SIGN:.*]] = arith.shrsi %[[X]], %c63_i64
// CHECK-NEXT: %[[POSITIVE:.*]] = arith.xori %[[X]], %[[SIGN]]
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divui %[[POSITIVE]], %c7_i64
// CHECK-NEXT: %[[FLOOR:.*]] = arith.xori %[[QUOTIENT]], %[[SIGN]]
// CHECK-NEXT: linalg.yield %[[FLOOR]]
func.func @floor_divide_by_constant(%x: tensor<3xi64>) -> tensor<3xi64> {
  %seven = quernel.constant {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %0 = quernel.floor_divide %x, %seven : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
