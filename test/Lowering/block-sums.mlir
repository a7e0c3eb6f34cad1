// Long float sums get a compensated total.
// RUN: quernel-opt %s --quernel-block-sums --canonicalize --mlir-print-local-scope | FileCheck %s

// Blocks of 16 are added plainly, their sums with Neumaier's correction.
// CHECK-LABEL: @long(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A2]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:2 = scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c16{{[_a-z0-9]*}} iter_args(%[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V4:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V2]], %c16{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.minsi %[[V5]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = scf.for %[[V8:[a-z0-9_]+]] = %[[V2]] to %[[V6]] step %c1{{[_a-z0-9]*}} iter_args(%[[V9:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.muli %[[V0]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = arith.addi %[[V10]], %[[V8]]
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = memref.load %[[A0]][%[[V11]]]
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = arith.addf %[[V9]], %[[V12]]
// CHECK-NEXT: scf.yield %[[V13]]
// CHECK: %[[V14:[a-z0-9_]+]] = arith.addf %[[V3]], %[[V7]]
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = arith.subf %[[V14]], %[[V3]]
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = arith.subf %[[V14]], %[[V15]]
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = arith.subf %[[V3]], %[[V16]]
// CHECK-NEXT: %[[V18:[a-z0-9_]+]] = arith.subf %[[V7]], %[[V15]]
// CHECK-NEXT: %[[V19:[a-z0-9_]+]] = arith.addf %[[V17]], %[[V18]]
// CHECK-NEXT: %[[V20:[a-z0-9_]+]] = arith.addf %[[V4]], %[[V19]]
// CHECK-NEXT: scf.yield %[[V14]], %[[V20]]
// CHECK: %[[V21:[a-z0-9_]+]] = arith.addf %[[V1]]#0, %[[V1]]#1
// CHECK-NEXT: %[[V22:[a-z0-9_]+]] = math.absf %[[V21]]
// CHECK-NEXT: %[[V23:[a-z0-9_]+]] = arith.cmpf olt, %[[V22]], %{{[a-z0-9_]+}}
// CHECK-NEXT: %[[V24:[a-z0-9_]+]] = arith.select %[[V23]], %[[V21]], %[[V1]]#0
// CHECK-NEXT: memref.store %[[V24]], %[[A1]][%[[V0]]]
// CHECK-NEXT: scf.reduce
func.func @long(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
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

// Fewer than eight elements are added in order; a maximum and an integer sum need no blocks.
// CHECK-LABEL: @unchanged(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:{{.*}}%[[A4:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addf %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = scf.for %[[V1]] = %c0{{[_a-z0-9]*}} to %[[A4]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2]] = %[[V0]]) -> {{.*}} {
// CHECK-NEXT: %[[V3]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V4]] = arith.maximumf %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = scf.for %[[V1]] = %c0{{[_a-z0-9]*}} to %[[A4]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2]] = %c0{{[_a-z0-9]*}}) -> {{.*}} {
// CHECK-NEXT: %[[V3]] = memref.load %[[A1]][%[[V1]]]
// CHECK-NEXT: %[[V4]] = arith.addi %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: memref.store %[[V5]], %[[A2]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: memref.store %[[V6]], %[[A3]][%c0{{[_a-z0-9]*}}]
func.func @unchanged(%x: memref<?xf64>, %y: memref<?xi64>, %out: memref<?xf64>, %iout: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %z = arith.constant 0 : i64
  %s = scf.for %k = %c0 to %c7 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %m = scf.for %k = %c0 to %n step %c1 iter_args(%t = %s) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.maximumf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [max]>}
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%t = %z) -> (i64) {
    %0 = memref.load %y[%k] : memref<?xi64>
    %1 = arith.addi %t, %0 : i64
    scf.yield %1 : i64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %m, %out[%c0] : memref<?xf64>
  memref.store %c, %iout[%c0] : memref<?xi64>
  return
}

// Eight to sixteen elements are added in NumPy's order: eight sums side by side, then those in pairs.
// CHECK-LABEL: @pairs(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.load %[[A0]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.load %[[A0]][%c1{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.load %[[A0]][%c2{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[A0]][%c3{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[A0]][%c4{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.load %[[A0]][%c5{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%c6{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.load %[[A0]][%c7{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = memref.load %[[A0]][%c8{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = memref.load %[[A0]][%c9{{[_a-z0-9]*}}]
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.addf %[[V0]], %[[V1]]
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = arith.addf %[[V2]], %[[V3]]
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = arith.addf %[[V4]], %[[V5]]
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = arith.addf %[[V6]], %[[V7]]
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = arith.addf %[[V10]], %[[V11]]
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = arith.addf %[[V12]], %[[V13]]
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = arith.addf %[[V14]], %[[V15]]
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = arith.addf %[[V16]], %[[V8]]
// CHECK-NEXT: %[[V18:[a-z0-9_]+]] = arith.addf %[[V17]], %[[V9]]
// CHECK-NEXT: memref.store %[[V18]], %[[A1]][%c0{{[_a-z0-9]*}}]
func.func @pairs(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant -0.0 : f64
  %s = scf.for %k = %c0 to %c10 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %s, %out[%c0] : memref<?xf64>
  return
}

// A short sum of long ones: these are added in blocks before it copies them.
// CHECK-LABEL: @nested(
// CHECK-COUNT-8: scf.for %{{.*}} = %c0{{[_a-z0-9]*}} to %c17{{[_a-z0-9]*}} step %c16
// CHECK-NOT: #quernel.schedule
// CHECK: return
func.func @nested(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c17 = arith.constant 17 : index
  %zero = arith.constant -0.0 : f64
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %zero) -> (f64) {
    %p = arith.muli %i, %c17 : index
    %row = scf.for %k = %c0 to %c17 step %c1 iter_args(%u = %zero) -> (f64) {
      %q = arith.addi %p, %k : index
      %0 = memref.load %x[%q] : memref<?xf64>
      %1 = arith.addf %u, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    %2 = arith.addf %t, %row : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %s, %out[%c0] : memref<?xf64>
  return
}

// A short sum of short sums of short sums: its copies would be too long, so that it stays a loop.
// CHECK-LABEL: @short_of_short(
// CHECK: scf.for %{{.*}} = %c0{{[_a-z0-9]*}} to %c16{{[_a-z0-9]*}} step %c1
// CHECK-NOT: scf.for
// CHECK-COUNT-64: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @short_of_short(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant -0.0 : f64
  %s = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %zero) -> (f64) {
    %row = scf.for %k = %c0 to %c16 step %c1 iter_args(%u = %zero) -> (f64) {
      %q = arith.addi %i, %k : index
      %v0 = memref.load %x[%q] : memref<?xf64>
      %v1 = math.exp %v0 : f64
      %v2 = math.exp %v1 : f64
      %v3 = math.exp %v2 : f64
      %v4 = math.exp %v3 : f64
      %1 = arith.addf %u, %v4 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    %2 = arith.addf %t, %row : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %s, %out[%c0] : memref<?xf64>
  return
}

// A sum that has its order by itself: rows of a piece, which a sweep adds in memory.
// CHECK-LABEL: @in_order(
// CHECK: %[[R:.+]] = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1 iter_args(%[[T:.+]] = %{{.+}})
// CHECK-NEXT: memref.load
// CHECK-NEXT: %[[N:.+]] = arith.addf %[[T]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: memref.store %[[R]]
func.func @in_order(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<in_order, reduce = [sum]>}
  memref.store %s, %out[%c0] : memref<?xf64>
  return
}
