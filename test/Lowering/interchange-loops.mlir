// Loops around array statements run inside of them where each place stays with its own elements.
// RUN: quernel-opt %s --quernel-interchange-loops --mlir-print-local-scope | FileCheck %s

// A recurrence along each row, in two statements and with a temporary; one of them has an axis of one element.
// CHECK-LABEL: @rows(
// CHECK: memref.alloc() : memref<100xf64>
// CHECK-NEXT: scf.parallel (%[[I:.*]]) = (%c0) to (%c100)
// CHECK-NEXT: scf.for %[[K:.*]] = %c1 to %c200
// CHECK-NOT: scf.parallel
// CHECK: memref.store
// CHECK-NOT: scf.parallel
// CHECK: memref.store
// CHECK: scf.reduce
func.func @rows(%p: memref<100x200xf64>, %q: memref<100x200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  scf.for %k = %c1 to %c200 step %c1 {
    %before = arith.subi %k, %c1 : index
    %t = memref.alloc() : memref<100xf64>
    scf.parallel (%i, %one) = (%c0, %c0) to (%c100, %c1) step (%c1, %c1) {
      %at = arith.addi %before, %one : index
      %0 = memref.load %p[%i, %at] : memref<100x200xf64>
      %1 = arith.mulf %0, %0 : f64
      memref.store %1, %t[%i] : memref<100xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
      %0 = memref.load %t[%i] : memref<100xf64>
      %1 = memref.load %q[%i, %before] : memref<100x200xf64>
      %2 = arith.addf %0, %1 : f64
      memref.store %2, %q[%i, %k] : memref<100x200xf64>
      memref.store %2, %p[%i, %k] : memref<100x200xf64>
      scf.reduce
    }
  }
  return
}

// The row above is another place; a sum over the columns reads all places; what the loop stores is read between its statements.
// CHECK-LABEL: @neighbours(
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK-NEXT: scf.parallel
// CHECK: scf.for
// CHECK: scf.parallel
// CHECK: memref.store
// CHECK: scf.parallel
// CHECK: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.parallel
func.func @neighbours(%p: memref<100x200xf64>, %s: memref<100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0.0 : f64
  scf.for %k = %c1 to %c200 step %c1 {
    %before = arith.subi %k, %c1 : index
    scf.parallel (%i) = (%c1) to (%c100) step (%c1) {
      %above = arith.subi %i, %c1 : index
      %0 = memref.load %p[%above, %before] : memref<100x200xf64>
      memref.store %0, %p[%i, %k] : memref<100x200xf64>
      scf.reduce
    }
  }
  scf.for %k = %c1 to %c200 step %c1 {
    scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
      %0 = memref.load %p[%i, %k] : memref<100x200xf64>
      memref.store %0, %s[%i] : memref<100xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
      %sum = scf.for %j = %c0 to %c100 step %c1 iter_args(%t = %zero) -> (f64) {
        %0 = memref.load %s[%j] : memref<100xf64>
        %1 = arith.addf %t, %0 : f64
        scf.yield %1 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
      memref.store %sum, %p[%i, %k] : memref<100x200xf64>
      scf.reduce
    }
  }
  scf.for %k = %c1 to %c200 step %c1 {
    %first = memref.load %p[%c0, %k] : memref<100x200xf64>
    scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
      memref.store %first, %p[%i, %k] : memref<100x200xf64>
      scf.reduce
    }
  }
  return
}

// Rows that are read along memory stay inside, where a row alone isn't worth threads and neither are all.
// CHECK-LABEL: @along(
// CHECK: scf.for
// CHECK: scf.parallel
func.func @along(%p: memref<20x20xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  scf.for %k = %c1 to %c20 step %c1 {
    %before = arith.subi %k, %c1 : index
    scf.parallel (%i) = (%c0) to (%c20) step (%c1) {
      %0 = memref.load %p[%before, %i] : memref<20x20xf64>
      memref.store %0, %p[%k, %i] : memref<20x20xf64>
      scf.reduce
    }
  }
  return
}

// A loop of the user's that may have no turn still may have none when it runs outside, and keeps what is known of it.
// CHECK-LABEL: @maybe_empty(
// CHECK: scf.parallel
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func @maybe_empty(%p: memref<100x200xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  scf.for %k = %c1 to %c200 step %c1 {
    %before = arith.subi %k, %c1 : index
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %p[%i, %before] : memref<100x200xf64>
      memref.store %0, %p[%i, %k] : memref<100x200xf64>
    } {quernel.schedule = #quernel.schedule<parallel, maybe_empty, polled>}
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// The state of a place stays in a register while the loop runs, whatever threads cost; so does what is read at the same place in all turns, and
// what all places share.
// CHECK-LABEL: @registers(
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%c1000000)
// CHECK-NEXT: scf.for %[[K:.*]] = %c0 to %c20
// CHECK-NEXT: memref.load %{{.*}}[%[[K]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
func.func @registers(%y: memref<1000000xf64>, %x: memref<1000000xf64>, %c: memref<20xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c1000000 = arith.constant 1000000 : index
  scf.for %k = %c0 to %c20 step %c1 {
    %0 = memref.load %c[%k] : memref<20xf64>
    scf.parallel (%i) = (%c0) to (%c1000000) step (%c1) {
      %1 = memref.load %y[%i] : memref<1000000xf64>
      %2 = memref.load %x[%i] : memref<1000000xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %3, %0 : f64
      memref.store %4, %y[%i] : memref<1000000xf64>
      scf.reduce
    }
  }
  return
}

// Each turn reads another row: along memory, all places of a row are read one after the other.
// CHECK-LABEL: @other_rows(
// CHECK: scf.for
// CHECK-NEXT: scf.parallel
func.func @other_rows(%y: memref<1000000xf64>, %x: memref<20x1000000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c1000000 = arith.constant 1000000 : index
  scf.for %k = %c0 to %c20 step %c1 {
    scf.parallel (%i) = (%c0) to (%c1000000) step (%c1) {
      %1 = memref.load %y[%i] : memref<1000000xf64>
      %2 = memref.load %x[%k, %i] : memref<20x1000000xf64>
      %3 = arith.mulf %1, %2 : f64
      memref.store %3, %y[%i] : memref<1000000xf64>
      scf.reduce
    }
  }
  return
}
