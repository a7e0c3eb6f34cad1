// Which loops may run their turns in any order.
// RUN: quernel-opt %s --quernel-mark-parallel-loops --mlir-print-local-scope | FileCheck %s

// LU's second loop: row i from i on is written, its part left of i and the columns above it are read. The first loop
// reads what earlier turns wrote, and each row needs those before it.
// CHECK-LABEL: @lu(
// CHECK: scf.for %[[I:[a-z0-9]+]]
// CHECK: memref.store
// CHECK-NEXT: }{{$}}
// CHECK: memref.store
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: }{{$}}
func.func @lu(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant -0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %s = scf.for %k = %c0 to %j step %c1 iter_args(%t = %zero) -> (f64) {
        %0 = memref.load %A[%i, %k] : memref<?x?xf64>
        %1 = memref.load %A[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.addf %t, %2 : f64
        scf.yield %3 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
      %old = memref.load %A[%i, %j] : memref<?x?xf64>
      %left = arith.subf %old, %s : f64
      %d = memref.load %A[%j, %j] : memref<?x?xf64>
      %new = arith.divf %left, %d : f64
      memref.store %new, %A[%i, %j] : memref<?x?xf64>
    }
    scf.for %j = %i to %n step %c1 {
      %s = scf.for %k = %c0 to %i step %c1 iter_args(%t = %zero) -> (f64) {
        %0 = memref.load %A[%i, %k] : memref<?x?xf64>
        %1 = memref.load %A[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.addf %t, %2 : f64
        scf.yield %3 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
      %old = memref.load %A[%i, %j] : memref<?x?xf64>
      %new = arith.subf %old, %s : f64
      memref.store %new, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Columns are independent where rows follow each other; a row below is read before it is written, but that is an order, too.
// CHECK-LABEL: @columns(
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: }{{$}}
func.func @columns(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %n step %c1 {
      %0 = memref.load %A[%next, %j] : memref<?x?xf64>
      memref.store %0, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A carried number, a store that every turn makes to one place, a gathered place, and a call.
// CHECK-LABEL: @serial(
// CHECK-NOT: #quernel.schedule<{{.*}}parallel
func.func private @unknown(memref<?xf64>)
func.func @serial(%x: memref<?xf64>, %at: memref<?xi64>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %s, %x[%c0] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    memref.store %s, %x[%q] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @unknown(%x) : (memref<?xf64>) -> ()
  }
  return %s : f64
}

// Two arrays; a gathered column beside a row of the turn's own; two halves; a condition that keeps the turns apart.
// CHECK-LABEL: @parallel(
// CHECK-COUNT-4: #quernel.schedule<{{.*}}parallel
func.func @parallel(%x: memref<?x?xf64>, %y: memref<?xf64>, %at: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.subi %n, %i : index
    %r1 = arith.subi %r, %c1 : index
    %0 = memref.load %y[%r1] : memref<?xf64>
    memref.store %0, %x[%i, %c0] : memref<?x?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    %0 = memref.load %x[%i, %q] : memref<?x?xf64>
    memref.store %0, %x[%i, %c0] : memref<?x?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %far = arith.addi %i, %n : index
    %0 = memref.load %y[%far] : memref<?xf64>
    memref.store %0, %y[%i] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %is = arith.cmpi eq, %i, %c1 : index
    scf.if %is {
      %0 = memref.load %y[%c0] : memref<?xf64>
      memref.store %0, %y[%c1] : memref<?xf64>
    }
  }
  return
}

// What a turn allocates is its own, and stands on the stack; a big buffer keeps the loop serial.
// CHECK-LABEL: @private(
// CHECK: memref.alloca() : memref<4xf64>
// CHECK: #quernel.schedule<{{.*}}parallel
// CHECK: memref.alloc()
// CHECK: memref.store
// CHECK: memref.store
// CHECK-NEXT: }{{$}}
func.func @private(%x: memref<100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %t = memref.alloc() : memref<4xf64>
    %0 = memref.load %x[%i] : memref<100xf64>
    memref.store %0, %t[%c0] : memref<4xf64>
    %1 = memref.load %t[%c0] : memref<4xf64>
    memref.store %1, %x[%i] : memref<100xf64>
    memref.dealloc %t : memref<4xf64>
  }
  scf.for %i = %c0 to %c100 step %c1 {
    %t = memref.alloc() : memref<40000xf64>
    %0 = memref.load %x[%i] : memref<100xf64>
    memref.store %0, %t[%c0] : memref<40000xf64>
    memref.store %0, %x[%i] : memref<100xf64>
  }
  return
}
