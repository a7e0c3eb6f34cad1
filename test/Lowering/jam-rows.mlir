// Rows that are added into one row of sums are added four at once; what else a turn does comes behind, in a loop over the
// four where it has loops.
// RUN: quernel-opt %s --quernel-jam-rows --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @sums_and_products(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[SUMS:[a-z0-9]+]]: memref<?xf64>, %[[OUT:[a-z0-9]+]]: memref<?xf64>
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[LEFT:.*]] = arith.remsi %{{.*}}, %[[C4]]
// CHECK-NEXT: %[[WHOLE:.*]] = arith.subi %{{.*}}, %[[LEFT]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[WHOLE]] step %[[C4]] {
// CHECK-NEXT: %[[I1:.*]] = arith.addi %[[I]], %[[C1]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %[[C2]]
// CHECK-NEXT: %[[I3:.*]] = arith.addi %[[I]], %[[C3]]
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK: %[[S0:.*]] = memref.load %[[SUMS]][%[[J]]]
// CHECK: %[[S1:.*]] = arith.addf %[[S0]], %{{.*}}
// CHECK: %[[S2:.*]] = arith.addf %[[S1]], %{{.*}}
// CHECK: %[[S3:.*]] = arith.addf %[[S2]], %{{.*}}
// CHECK: %[[S4:.*]] = arith.addf %[[S3]], %{{.*}}
// CHECK-NEXT: memref.store %[[S4]], %[[SUMS]][%[[J]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK: %[[END:.*]] = arith.addi %[[I]], %[[C4]]
// CHECK: scf.for %[[ROW:.*]] = %[[I]] to %[[END]] step %[[C1]] {
// CHECK: arith.muli %[[ROW]], %
// CHECK-COUNT-1: quernel.schedule<reduce = [sum]>
// CHECK: memref.store %{{.*}}, %[[OUT]][%[[ROW]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<rolled>}
// CHECK: scf.for %[[LAST:.*]] = %[[WHOLE]] to %{{.*}} step %[[C1]] {
// CHECK-COUNT-1: quernel.schedule<parallel>
// CHECK-COUNT-1: quernel.schedule<reduce = [sum]>
// CHECK-NOT: quernel.schedule
// CHECK: return
func.func @sums_and_products(%x: memref<?xf64>, %sums: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c100 : index
    scf.for %j = %c0 to %c100 step %c1 {
      %at = arith.addi %row, %j : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = memref.load %sums[%j] : memref<?xf64>
      %2 = arith.addf %1, %0 : f64
      memref.store %2, %sums[%j] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    %s = scf.for %j = %c0 to %c100 step %c1 iter_args(%t = %zero) -> (f64) {
      %at = arith.addi %row, %j : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%i] : memref<?xf64>
  }
  return
}

// What a turn has stored the next one reads: a row of its own array, and the sums.
// CHECK-LABEL: @rows_of_others(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @rows_of_others(%x: memref<?xf64>, %sums: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c1 to %n step %c1 {
    %row = arith.muli %i, %c100 : index
    %before = arith.subi %row, %c100 : index
    scf.for %j = %c0 to %c100 step %c1 {
      %at = arith.addi %row, %j : index
      %old = arith.addi %before, %j : index
      %0 = memref.load %x[%old] : memref<?xf64>
      %1 = memref.load %sums[%j] : memref<?xf64>
      %2 = arith.addf %1, %0 : f64
      memref.store %2, %sums[%j] : memref<?xf64>
      memref.store %2, %x[%at] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  }
  return
}

// The sums are read beside the loop that adds them.
// CHECK-LABEL: @sums_are_read(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @sums_are_read(%x: memref<?xf64>, %sums: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c100 : index
    scf.for %j = %c0 to %c100 step %c1 {
      %at = arith.addi %row, %j : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = memref.load %sums[%j] : memref<?xf64>
      %2 = arith.addf %1, %0 : f64
      memref.store %2, %sums[%j] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
    %s = memref.load %sums[%c0] : memref<?xf64>
    memref.store %s, %out[%i] : memref<?xf64>
  }
  return
}
