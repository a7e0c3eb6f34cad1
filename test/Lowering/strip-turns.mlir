// Turns that go through the same large array do so sixteen at once, piece by piece.
// RUN: quernel-opt %s --quernel-strip-turns --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @sums_above(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4000000xf64>, %[[OUT:[a-z0-9]+]]: memref<1000xf64>
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c1000 step %c16 {
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %c1000, %[[FIRST]]
// CHECK-NEXT: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c16
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc() : memref<16x250xf64>
// CHECK-NEXT: scf.parallel (%[[P:.*]]) = (%c0) to (%c250) step (%c1) {
// CHECK-NEXT: scf.for %[[B:.*]] = %c0 to %[[COUNT]] step %c1 {
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[FIRST]], %[[B]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[I]]
// CHECK: memref.store %{{.*}}, %[[OWN]][%[[B]], %[[P]]]
// CHECK: scf.for %[[B:.*]] = %c0 to %[[COUNT]] step %c1 {
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[FIRST]], %[[B]]
// CHECK: memref.load %[[OWN]][%[[B]], %{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUT]][%[[I]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel, polled>}
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
func.func @sums_above(%x: memref<4000000xf64>, %out: memref<1000xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c250 = arith.constant 250 : index
  %c1000 = arith.constant 1000 : index
  %c16000 = arith.constant 16000 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c1000 step %c1 {
    %n = arith.index_cast %i : index to i64
    %t = arith.sitofp %n : i64 to f64
    %own = memref.alloca() : memref<250xf64>
    scf.parallel (%p) = (%c0) to (%c250) step (%c1) {
      %from = arith.muli %p, %c16000 : index
      %to = arith.addi %from, %c16000 : index
      %s = scf.for %j = %from to %to step %c1 iter_args(%sum = %zero) -> (f64) {
        %0 = memref.load %x[%j] : memref<4000000xf64>
        %1 = arith.cmpf ogt, %0, %t : f64
        %2 = arith.select %1, %0, %zero : f64
        %3 = arith.addf %sum, %2 : f64
        scf.yield %3 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
      memref.store %s, %own[%p] : memref<250xf64>
      scf.reduce
    }
    %r = scf.for %j = %c0 to %c250 step %c1 iter_args(%sum = %zero) -> (f64) {
      %0 = memref.load %own[%j] : memref<250xf64>
      %1 = arith.addf %sum, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %r, %out[%i] : memref<1000xf64>
  } {quernel.schedule = #quernel.schedule<parallel, polled>}
  return
}

// Each turn reads a row of its own: nothing is read twice.
// CHECK-LABEL: @rows(
// CHECK: scf.for
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: scf.parallel
func.func @rows(%x: memref<1000x4000xf64>, %out: memref<1000xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c250 = arith.constant 250 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    %own = memref.alloca() : memref<250xf64>
    scf.parallel (%p) = (%c0) to (%c250) step (%c1) {
      %0 = memref.load %x[%i, %p] : memref<1000x4000xf64>
      memref.store %0, %own[%p] : memref<250xf64>
      scf.reduce
    }
    %r = memref.load %own[%c0] : memref<250xf64>
    memref.store %r, %out[%i] : memref<1000xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// Turns that depend on each other stay in their order.
// CHECK-LABEL: @in_order(
// CHECK: scf.for
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: scf.parallel
func.func @in_order(%x: memref<4000000xf64>, %out: memref<1000xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c250 = arith.constant 250 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    %own = memref.alloca() : memref<250xf64>
    scf.parallel (%p) = (%c0) to (%c250) step (%c1) {
      %0 = memref.load %x[%p] : memref<4000000xf64>
      memref.store %0, %own[%p] : memref<250xf64>
      scf.reduce
    }
    %r = memref.load %own[%c0] : memref<250xf64>
    memref.store %r, %out[%i] : memref<1000xf64>
  }
  return
}
