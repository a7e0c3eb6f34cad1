// Which loops share a device's grid.
// RUN: quernel-opt %s --quernel-target-gpu --quernel-form-nests --mlir-print-local-scope | FileCheck %s

// Parallel loops that are all there is in the turns of one are axes of one grid; what a turn begins with is computed
// in each.
// CHECK-LABEL: @axes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[Y:[a-z0-9]+]]: memref<?xf64>
// CHECK: scf.parallel (%[[I:.+]], %[[J:.+]], %[[K:.+]]) = (%c0, %c0, %c1) to (%c300, %arg2, %c300) step (%c1, %c1, %c1)
// CHECK-NEXT: memref.load %[[X]][%[[I]]]
// CHECK-NEXT: arith.addi %[[I]], %[[J]]
// CHECK-NEXT: arith.addi %{{.+}}, %[[K]]
// CHECK-NEXT: memref.store %{{.+}}, %[[Y]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func @axes(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  scf.for %i = %c0 to %c300 step %c1 {
    %v = memref.load %x[%i] : memref<?xf64>
    scf.for %j = %c0 to %n step %c1 {
      %ij = arith.addi %i, %j : index
      scf.parallel (%k) = (%c1) to (%c300) step (%c1) {
        %at = arith.addi %ij, %k : index
        memref.store %v, %y[%at] : memref<?xf64>
        scf.reduce
      }
    } {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// Not where a turn decides how far the loop inside goes, stores first, or loads what is stored.
// CHECK-LABEL: @apart(
// CHECK: scf.parallel (%{{[a-z0-9_]+}}) =
// CHECK: scf.parallel (%{{[a-z0-9_]+}}) =
// CHECK: scf.parallel (%{{[a-z0-9_]+}}) =
func.func @apart(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c9000000 = arith.constant 9000000 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %c9000000 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %one, %y[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  scf.for %i = %c0 to %c9000000 step %c1 {
    memref.store %one, %x[%i] : memref<?xf64>
    scf.for %j = %c0 to %c10 step %c1 {
      memref.store %one, %y[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  scf.for %i = %c0 to %c9000000 step %c1 {
    %v = memref.load %y[%i] : memref<?xf64>
    scf.for %j = %c0 to %c10 step %c1 {
      memref.store %v, %y[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// Many turns with little work share the grid, though each holds a loop that threads would pay for; few turns with much
// work are launched one after the other.
// CHECK-LABEL: @turns(
// CHECK: scf.parallel (%{{[a-z0-9_]+}}) = (%c0) to (%c100000)
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %c0 to %c10 step %c1
// CHECK: scf.parallel (%{{[a-z0-9_]+}}) = (%c0) to (%c9000000)
func.func @turns(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c100000 = arith.constant 100000 : index
  %c9000000 = arith.constant 9000000 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %c100000 step %c1 {
    memref.store %one, %x[%i] : memref<?xf64>
    scf.for %j = %c0 to %c9000000 step %c1 {
      memref.store %one, %y[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  scf.for %i = %c0 to %c10 step %c1 {
    memref.store %one, %x[%i] : memref<?xf64>
    scf.for %j = %c0 to %c9000000 step %c1 {
      memref.store %one, %y[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel>}
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}
