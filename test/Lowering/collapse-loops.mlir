// Axes whose elements follow each other in memory become one.
// RUN: quernel-opt %s --quernel-collapse-loops --canonicalize --mlir-print-local-scope | FileCheck %s

// Both axes; what is added and how far an element steps doesn't matter.
// CHECK-LABEL: @rows(
// CHECK: scf.parallel (%[[P:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c4200{{[_a-z0-9]*}}) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[T:[a-z0-9_]+]] = arith.muli %[[P]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[U:[a-z0-9_]+]] = arith.addi %[[T]], %c1{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V:[a-z0-9_]+]] = memref.load %{{[a-z0-9_]+}}[%[[U]]] : memref<?xf64>
// CHECK-NEXT: memref.store %[[V]], %{{[a-z0-9_]+}}[%[[P]]] : memref<?xf64>
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<grain = 420>}
func.func @rows(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c60 = arith.constant 60 : index
  %c70 = arith.constant 70 : index
  %c120 = arith.constant 120 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c60) step (%c1, %c1) {
    %row = arith.muli %i, %c60 : index
    %at = arith.addi %row, %j : index
    %row2 = arith.muli %i, %c120 : index
    %column2 = arith.muli %j, %c2 : index
    %sum = arith.addi %row2, %column2 : index
    %at2 = arith.addi %sum, %c1 : index
    %a = memref.load %x[%at2] : memref<?xf64>
    memref.store %a, %y[%at] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 7>}
  return
}

// The first axis is one of its own where an array has one row for all: the others become one.
// CHECK-LABEL: @rowsOfPlanes(
// CHECK: scf.parallel (%[[I:[a-z0-9_]+]], %[[P:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}) to (%c8{{[_a-z0-9]*}}, %c30{{[_a-z0-9]*}})
// CHECK: memref.load %{{[a-z0-9_]+}}[%[[P]]] : memref<?xf64>
func.func @rowsOfPlanes(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c30 = arith.constant 30 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c8, %c6, %c5) step (%c1, %c1, %c1) {
    %plane = arith.muli %i, %c30 : index
    %row = arith.muli %j, %c5 : index
    %both = arith.addi %plane, %row : index
    %at = arith.addi %both, %k : index
    %one = arith.addi %row, %k : index
    %a = memref.load %x[%one] : memref<?xf64>
    memref.store %a, %y[%at] : memref<?xf64>
    scf.reduce
  }
  return
}

// All three.
// CHECK-LABEL: @planes(
// CHECK: scf.parallel (%[[P:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c240{{[_a-z0-9]*}})
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}[%[[P]]] : memref<?xf64>
func.func @planes(%y: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c30 = arith.constant 30 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c8, %c6, %c5) step (%c1, %c1, %c1) {
    %plane = arith.muli %i, %c30 : index
    %row = arith.muli %j, %c5 : index
    %both = arith.addi %plane, %row : index
    %at = arith.addi %both, %k : index
    memref.store %v, %y[%at] : memref<?xf64>
    scf.reduce
  }
  return
}

// A part of each row, columns that are rows elsewhere, a counter that is a number, rows of another loop, sizes of the
// run.
// CHECK-LABEL: @others(
// CHECK-COUNT-5: scf.parallel (%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) =
func.func @others(%x: memref<?xf64>, %y: memref<?xf64>, %v: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %c70 = arith.constant 70 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c60) step (%c1, %c1) {
    %row = arith.muli %i, %c70 : index
    %at = arith.addi %row, %j : index
    memref.store %v, %y[%at] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c60, %c60) step (%c1, %c1) {
    %row = arith.muli %i, %c60 : index
    %at = arith.addi %row, %j : index
    %column = arith.muli %j, %c60 : index
    %turned = arith.addi %column, %i : index
    %a = memref.load %x[%turned] : memref<?xf64>
    memref.store %a, %y[%at] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c60) step (%c1, %c1) {
    %row = arith.muli %i, %c60 : index
    %at = arith.addi %row, %j : index
    %number = arith.index_cast %j : index to i64
    %a = arith.sitofp %number : i64 to f64
    memref.store %a, %y[%at] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c60) step (%c1, %c1) {
    %row = arith.muli %i, %c60 : index
    %at = arith.addi %row, %j : index
    scf.for %k = %c0 to %i step %c1 {
      memref.store %v, %y[%at] : memref<?xf64>
    }
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %n) step (%c1, %c1) {
    %row = arith.muli %i, %n : index
    %at = arith.addi %row, %j : index
    memref.store %v, %y[%at] : memref<?xf64>
    scf.reduce
  }
  return
}
