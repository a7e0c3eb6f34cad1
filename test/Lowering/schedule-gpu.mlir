// The grid has up to three axes.
// RUN: quernel-opt %s --quernel-schedule-gpu --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @axes(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]], %[[L:[a-z0-9]+]]) = (%c0{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}) to (%c4{{[_a-z0-9]*}}, %[[A0]], %c300{{[_a-z0-9]*}}) step
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = arith.addi %[[I]], %[[J]]
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.addi %[[V0]], %[[L]]
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A1]][%[[V1]]]
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func @axes(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c300 = arith.constant 300 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j, %l) = (%c0, %c2, %c0) to (%c4, %n, %c300) step (%c1, %c1, %c1) {
    %0 = arith.addi %i, %j : index
    %1 = arith.addi %0, %l : index
    memref.store %k, %x[%1] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// Of more axes the outer ones become one, which division takes apart.
// CHECK-LABEL: @five(
// CHECK-SAME: %[[N:[a-z0-9]+]]:{{.*}}%[[X:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = arith.muli %[[N]], %c8{{[_a-z0-9]*}}
// CHECK-NEXT: scf.parallel (%[[V1:[a-z0-9_]+]], %[[L:[a-z0-9_]+]], %[[M:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}) to (%[[V0]], %c5{{[_a-z0-9]*}}, %[[N]]) step
// CHECK-DAG: arith.remsi %[[V1]], %c4{{[_a-z0-9]*}}
// CHECK-DAG: %[[V2:[a-z0-9_]+]] = arith.divsi %[[V1]], %c4{{[_a-z0-9]*}}
// CHECK-DAG: arith.remsi %[[V2]], %[[N]]
// CHECK-DAG: arith.divsi %[[V2]], %[[N]]
// CHECK-NOT: arith.remsi
// CHECK-NOT: arith.divsi
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func @five(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%h, %i, %j, %l, %m) = (%c0, %c0, %c0, %c0, %c0) to (%c2, %n, %c4, %c5, %n) step (%c1, %c1, %c1, %c1, %c1) {
    %0 = arith.addi %h, %i : index
    %1 = arith.addi %0, %j : index
    %2 = arith.addi %1, %l : index
    %3 = arith.addi %2, %m : index
    memref.store %k, %x[%3] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// Short axes at the end leave threads of a warp without turns, unless a power of two of them fits in.
// CHECK-LABEL: @short_axes(
// CHECK: scf.parallel (%[[I:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c9000{{[_a-z0-9]*}}) step
// CHECK: arith.remsi %[[I]], %c3{{[_a-z0-9]*}}
func.func @short_axes(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1000 = arith.constant 1000 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%h, %i, %j) = (%c0, %c0, %c0) to (%c1000, %c3, %c3) step (%c1, %c1, %c1) {
    %0 = arith.muli %h, %i : index
    %1 = arith.addi %0, %j : index
    memref.store %k, %x[%1] : memref<?xf64>
    scf.reduce
  }
  return
}

// CHECK-LABEL: @eight(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%c1000{{[_a-z0-9]*}}, %c8{{[_a-z0-9]*}}) step
func.func @eight(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c1000 = arith.constant 1000 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1000, %c8) step (%c1, %c1) {
    %0 = arith.muli %i, %i : index
    %1 = arith.addi %0, %j : index
    memref.store %k, %x[%1] : memref<?xf64>
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
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step
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

// Its counter is an affine map of a part of the flat one, which is expanded.

// CHECK-LABEL: func.func @later_rows(
// CHECK: scf.parallel (%[[FLAT:.*]]) = (%c0) to (%c12) step (%c1)
// CHECK-NOT: affine.apply
// CHECK-DAG: %[[COLUMN:.*]] = arith.remsi %[[FLAT]], %c6
// CHECK-DAG: %[[ROW:.*]] = arith.divsi %[[FLAT]], %c6
// CHECK: arith.addi %[[ROW]], %c1
// CHECK-NOT: affine.apply
func.func @later_rows(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1.0 : f64
  scf.parallel (%i, %j) = (%c1, %c0) to (%c3, %c6) step (%c1, %c1) {
    %row = arith.muli %i, %c6 : index
    %at = arith.addi %row, %j : index
    memref.store %one, %x[%at] : memref<?xf64>
    scf.reduce
  }
  return
}
