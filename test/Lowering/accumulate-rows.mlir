// Sums of columns read whole rows in order and add them into the result.
// RUN: quernel-opt %s --quernel-accumulate-rows --mlir-print-local-scope | FileCheck %s

// A loop of the user's that may be empty stays one.
// CHECK-LABEL: @columns(
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK-NEXT: memref.store %{{.*}}, %[[OUT:.*]][%[[J]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
// CHECK-NEXT: scf.for %[[I:.*]] = %c0{{.*}} to %c50
// CHECK-NEXT: scf.for %[[J:.*]] = %c0
// CHECK: %[[OLD:.*]] = memref.load %[[OUT]][%[[J]]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: memref.store %[[NEW]], %[[OUT]][%[[J]]]
// CHECK: } {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
func.func @columns(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant -0.0 : f64
  scf.for %j = %c0 to %n step %c1 {
    %s = scf.for %i = %c0 to %c50 step %c1 iter_args(%t = %zero) -> (f64) {
      %row = arith.muli %i, %c100 : index
      %at = arith.addi %row, %j : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%j] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
  return
}

// The result would hold partial sums while the rows are read from it.
// CHECK-LABEL: @own_columns(
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: memref.store
func.func @own_columns(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant -0.0 : f64
  scf.for %j = %c0 to %n step %c1 {
    %s = scf.for %i = %c0 to %c50 step %c1 iter_args(%t = %zero) -> (f64) {
      %row = arith.muli %i, %c100 : index
      %at = arith.addi %row, %j : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %x[%j] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}
