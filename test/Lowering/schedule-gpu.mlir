// The grid has one axis.
// RUN: quernel-opt %s --quernel-schedule-gpu --canonicalize --mlir-print-local-scope | FileCheck %s

// Division takes the one index apart.
// CHECK-LABEL: @axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = arith.muli %[[A0]], %c1200{{[_a-z0-9]*}}
// CHECK-NEXT: scf.parallel (%[[V1:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[V0]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.remsi %[[V1]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.divsi %[[V1]], %c300{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.remsi %[[V3]], %[[A0]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.divsi %[[V3]], %[[A0]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.addi %[[V5]], %[[V4]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.addi %[[V6]], %[[V2]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A1]][%[[V7]]]
// CHECK-NEXT: scf.reduce
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

// CHECK-LABEL: @short_axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c8{{[_a-z0-9]*}}) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.remsi %[[V0]], %c4{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.divsi %[[V0]], %c4{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.addi %[[V2]], %[[V1]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A0]][%[[V3]]]
// CHECK-NEXT: scf.reduce
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

// A row's sum is the same for all columns: the grid has the rows, and the columns are a loop inside.
// CHECK-LABEL: func.func private @rows(
// CHECK:         scf.parallel (%[[ROW:.*]]) = (%{{.*}}) to (%[[N:.*]]) step
// CHECK-NOT:     arith.divsi
// CHECK:         scf.for %[[COLUMN:.*]] =
// CHECK:           scf.for
// CHECK:           memref.store
// CHECK:         } {quernel.schedule = #quernel.schedule<parallel>}
func.func private @rows(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%row, %column) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %first = arith.muli %row, %m : index
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%s = %zero) -> f64 {
      %at = arith.addi %first, %i : index
      %e = memref.load %x[%at] : memref<?xf64>
      %t = arith.addf %s, %e : f64
      scf.yield %t : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    %at = arith.addi %first, %column : index
    memref.store %sum, %y[%at] : memref<?xf64>
  }
  return
}

// A reduction of its own for each element: the grid has all axes.
// CHECK-LABEL: func.func private @elements(
// CHECK:         scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step
// CHECK:         arith.remsi
// CHECK:         arith.divsi
// CHECK:         scf.for
func.func private @elements(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%row, %column) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %first = arith.muli %row, %m : index
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%s = %zero) -> f64 {
      %at = arith.addi %column, %i : index
      %e = memref.load %x[%at] : memref<?xf64>
      %t = arith.addf %s, %e : f64
      scf.yield %t : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    %at = arith.addi %first, %column : index
    memref.store %sum, %y[%at] : memref<?xf64>
  }
  return
}
