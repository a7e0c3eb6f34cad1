// What kernels move and compute follows from the accesses of their loops, not from the sizes of arrays.
// RUN: quernel-opt %s --pass-pipeline='builtin.module(func.func(quernel-count-work))' --mlir-print-local-scope | FileCheck %s

// One row of an array.
// CHECK-LABEL: @row(
// CHECK-SAME: #quernel.work<bytes_read = 8000, bytes_written = 8000, operations = 1000, assumed = 0>
func.func private @row(%a: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %c3000 = arith.constant 3000 : index
  %c5000 = arith.constant 5000 : index
  scf.parallel (%j) = (%c0) to (%c1000) step (%c1) {
    %from = arith.addi %j, %c5000 : index
    %to = arith.addi %j, %c3000 : index
    %0 = memref.load %a[%from] : memref<?xf64>
    %1 = arith.mulf %0, %0 : f64
    memref.store %1, %a[%to] : memref<?xf64>
  }
  return
}

// Accesses that are shifts of each other overlap: 100 + 2 elements. What turns of an inner loop read again counts once.
// CHECK-LABEL: @stencil(
// CHECK-SAME: #quernel.work<bytes_read = 848, bytes_written = 800, operations = 404, assumed = 0>
func.func private @stencil(%x: memref<?xf64>, %w: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %next = arith.addi %i, %c2 : index
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = memref.load %x[%next] : memref<?xf64>
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f64 {
      %2 = memref.load %w[%k] : memref<?xf64>
      %3 = arith.addf %s, %2 : f64
      scf.yield %3 : f64
    }
    // The loop is the same in all turns of %i, so its additions count four times in all.
    %4 = arith.addf %0, %1 : f64
    %5 = arith.mulf %4, %r : f64
    %6 = arith.subf %5, %0 : f64
    %7 = arith.subf %6, %1 : f64
    memref.store %7, %y[%i] : memref<?xf64>
  }
  return
}

// A matrix and its transpose are the same elements; the operation that doesn't depend on %j is no work of its turns.
// CHECK-LABEL: @transposed(
// CHECK-SAME: #quernel.work<bytes_read = 3240, bytes_written = 3200, operations = 420, assumed = 0>
func.func private @transposed(%x: memref<?xf64>, %v: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c20, %c20) step (%c1, %c1) {
    %rows = arith.muli %i, %c20 : index
    %here = arith.addi %rows, %j : index
    %columns = arith.muli %j, %c20 : index
    %there = arith.addi %columns, %i : index
    %0 = memref.load %x[%here] : memref<?xf64>
    %1 = memref.load %x[%there] : memref<?xf64>
    %low = arith.minsi %i, %c4 : index
    %2 = memref.load %v[%low] : memref<?xf64>
    %3 = arith.mulf %2, %2 : f64
    %4 = arith.addf %0, %1 : f64
    memref.store %4, %y[%here] : memref<?xf64>
  }
  return
}

// Each turn of a loop finds new numbers in an array that the kernel writes; of a branch one side counts.
// CHECK-LABEL: @turns(
// CHECK-SAME: #quernel.work<bytes_read = 4000, bytes_written = 4000, operations = 1500, assumed = 0>
func.func private @turns(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f64
  scf.for %t = %c0 to %c5 step %c1 {
    scf.for %i = %c0 to %c100 step %c1 {
      %0 = memref.load %x[%i] : memref<?xf64>
      %c = arith.cmpf ogt, %0, %zero : f64
      %1 = scf.if %c -> f64 {
        %2 = arith.mulf %0, %0 : f64
        %3 = arith.mulf %2, %0 : f64
        scf.yield %3 : f64
      } else {
        %4 = arith.negf %0 : f64
        scf.yield %4 : f64
      }
      memref.store %1, %x[%i] : memref<?xf64>
    }
  }
  return
}

// A gather touches as many elements as it has turns; turns that only the call knows count as 1024.
// CHECK-LABEL: @gather(
// CHECK-SAME: #quernel.work<bytes_read = 16384, bytes_written = 8192, operations = 0, assumed = 1>
func.func private @gather(%x: memref<?xf64>, %i: memref<?xi64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %i[%k] : memref<?xi64>
    %1 = arith.index_cast %0 : i64 to index
    %2 = memref.load %x[%1] : memref<?xf64>
    memref.store %2, %y[%k] : memref<?xf64>
  }
  return
}

// Every second element is disjoint from its neighbours.
// CHECK-LABEL: @pairs(
// CHECK-SAME: #quernel.work<bytes_read = 160, bytes_written = 80, operations = 10, assumed = 0>
func.func private @pairs(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  scf.parallel (%k) = (%c0) to (%c10) step (%c1) {
    %even = arith.muli %k, %c2 : index
    %odd = arith.addi %even, %c1 : index
    %0 = memref.load %x[%even] : memref<?xf64>
    %1 = memref.load %x[%odd] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    memref.store %2, %y[%k] : memref<?xf64>
  }
  return
}

// A loop that goes on while something holds has no turns that are known.
// CHECK-LABEL: @while(
// CHECK-SAME: operations = 2048, assumed = 1>
func.func private @while(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  scf.while : () -> () {
    %0 = memref.load %x[%c0] : memref<?xf64>
    %c = arith.cmpf ogt, %0, %one : f64
    scf.condition(%c)
  } do {
    %1 = memref.load %x[%c0] : memref<?xf64>
    %2 = arith.divf %1, %one : f64
    memref.store %2, %x[%c0] : memref<?xf64>
    scf.yield
  }
  return
}

// Programs have no work of their own.
// CHECK-LABEL: @program(
// CHECK-NOT: quernel.work
func.func @program() attributes {quernel.function = #quernel.function<program>} {
  return
}
