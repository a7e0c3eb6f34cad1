// Which loops of a program run in threads, and which become serial kernels.
// RUN: quernel-opt %s --quernel-form-nests --mlir-print-local-scope | FileCheck %s

// Enough work in every turn of a time loop: threads inside.
// CHECK-LABEL: @time(
// CHECK: scf.for
// CHECK: scf.parallel
// CHECK-NOT: outlined
func.func @time(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c9000000 = arith.constant 9000000 : index
  %k = arith.constant 2.0 : f64
  scf.for %t = %c0 to %c100 step %c1 {
    scf.parallel (%i) = (%c0) to (%c9000000) step (%c1) {
      memref.store %k, %x[%i] : memref<?xf64>
      scf.reduce
    }
  }
  return
}

// Short rows: one kernel.
// CHECK-LABEL: @rows(
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<outlined>}
func.func @rows(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %k = arith.constant 2.0 : f64
  scf.for %t = %c0 to %c100 step %c1 {
    scf.parallel (%i) = (%c0) to (%t) step (%c1) {
      memref.store %k, %x[%i] : memref<?xf64>
      scf.reduce
    }
  }
  return
}

// Parallel rows: threads share them.
// CHECK-LABEL: @parallel_rows(
// CHECK: scf.parallel
// CHECK-NEXT: arith.muli
// CHECK-NEXT: scf.for
// CHECK: #quernel.schedule<parallel
// CHECK-NOT: outlined
func.func @parallel_rows(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c900 = arith.constant 900 : index
  %k = arith.constant 2.0 : f64
  scf.for %t = %c0 to %c900 step %c1 {
    %base = arith.muli %t, %c900 : index
    scf.parallel (%i) = (%c0) to (%c900) step (%c1) {
      %p = arith.addi %base, %i : index
      memref.store %k, %x[%p] : memref<?xf64>
      scf.reduce
    }
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// A loop with a call stays in the program; the loop inside becomes a kernel. A result that is used goes through memory.
// CHECK-LABEL: @kept(
// CHECK: %[[SLOT:.*]] = memref.alloca() : memref<1xf64>
// CHECK: scf.for
// CHECK-NEXT: func.call @library
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<outlined>}
// CHECK-NEXT: }{{$}}
// CHECK: scf.execute_region {
// CHECK-NEXT: %[[SUM:.*]] = scf.for
// CHECK: memref.store %[[SUM]], %[[SLOT]][%c0{{.*}}]
// CHECK: } {quernel.schedule = #quernel.schedule<outlined>}
// CHECK: %[[LOADED:.*]] = memref.load %[[SLOT]]
// CHECK-NEXT: memref.store %[[LOADED]],
func.func private @library(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}
func.func @kept(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f64
  scf.for %t = %c0 to %c10 step %c1 {
    func.call @library(%x) : (memref<?xf64>) -> ()
    scf.for %i = %c0 to %c10 step %c1 {
      memref.store %zero, %x[%i] : memref<?xf64>
    }
  }
  %s = scf.for %i = %c0 to %c10 step %c1 iter_args(%sum = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %sum, %0 : f64
    scf.yield %1 : f64
  }
  memref.store %s, %out[%c0] : memref<?xf64>
  return
}

// Tasks stay in the program, with a serial kernel for each nest inside; those without calls are a parallel loop.
// CHECK-LABEL: @tasks(
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<parallel, outlined>}
// CHECK: } {quernel.schedule = #quernel.schedule<tasks>}
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel, outlined>}
func.func @tasks(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %k = arith.constant 2.0 : f64
  scf.for %t = %c0 to %c40 step %c1 {
    %T = memref.alloc() : memref<40xf64>
    scf.parallel (%i) = (%c0) to (%c40) step (%c1) {
      memref.store %k, %T[%i] : memref<40xf64>
      scf.reduce
    }
    %0 = memref.load %T[%c1] : memref<40xf64>
    memref.store %0, %x[%t] : memref<?xf64>
    memref.dealloc %T : memref<40xf64>
  } {quernel.schedule = #quernel.schedule<tasks>}
  scf.for %t = %c0 to %c40 step %c1 {
    scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
      memref.store %k, %x[%t] : memref<?xf64>
      scf.reduce
    }
  } {quernel.schedule = #quernel.schedule<tasks>}
  return
}
