// Threads share one axis; the grain says from how many iterations on a second thread pays.
// RUN: quernel-opt %s --quernel-schedule-cpu --mlir-print-local-scope | FileCheck %s

// The first axis with enough iterations is for the threads, the others are loops.
// CHECK-LABEL: @axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.for %[[V0:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c4{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: scf.parallel (%[[V1:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A0]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c300{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.addi %[[V0]], %[[V1]]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addi %[[V3]], %[[V2]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A1]][%[[V4]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<grain = 73
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
func.func @axes(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c300 = arith.constant 300 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j, %l) = (%c0, %c0, %c0) to (%c4, %n, %c300) step (%c1, %c1, %c1) {
    %0 = arith.addi %i, %j : index
    %1 = arith.addi %0, %l : index
    memref.store %k, %x[%1] : memref<?xf64>
    scf.reduce
  }
  return
}

// No axis is long: the first one with four iterations.
// CHECK-LABEL: @short_axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: scf.for %[[V0:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c2{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: scf.parallel (%[[V1:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c4{{[_a-z0-9]*}}) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.addi %[[V0]], %[[V1]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A0]][%[[V2]]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<grain = 32768
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
func.func @short_axes(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c4) step (%c1, %c1) {
    %0 = arith.addi %i, %j : index
    memref.store %k, %x[%0] : memref<?xf64>
    scf.reduce
  }
  return
}

// Every loop of a nest that may have no turn may have none.
// CHECK-LABEL: @maybe_empty(
// CHECK: } {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty, grain
func.func @maybe_empty(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %0 = arith.addi %i, %j : index
    memref.store %k, %x[%0] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// Where no axis has enough iterations, some are shared before the next axis is.
// CHECK-LABEL: @pieces(
// CHECK: scf.parallel (%{{.+}}) = (%c0{{[_a-z0-9]*}}) to (%c7{{[_a-z0-9]*}})
// CHECK-NEXT: scf.for %{{.+}} = %c0{{[_a-z0-9]*}} to %c10
func.func @pieces(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%c7, %c10) step (%c1, %c1) {
    %0 = arith.muli %i, %c10 : index
    %1 = arith.addi %0, %j : index
    memref.store %k, %x[%1] : memref<?xf64>
    scf.reduce
  }
  return
}
