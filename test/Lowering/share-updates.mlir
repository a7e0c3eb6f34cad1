// Updates at places that the data name become atomic.
// RUN: quernel-opt %s --quernel-share-updates --mlir-print-local-scope | FileCheck %s

// Blocks of updates, as scatters have them: both loops are shared.
// CHECK-LABEL: @counts(
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?xi64>, %[[Y:[a-z0-9]+]]: memref<?xi64>
// CHECK: scf.for
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NEXT: %[[V0:[0-9]+]] = memref.load %[[K]][%[[I]]]
// CHECK-NEXT: %[[V1:[0-9]+]] = arith.index_cast %[[V0]]
// CHECK-NEXT: memref.atomic_rmw addi %c1_i64, %[[Y]][%[[V1]]] : (i64, memref<?xi64>) -> i64
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel>}
func.func @counts(%k: memref<?xi64>, %y: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  %one = arith.constant 1 : i64
  scf.for %b = %c0 to %c8 step %c1 {
    %first = arith.muli %b, %c1024 : index
    %last = arith.addi %first, %c1024 : index
    scf.for %i = %first to %last step %c1 {
      %0 = memref.load %k[%i] : memref<?xi64>
      %1 = arith.index_cast %0 : i64 to index
      %2 = memref.load %y[%1] : memref<?xi64>
      %3 = arith.addi %2, %one : i64
      memref.store %3, %y[%1] : memref<?xi64>
    }
  }
  return
}

// CHECK-LABEL: @kinds(
// CHECK: memref.atomic_rmw andi
// CHECK: memref.atomic_rmw ori
// CHECK: memref.atomic_rmw xori
// CHECK: memref.atomic_rmw maxs
// CHECK: memref.atomic_rmw mins
// CHECK: memref.atomic_rmw maxu
// CHECK: memref.atomic_rmw minu
func.func @kinds(%k: memref<?xindex>, %a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>, %e: memref<?xi32>, %f: memref<?xi32>, %g: memref<?xi32>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %v = arith.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %a[%p] : memref<?xi32>
    %1 = arith.andi %0, %v : i32
    memref.store %1, %a[%p] : memref<?xi32>
    %2 = memref.load %b[%p] : memref<?xi32>
    %3 = arith.ori %v, %2 : i32
    memref.store %3, %b[%p] : memref<?xi32>
    %4 = memref.load %c[%p] : memref<?xi32>
    %5 = arith.xori %4, %v : i32
    memref.store %5, %c[%p] : memref<?xi32>
    %6 = memref.load %d[%p] : memref<?xi32>
    %7 = arith.maxsi %6, %v : i32
    memref.store %7, %d[%p] : memref<?xi32>
    %8 = memref.load %e[%p] : memref<?xi32>
    %9 = arith.minsi %8, %v : i32
    memref.store %9, %e[%p] : memref<?xi32>
    %10 = memref.load %f[%p] : memref<?xi32>
    %11 = arith.maxui %10, %v : i32
    memref.store %11, %f[%p] : memref<?xi32>
    %12 = memref.load %g[%p] : memref<?xi32>
    %13 = arith.minui %12, %v : i32
    memref.store %13, %g[%p] : memref<?xi32>
  }
  return
}

// Loops that stay: floats; a product; an array that is also read, or stored, or updated in two ways; short integers;
// another array of which turns read what others store.
// CHECK-LABEL: @left(
// CHECK-NOT: atomic_rmw
// CHECK-NOT: parallel
// CHECK: return
func.func @left(%k: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xi64>, %z: memref<?xi16>, %other: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %one = arith.constant 1.0 : f64
  %v = arith.constant 7 : i64
  %w = arith.constant 7 : i16
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %x[%p] : memref<?xf64>
    %1 = arith.addf %0, %one : f64
    memref.store %1, %x[%p] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %y[%p] : memref<?xi64>
    %1 = arith.muli %0, %v : i64
    memref.store %1, %y[%p] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %y[%p] : memref<?xi64>
    %1 = arith.addi %0, %v : i64
    memref.store %1, %y[%p] : memref<?xi64>
    %2 = memref.load %y[%i] : memref<?xi64>
    memref.store %2, %other[%i] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %y[%p] : memref<?xi64>
    %1 = arith.addi %0, %v : i64
    memref.store %1, %y[%p] : memref<?xi64>
    memref.store %v, %y[%c0] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %y[%p] : memref<?xi64>
    %1 = arith.addi %0, %v : i64
    memref.store %1, %y[%p] : memref<?xi64>
    %2 = memref.load %y[%p] : memref<?xi64>
    %3 = arith.maxsi %2, %v : i64
    memref.store %3, %y[%p] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %z[%p] : memref<?xi16>
    %1 = arith.addi %0, %w : i16
    memref.store %1, %z[%p] : memref<?xi16>
  }
  scf.for %i = %c1 to %n step %c1 {
    %p = memref.load %k[%i] : memref<?xindex>
    %0 = memref.load %y[%p] : memref<?xi64>
    %1 = arith.addi %0, %v : i64
    memref.store %1, %y[%p] : memref<?xi64>
    %before = arith.subi %i, %c1 : index
    %2 = memref.load %other[%before] : memref<?xi64>
    memref.store %2, %other[%i] : memref<?xi64>
  }
  return
}

// A place that follows from the counter is nobody else's anyway.
// CHECK-LABEL: @known_places(
// CHECK-NOT: atomic_rmw
// CHECK: return
func.func @known_places(%y: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %v = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %y[%i] : memref<?xi64>
    %1 = arith.addi %0, %v : i64
    memref.store %1, %y[%i] : memref<?xi64>
  }
  return
}
