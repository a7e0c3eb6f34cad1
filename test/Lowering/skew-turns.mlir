// Turns of a loop whose columns wait for each other run side by side, each behind the turn before.
// RUN: quernel-opt %s --quernel-skew-turns --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// A column takes the one before of its own turn, the next one of the turn before: a turn stays one column behind that,
// and a block of eight.
// CHECK-LABEL: @gauss_seidel(
// CHECK-SAME: %[[A:.+]]: memref<100x200xf64>
// CHECK: scf.for %[[FIRST:.+]] = %c1 to %c99 step %c4 {
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[FIRST]], %c4
// CHECK-NEXT: %[[BEHIND:.+]] = arith.minsi %[[NEXT]], %c99
// CHECK-NEXT: scf.for %[[COLUMN:.+]] = %c1 to %c226 step %c8 {
// CHECK-NEXT: scf.for %[[I:.+]] = %[[FIRST]] to %[[BEHIND]] step %c1 {
// CHECK-NEXT: %[[NUMBER:.+]] = arith.subi %[[I]], %[[FIRST]]
// CHECK-NEXT: %[[MOVED:.+]] = arith.muli %[[NUMBER]], %c9
// CHECK-NEXT: %[[AT:.+]] = arith.subi %[[COLUMN]], %[[MOVED]]
// CHECK-NEXT: %[[END:.+]] = arith.addi %[[AT]], %c8
// CHECK-NEXT: %[[FROM:.+]] = arith.maxsi %[[AT]], %c1
// CHECK-NEXT: %[[TO:.+]] = arith.minsi %[[END]], %c199
// CHECK-NEXT: scf.for %[[J:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK: memref.store %{{.+}}, %[[A]][%[[I]], %[[J]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func @gauss_seidel(%a: memref<100x200xf64>) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  %c99 = arith.constant 99 : index
  %c199 = arith.constant 199 : index
  scf.for %i = %c1 to %c99 step %c1 {
    scf.for %j = %c1 to %c199 step %c1 {
      %up = arith.addi %i, %c-1 : index
      %left = arith.addi %j, %c-1 : index
      %right = arith.addi %j, %c1 : index
      %0 = memref.load %a[%i, %left] : memref<100x200xf64>
      %1 = memref.load %a[%up, %right] : memref<100x200xf64>
      %2 = memref.load %a[%i, %right] : memref<100x200xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      memref.store %4, %a[%i, %j] : memref<100x200xf64>
    }
  }
  return
}

// The first statement reads two columns ahead of where the second one stores, in its own row alone: both stay at the
// same columns. The chain goes on from the element that the turn has stored at its column before.
// CHECK-LABEL: @row_and_chain(
// CHECK: scf.for %{{.+}} = %c1 to %c99 step %c4 {
// CHECK: scf.for %[[COLUMN:.+]] = %c-1 to %c226 step %c8 {
// CHECK: %[[MOVED:.+]] = arith.muli %{{.+}}, %c9
// CHECK-NEXT: %[[AT:.+]] = arith.subi %[[COLUMN]], %[[MOVED]]
// CHECK-NEXT: %[[END:.+]] = arith.addi %[[AT]], %c8
// CHECK-NEXT: %[[FROM:.+]] = arith.maxsi %[[AT]], %c0
// CHECK-NEXT: %[[TO:.+]] = arith.minsi %[[END]], %c198
// CHECK-NEXT: scf.parallel (%{{.+}}) = (%[[FROM]]) to (%[[TO]]) step (%c1) {
// CHECK: scf.parallel (%{{.+}}) = (%[[FROM]]) to (%[[TO]]) step (%c1) {
// CHECK: %[[AT_1:.+]] = arith.addi %[[AT]], %c1
// CHECK-NEXT: %[[END_1:.+]] = arith.addi %[[AT]], %c9
// CHECK-NEXT: %[[FROM_1:.+]] = arith.maxsi %[[AT_1]], %c1
// CHECK-NEXT: %[[TO_1:.+]] = arith.minsi %[[END_1]], %c199
// CHECK-NEXT: scf.for %{{.+}} = %[[FROM_1]] to %[[TO_1]] step %c1 {
func.func @row_and_chain(%a: memref<100x200xf64>, %t: memref<198xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c-1 = arith.constant -1 : index
  %c99 = arith.constant 99 : index
  %c198 = arith.constant 198 : index
  %c199 = arith.constant 199 : index
  %half = arith.constant 5.000000e-01 : f64
  scf.for %i = %c1 to %c99 step %c1 {
    scf.parallel (%j) = (%c0) to (%c198) step (%c1) {
      %up = arith.addi %i, %c-1 : index
      %ahead = arith.addi %j, %c2 : index
      %0 = memref.load %a[%i, %ahead] : memref<100x200xf64>
      %1 = memref.load %a[%up, %j] : memref<100x200xf64>
      %2 = arith.addf %0, %1 : f64
      memref.store %2, %t[%j] : memref<198xf64>
      scf.reduce
    }
    scf.parallel (%j) = (%c0) to (%c198) step (%c1) {
      %at = arith.addi %j, %c1 : index
      %0 = memref.load %t[%j] : memref<198xf64>
      memref.store %0, %a[%i, %at] : memref<100x200xf64>
      scf.reduce
    }
    scf.for %j = %c1 to %c199 step %c1 {
      %left = arith.addi %j, %c-1 : index
      %0 = memref.load %a[%i, %left] : memref<100x200xf64>
      %1 = memref.load %a[%i, %j] : memref<100x200xf64>
      %2 = arith.addf %0, %1 : f64
      memref.store %2, %a[%i, %j] : memref<100x200xf64>
      %3 = memref.load %a[%i, %j] : memref<100x200xf64>
      %4 = arith.mulf %3, %half : f64
      memref.store %4, %a[%i, %j] : memref<100x200xf64>
    }
  }
  return
}

