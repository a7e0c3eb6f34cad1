// Long loops that hand on sums become pieces.
// RUN: quernel-opt %s --quernel-split-scans --canonicalize --mlir-print-local-scope | FileCheck %s

// The pieces' sums, what each piece begins with, and the pieces.
// CHECK-LABEL: @sums(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[OUT:[a-z0-9]+]]: memref<?xf64>
// CHECK: %[[MINUS:[a-z0-9_]+]] = arith.constant -0.0
// CHECK: quernel.allocated %{{[a-z0-9_]+}}(%c16{{[_0-9]*}}) {dtype = "float64"}
// CHECK: quernel.allocated %{{[a-z0-9_]+}}(%c16{{[_0-9]*}}) {dtype = "float64"}
// CHECK: scf.parallel (%[[P:[a-z0-9_]+]]) = (%c0{{[_0-9]*}}) to (%c16{{[_0-9]*}})
// CHECK: %[[FROM:[0-9]+]] = arith.muli %[[P]], %c64
// CHECK: %[[NEXT:[0-9]+]] = arith.addi %[[FROM]], %c64
// CHECK: %[[TO:[0-9]+]] = arith.minsi %[[NEXT]], %c1024
// CHECK: %[[SUM:[0-9]+]] = scf.for %[[I:[a-z0-9_]+]] = %[[FROM]] to %[[TO]] {{.*}} iter_args(%[[S:[a-z0-9_]+]] = %[[MINUS]])
// CHECK-NEXT: %[[V0:[0-9]+]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT: %[[V1:[0-9]+]] = arith.addf %[[S]], %[[V0]]
// CHECK-NEXT: scf.yield %[[V1]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[SUM]], %[[TOTALS:[a-z0-9_]+]][%[[P]]]
// CHECK: scf.for %[[Q:[a-z0-9_]+]] = %c0{{[_0-9]*}} to %c16{{[_0-9]*}} {{.*}} iter_args(%[[S:[a-z0-9_]+]] =
// CHECK-NEXT: memref.store %[[S]], %[[STARTS:[a-z0-9_]+]][%[[Q]]]
// CHECK-NEXT: %[[V2:[0-9]+]] = memref.load %[[TOTALS]][%[[Q]]]
// CHECK-NEXT: %[[V3:[0-9]+]] = arith.addf %[[S]], %[[V2]]
// CHECK-NEXT: scf.yield %[[V3]]
// CHECK: scf.parallel (%[[P:[a-z0-9_]+]])
// CHECK: %[[START:[0-9]+]] = memref.load %[[STARTS]][%[[P]]]
// CHECK: scf.for %[[I:[a-z0-9_]+]] = {{.*}} iter_args(%[[S:[a-z0-9_]+]] = %[[START]])
// CHECK-NEXT: %[[V4:[0-9]+]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT: %[[V5:[0-9]+]] = arith.addf %[[S]], %[[V4]]
// CHECK-NEXT: memref.store %[[V5]], %[[OUT]][%[[I]]]
// CHECK-NEXT: scf.yield %[[V5]]
// CHECK-COUNT-2: memref.dealloc
func.func @sums(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f64
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    memref.store %2, %out[%i] : memref<?xf64>
    scf.yield %2 : f64
  }
  return
}

// The loop over the pieces is cut where it is long, or where nobody knows how long it is: twice.
// CHECK-LABEL: @levels(
// CHECK-COUNT-2: arith.ceildivsi
// CHECK-NOT: arith.ceildivsi
func.func @levels(%n: index, %x: memref<?xi64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %1 = memref.load %x[%i] : memref<?xi64>
    %2 = arith.addi %s, %1 : i64
    memref.store %2, %out[%i] : memref<?xi64>
    scf.yield %2 : i64
  }
  return
}

