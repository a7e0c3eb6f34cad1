// Loops are cut where clamps and comparisons of their counter change.
// RUN: quernel-opt %s --quernel-split-ranges --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// The first turn is computed by itself, and all others load without a clamp or a choice.
// CHECK-LABEL: @shifted(
// CHECK: %[[FIRST:.*]] = memref.load %arg0[%c99
// CHECK: memref.store %[[FIRST]], %arg1[%c0
// CHECK: scf.parallel (%[[I:.*]]) = (%c1{{.*}}) to (%c100{{.*}}) step
// CHECK-NEXT: %[[AT:.*]] = arith.subi %[[I]], %c1
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[AT]]]
// CHECK-NEXT: memref.store %[[X]], %arg1[%[[I]]]
// CHECK-NEXT: scf.reduce
// CHECK-NOT: memref.store
// CHECK: return
func.func @shifted(%x: memref<100xf64>, %out: memref<100xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %before = arith.subi %i, %c1 : index
    %at = arith.maxsi %before, %c0 : index
    %0 = memref.load %x[%at] : memref<100xf64>
    %last = memref.load %x[%c99] : memref<100xf64>
    %is = arith.cmpi sge, %i, %c1 : index
    %1 = arith.select %is, %0, %last : f64
    memref.store %1, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// Answers that change close to each other stay open in a short loop.
// CHECK-LABEL: @near(
// CHECK: scf.for %{{.*}} = %c3{{.*}} to %c5
// CHECK-COUNT-2: arith.maxsi
// CHECK: scf.parallel (%{{.*}}) = (%c5
// CHECK-NOT: arith.maxsi
// CHECK: return
func.func @near(%x: memref<100xf64>, %out: memref<100xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %third = arith.subi %i, %c3 : index
    %fifth = arith.subi %i, %c5 : index
    %at = arith.maxsi %third, %c0 : index
    %to = arith.maxsi %fifth, %c0 : index
    %0 = memref.load %x[%at] : memref<100xf64>
    %1 = memref.load %x[%to] : memref<100xf64>
    %2 = arith.addf %0, %1 : f64
    memref.store %2, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// Two sizes that may be in any order: turns up to a cut that comes behind a later one ask as before.
// CHECK-LABEL: @of_two_sizes(
// CHECK-COUNT-4: scf.parallel
// CHECK-NOT: scf.for
// CHECK: return
func.func @of_two_sizes(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %m: index, %k: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = arith.subi %i, %m : index
    %b = arith.subi %i, %k : index
    %at = arith.maxsi %a, %c0 : index
    %to = arith.maxsi %b, %c0 : index
    %0 = memref.load %x[%at] : memref<?xf64>
    %1 = memref.load %x[%to] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    memref.store %2, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// A size that isn't known: the cut ends where the loop ends, if there are fewer turns.
// CHECK-LABEL: @of_any_size(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[END:.*]] = arith.minsi %[[N]], %c3
// CHECK: %[[CUT:.*]] = arith.maxsi %[[END]], %c0
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[CUT]] step
// CHECK-NEXT: memref.load %arg0[%c0]
// CHECK: schedule<parallel, maybe_empty>
// CHECK: scf.parallel (%[[I:.*]]) = (%[[CUT]]) to (%[[LAST:.*]]) step
// CHECK-NEXT: arith.subi
// CHECK-NEXT: memref.load
// CHECK: maybe_empty, grain = {{.*}}, vector = parallel
// CHECK: return
func.func @of_any_size(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %before = arith.subi %i, %c3 : index
    %at = arith.maxsi %before, %c0 : index
    %0 = memref.load %x[%at] : memref<?xf64>
    memref.store %0, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// What all turns answer alike needs no cut.
// CHECK-LABEL: @decided(
// CHECK: scf.parallel (%[[I:.*]]) = (%c0{{.*}}) to (%c100{{.*}}) step
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT: memref.store %[[X]], %arg1[%[[I]]]
// CHECK-NOT: scf.for
// CHECK: return
func.func @decided(%x: memref<100xf64>, %out: memref<100xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %at = arith.minui %i, %c99 : index
    %0 = memref.load %x[%at] : memref<100xf64>
    memref.store %0, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// Short loops, those that become no vectors, and those whose conditions clamp no index stay whole.
// CHECK-LABEL: @whole(
// CHECK-COUNT-2: arith.maxsi
// CHECK: arith.select
// CHECK-NOT: scf.for
// CHECK: return
func.func @whole(%x: memref<100xf64>, %out: memref<100xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c20) step (%c1) {
    %before = arith.subi %i, %c1 : index
    %at = arith.maxsi %before, %c0 : index
    %0 = memref.load %x[%at] : memref<100xf64>
    memref.store %0, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %before = arith.subi %i, %c1 : index
    %at = arith.maxsi %before, %c0 : index
    %0 = memref.load %x[%at] : memref<100xf64>
    memref.store %0, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8>}
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %0 = memref.load %x[%i] : memref<100xf64>
    %1 = arith.negf %0 : f64
    %is = arith.cmpi sge, %i, %c20 : index
    %2 = arith.select %is, %0, %1 : f64
    memref.store %2, %out[%i] : memref<100xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 8, vector = parallel>}
  return
}

// A clamp of several counters goes where the bounds of their loops say that it is idle; a later one of them, or a size,
// may be in a bound. One that may be reached stays.
// CHECK-LABEL: @idle(
// CHECK: arith.minsi
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK-NEXT: memref.load %{{.*}}[%[[SUM]]]
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minui %[[SUM]], %{{.*}} : index
// CHECK-NEXT: memref.load %{{.*}}[%[[CLAMPED]]]
// CHECK: return
func.func @idle(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %windows = arith.subi %n, %c63 : index
  %last = arith.subi %n, %c1 : index
  %before = arith.subi %n, %c2 : index
  scf.for %i = %c0 to %windows step %c1 {
    scf.for %j = %c0 to %c64 step %c16 {
      %next = arith.addi %j, %c16 : index
      %end = arith.minsi %next, %c64 : index
      scf.for %k = %j to %end step %c1 {
        %sum = arith.addi %i, %k : index
        %at = arith.minui %sum, %last : index
        %0 = memref.load %x[%at] : memref<?xf64>
        %reached = arith.minui %sum, %before : index
        %1 = memref.load %x[%reached] : memref<?xf64>
        %2 = arith.addf %0, %1 : f64
        memref.store %2, %out[%i] : memref<?xf64>
      }
    }
  }
  return
}
