// Parts of complex numbers lie side by side: they are loaded and stored together, and parted in registers.
// RUN: quernel-opt %s --quernel-vectorize --canonicalize | FileCheck %s

// CHECK-LABEL: @conjugate(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[OUT:[a-z0-9]+]]: memref<?xf64>
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %c2
// CHECK: %[[BOTH:.*]] = vector.load %[[X]][%[[AT]]] : memref<?xf64>, vector<16xf64>
// CHECK-DAG: %[[RE:.*]] = vector.shuffle %[[BOTH]], %[[BOTH]] [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK-DAG: %[[IM:.*]] = vector.shuffle %[[BOTH]], %[[BOTH]] [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK: %[[NEGATIVE:.*]] = arith.negf %[[IM]] : vector<8xf64>
// CHECK: %[[JOINED:.*]] = vector.interleave %[[RE]], %[[NEGATIVE]] : vector<8xf64> -> vector<16xf64>
// CHECK: vector.store %[[JOINED]], %[[OUT]][%[[AT]]] : memref<?xf64>, vector<16xf64>
// CHECK-NOT: vector.scatter
// CHECK: scf.reduce
func.func @conjugate(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %at = arith.muli %i, %c2 : index
    %re = memref.load %x[%at] : memref<?xf64>
    %next = arith.addi %at, %c1 : index
    %im = memref.load %x[%next] : memref<?xf64>
    %negative = arith.negf %im : f64
    memref.store %re, %out[%at] : memref<?xf64>
    memref.store %negative, %out[%next] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}

// A store between two loads may be what the second one reads; a lone part stays alone.
// CHECK-LABEL: @apart(
// CHECK: scf.parallel
// CHECK: vector.gather
// CHECK: vector.scatter
// CHECK: vector.gather
// CHECK: vector.store
// CHECK: scf.reduce
func.func @apart(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %at = arith.muli %i, %c2 : index
    %re = memref.load %x[%at] : memref<?xf64>
    memref.store %re, %x[%at] : memref<?xf64>
    %next = arith.addi %at, %c1 : index
    %im = memref.load %x[%next] : memref<?xf64>
    memref.store %im, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}