// Rows share the pieces; what is computed for a row is computed again. A turn goes along memory, so neighbours are
// pieces of a row.
// CHECK-LABEL: @rows(
// CHECK: quernel.allocated %{{.*}}(%c48
// CHECK: scf.parallel (%[[R:[a-z0-9_]+]], %[[P:[a-z0-9_]+]]) = (%c0{{[_0-9]*}}, %c0{{[_0-9]*}}) to (%c3{{[_0-9]*}}, %c16{{[_0-9]*}})
// CHECK-NEXT: arith.muli %[[R]], %c1024
// CHECK: %[[SUM:[0-9]+]]:2 = scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<reduce = [max, xor]>}
// CHECK: %[[ROW:[0-9]+]] = arith.muli %[[R]], %c16
// CHECK-NEXT: %[[PLACE:[0-9]+]] = arith.addi %[[ROW]], %[[P]]
// CHECK-NEXT: memref.store %[[SUM]]#0, %{{[a-z0-9_]+}}[%[[PLACE]]]
// CHECK: scf.parallel (%[[R:[a-z0-9_]+]]) = (%c0{{[_0-9]*}}) to (%c3{{[_0-9]*}})
// CHECK: scf.for {{.*}} = %c0{{[_0-9]*}} to %c16
// CHECK: scf.parallel ({{.*}}, {{.*}})
func.func @rows(%x: memref<?xi64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 1024 : index
  %least = arith.constant -9223372036854775808 : i64
  %zero = arith.constant 0 : i64
  scf.for %r = %c0 to %c3 step %c1 {
    %row = arith.muli %r, %n : index
    %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %least, %b = %zero) -> (i64, i64) {
      %at = arith.addi %row, %i : index
      %1 = memref.load %x[%at] : memref<?xi64>
      %2 = arith.maxsi %m, %1 : i64
      %3 = arith.xori %b, %1 : i64
      %4 = arith.addi %2, %3 : i64
      memref.store %4, %out[%at] : memref<?xi64>
      scf.yield %2, %3 : i64, i64
    }
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// Columns: neighbours are columns of a piece.
// CHECK-LABEL: @columns(
// CHECK: scf.parallel ({{.*}}, {{.*}}) = (%c0{{[_0-9]*}}, %c0{{[_0-9]*}}) to (%c16{{[_0-9]*}}, %c3{{[_0-9]*}})
func.func @columns(%x: memref<?xi64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 1024 : index
  %zero = arith.constant 0 : i64
  scf.parallel (%r) = (%c0) to (%c3) step (%c1) {
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
      %row = arith.muli %i, %c3 : index
      %at = arith.addi %row, %r : index
      %1 = memref.load %x[%at] : memref<?xi64>
      %2 = arith.addi %s, %1 : i64
      memref.store %2, %out[%at] : memref<?xi64>
      scf.yield %2 : i64
    }
    scf.reduce
  }
  return
}

// An index is kept as an integer; what is left in the end is what the pieces add up to.
// CHECK-LABEL: @places(
// CHECK: quernel.allocated {{.*}} : memref<?xi64>
// CHECK: arith.index_cast %{{.*}} : index to i64
// CHECK: %[[LAST:[0-9]+]] = scf.for
// CHECK: arith.index_cast %[[LAST]]
func.func @places(%counts: memref<?xi64>, %begin: memref<?xi64>, %all: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2000 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%place = %c0) -> (index) {
    %1 = arith.index_cast %place : index to i64
    memref.store %1, %begin[%i] : memref<?xi64>
    %2 = memref.load %counts[%i] : memref<?xi64>
    %3 = arith.index_cast %2 : i64 to index
    %4 = arith.addi %place, %3 : index
    scf.yield %4 : index
  }
  %5 = arith.index_cast %0 : index to i64
  memref.store %5, %all[%c0] : memref<?xi64>
  return
}

// Where nothing is stored, no piece runs once more.
// CHECK-LABEL: @nothing_stored(
// CHECK-COUNT-1: scf.parallel
// CHECK: scf.for
// CHECK-NOT: scf.parallel
func.func @nothing_stored(%x: memref<?xf64>, %all: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2000 : index
  %zero = arith.constant 0.0 : f64
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    scf.yield %2 : f64
  }
  memref.store %0, %all[%c0] : memref<?xf64>
  return
}

// Loops that stay: too short; a float product; a sum of floats that is stored and given; a term that depends on what is
// carried; turns that read what others have stored; a term that the turn has stored before.
// CHECK-LABEL: @left(
// CHECK-NOT: scf.parallel
func.func @left(%x: memref<?xf64>, %y: memref<?xf64>, %all: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %short = arith.constant 1023 : index
  %n = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %0 = scf.for %i = %c0 to %short step %c1 iter_args(%s = %zero) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.yield %2 : f64
  }
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.mulf %s, %1 : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.yield %2 : f64
  }
  %4 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.yield %2 : f64
  }
  memref.store %4, %all[%c0] : memref<?xf64>
  %5 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.mulf %s, %1 : f64
    %6 = arith.addf %s, %2 : f64
    memref.store %6, %y[%i] : memref<?xf64>
    scf.yield %6 : f64
  }
  %7 = scf.for %i = %c1 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %before = arith.subi %i, %c1 : index
    %1 = memref.load %x[%before] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    memref.store %2, %x[%i] : memref<?xf64>
    scf.yield %2 : f64
  }
  %8 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    memref.store %one, %x[%i] : memref<?xf64>
    %1 = memref.load %x[%i] : memref<?xf64>
    %2 = arith.addf %s, %1 : f64
    scf.yield %2 : f64
  }
  return
}
// CHECK: return

// In a loop of the user's a number of turns that isn't known counts as small.
// CHECK-LABEL: @inner(
// CHECK-NOT: scf.parallel
func.func @inner(%n: index, %x: memref<?xi64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  scf.for %t = %c0 to %n step %c1 {
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
      %1 = memref.load %x[%i] : memref<?xi64>
      %2 = arith.addi %s, %1 : i64
      memref.store %2, %out[%i] : memref<?xi64>
      scf.yield %2 : i64
    }
  }
  return
}
// CHECK: return