// Four cycles are hidden behind the other work of a turn.
// CHECK-LABEL: @short_wait(
// CHECK: scf.for %[[I:.+]] = %c1 to %c100 step %c1 {
// CHECK-NEXT: scf.for %[[J:.+]] = %c1 to %c200 step %c1 {
func.func @short_wait(%a: memref<100x200xf64>) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  scf.for %i = %c1 to %c100 step %c1 {
    scf.for %j = %c1 to %c200 step %c1 {
      %left = arith.addi %j, %c-1 : index
      %0 = memref.load %a[%i, %left] : memref<100x200xf64>
      %1 = memref.load %a[%i, %j] : memref<100x200xf64>
      %2 = arith.addf %0, %1 : f64
      memref.store %2, %a[%i, %j] : memref<100x200xf64>
    }
  }
  return
}

// What a turn reads from the row before lies at a distance that nobody knows.
// CHECK-LABEL: @anywhere(
// CHECK: scf.for %[[I:.+]] = %c1 to %c100 step %c1 {
// CHECK-NEXT: scf.for %[[J:.+]] = %c1 to %c200 step %c1 {
func.func @anywhere(%a: memref<100x200xf64>, %at: memref<200xindex>) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  scf.for %i = %c1 to %c100 step %c1 {
    scf.for %j = %c1 to %c200 step %c1 {
      %up = arith.addi %i, %c-1 : index
      %left = arith.addi %j, %c-1 : index
      %0 = memref.load %a[%i, %left] : memref<100x200xf64>
      %k = memref.load %at[%j] : memref<200xindex>
      %1 = memref.load %a[%up, %k] : memref<100x200xf64>
      %2 = arith.addf %0, %1 : f64
      %3 = arith.addf %2, %1 : f64
      memref.store %3, %a[%i, %j] : memref<100x200xf64>
    }
  }
  return
}

// A turn that fails leaves later ones undone.
// CHECK-LABEL: @checked(
// CHECK: scf.for %[[I:.+]] = %c1 to %c100 step %c1 {
// CHECK-NEXT: scf.for %[[J:.+]] = %c1 to %c200 step %c1 {
func.func @checked(%a: memref<100x200xf64>) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0.000000e+00 : f64
  scf.for %i = %c1 to %c100 step %c1 {
    scf.for %j = %c1 to %c200 step %c1 {
      %left = arith.addi %j, %c-1 : index
      %0 = memref.load %a[%i, %left] : memref<100x200xf64>
      %1 = memref.load %a[%i, %j] : memref<100x200xf64>
      %fine = arith.cmpf oge, %1, %zero : f64
      quernel.check %fine {exception = "ValueError", message = "no"} : i1
      %2 = arith.addf %0, %1 : f64
      %3 = arith.addf %2, %1 : f64
      memref.store %3, %a[%i, %j] : memref<100x200xf64>
    }
  }
  return
}

// Few columns are done before a second turn could begin.
// CHECK-LABEL: @narrow(
// CHECK: scf.for %[[I:.+]] = %c1 to %c100 step %c1 {
// CHECK-NEXT: scf.for %[[J:.+]] = %c1 to %c20 step %c1 {
func.func @narrow(%a: memref<100x20xf64>) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  %c100 = arith.constant 100 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c1 to %c100 step %c1 {
    scf.for %j = %c1 to %c20 step %c1 {
      %left = arith.addi %j, %c-1 : index
      %0 = memref.load %a[%i, %left] : memref<100x20xf64>
      %1 = memref.load %a[%i, %j] : memref<100x20xf64>
      %2 = arith.addf %0, %1 : f64
      %3 = arith.addf %2, %1 : f64
      memref.store %3, %a[%i, %j] : memref<100x20xf64>
    }
  }
  return
}
