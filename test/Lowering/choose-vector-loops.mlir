// Which loops become vectors.
// RUN: quernel-opt %s --quernel-choose-vector-loops --mlir-print-local-scope | FileCheck %s

// The sum runs along memory, the parallel axis jumps: lanes.
// CHECK-LABEL: @rows(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A2]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.muli %[[V0]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V4]], %[[V2]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%[[V5]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.addf %[[V3]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
// CHECK-NEXT: memref.store %[[V1]], %[[A1]][%[[V0]]]
// CHECK-NEXT: scf.reduce
func.func @rows(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant -0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %k = %c0 to %c300 step %c1 iter_args(%t = %zero) -> (f64) {
      %p = arith.muli %i, %c300 : index
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}

// The other way round: each lane has a column.
// CHECK-LABEL: @columns(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A2]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.muli %[[V2]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V4]], %[[V0]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%[[V5]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.addf %[[V3]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: memref.store %[[V1]], %[[A1]][%[[V0]]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<vector = parallel>}
func.func @columns(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant -0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %k = %c0 to %c300 step %c1 iter_args(%t = %zero) -> (f64) {
      %p = arith.muli %k, %c300 : index
      %q = arith.addi %p, %i : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}

// Less than a vector's worth of iterations.
// CHECK-LABEL: @short(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c7{{[_a-z0-9]*}}) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A0]][%[[V0]]]
// CHECK-NEXT: scf.reduce
func.func @short(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%c7) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
    scf.reduce
  }
  return
}

// The innermost parallel axis.
// CHECK-LABEL: @inner(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A1]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A1]] step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.addi %[[V0]], %[[V1]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A0]][%[[V2]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
// CHECK-NEXT: scf.reduce
func.func @inner(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      %p = arith.addi %i, %j : index
      memref.store %zero, %x[%p] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    scf.reduce
  }
  return
}

// A loop that has to run in order, but reads ahead of what it writes, may have lanes.
// CHECK-LABEL: @ordered(
// CHECK: vector = parallel
func.func @ordered(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %0 = memref.load %x[%next] : memref<?xf64>
    memref.store %0, %x[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<lanes>}
  return
}

// Functions of short rows: vectors of rows compute each function once for eight rows. Without functions, or in long rows, vectors run
// along the rows.
// CHECK-LABEL: @short_rows(
// CHECK-NOT: vector = lanes
// CHECK: math.exp
// CHECK: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK: memref.store
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK: } {quernel.schedule = #quernel.schedule<vector = parallel>}
// CHECK: } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
// CHECK: } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
func.func @short_rows(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant -0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = arith.muli %i, %c10 : index
    %s = scf.for %k = %c0 to %c10 step %c1 iter_args(%t = %zero) -> (f64) {
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = math.exp %0 : f64
      %2 = arith.addf %t, %1 : f64
      scf.yield %2 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    scf.for %k = %c0 to %c10 step %c1 {
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = arith.divf %0, %s : f64
      memref.store %1, %out[%q] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = arith.muli %i, %c10 : index
    scf.for %k = %c0 to %c10 step %c1 {
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = arith.mulf %0, %0 : f64
      memref.store %1, %out[%q] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = arith.muli %i, %c300 : index
    scf.for %k = %c0 to %c300 step %c1 {
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = math.exp %0 : f64
      memref.store %1, %out[%q] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    scf.reduce
  }
  return
}

// A product of floats has no lanes, since these would multiply in another order; one of integers has.
// CHECK-LABEL: @products(
// CHECK: arith.mulf
// CHECK: {quernel.schedule = #quernel.schedule<reduce = [prod]>}
// CHECK: arith.muli
// CHECK: {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [prod]>}
func.func @products(%x: memref<?xf64>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %unit = arith.constant 1 : i64
  %p = scf.for %k = %c0 to %n step %c1 iter_args(%t = %one) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.mulf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [prod]>}
  memref.store %p, %x[%c0] : memref<?xf64>
  %q = scf.for %k = %c0 to %n step %c1 iter_args(%t = %unit) -> (i64) {
    %0 = memref.load %y[%k] : memref<?xi64>
    %1 = arith.muli %t, %0 : i64
    scf.yield %1 : i64
  } {quernel.schedule = #quernel.schedule<reduce = [prod]>}
  memref.store %q, %y[%c0] : memref<?xi64>
  return
}
