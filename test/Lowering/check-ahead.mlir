// RUN: quernel-opt --split-input-file --quernel-check-ahead %s | FileCheck %s

// The first turn that fails is found before the loop, which ends there; then its check ends the program.
// CHECK-LABEL: func.func @gathers(
// CHECK-SAME:    %[[X:[^:]*]]: memref<100xf64>, %[[P:[^:]*]]: memref<?xi64>, %[[Y:[^:]*]]: memref<?xf64>, %[[N:[^:]*]]: index)
// CHECK:         %[[LAST:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[AHEAD:.*]] = scf.for %[[I:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[S:.*]] = %[[LAST]]) -> (i64) {
// CHECK-NEXT:      %[[V:.*]] = memref.load %[[P]][%[[I]]]
// CHECK-NEXT:      %[[OK:.*]] = arith.cmpi ult, %[[V]], %{{.*}}
// CHECK-NEXT:      %[[AT:.*]] = arith.index_cast %[[I]]
// CHECK-NEXT:      %[[TERM:.*]] = arith.select %[[OK]], %[[LAST]], %[[AT]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.minsi %[[S]], %[[TERM]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK:         %[[FIRST:.*]] = arith.index_cast %[[AHEAD]]
// CHECK:         scf.for %{{.*}} = %c0 to %[[FIRST]] step %c1 {
// CHECK-NOT:       quernel.check
// CHECK:           memref.store
// CHECK:         %[[FAILS:.*]] = arith.cmpi slt, %[[FIRST]], %[[N]]
// CHECK:         scf.if %[[FAILS]] {
// CHECK-NEXT:      %[[W:.*]] = memref.load %[[P]][%[[FIRST]]]
// CHECK-NEXT:      %[[RIGHT:.*]] = arith.cmpi ult, %[[W]],
// CHECK-NEXT:      quernel.check %[[RIGHT]], %[[W]]
func.func @gathers(%x: memref<100xf64>, %p: memref<?xi64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : i64
  %c100 = arith.constant 100 : i64
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    %least = arith.minui %v, %c99 : i64
    %k = arith.index_cast %least : i64 to index
    %e = memref.load %x[%k] : memref<100xf64>
    memref.store %e, %y[%i] : memref<?xf64>
  }
  return
}

// -----

// What no turn loads, as sizes; a loop around a parallel one; few turns; a store before the check; a check of what the loop stores, or carries; and one that not every turn comes to.
// CHECK-NOT: arith.minsi
func.func @leaves(%p: memref<?xi64>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 1000 : index
  %c100 = arith.constant 100 : i64
  scf.for %i = %c0 to %n step %c1 {
    %size = quernel.count(%n, %n)
    %ok = arith.cmpi ult, %size, %few : index
    quernel.check %ok {exception = "MemoryError", message = "much"} : i1
    memref.store %c100, %y[%i] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %v, %y[%j] : memref<?xi64>
    }
  }
  scf.for %i = %c0 to %few step %c1 {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    memref.store %v, %y[%i] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    memref.store %v, %y[%i] : memref<?xi64>
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %y[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    memref.store %v, %y[%i] : memref<?xi64>
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c100) -> (i64) {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %s : i64
    quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    scf.yield %v : i64
  }
  memref.store %last, %y[%c0] : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %p[%i] : memref<?xi64>
    %ok = arith.cmpi ult, %v, %c100 : i64
    scf.if %ok {
      quernel.check %ok, %v {exception = "IndexError", message = "{0}"} : i1, i64
    }
    memref.store %v, %y[%i] : memref<?xi64>
  }
  return
}
