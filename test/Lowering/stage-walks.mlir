// Walks along memory go through tiles in shared memory.
// RUN: quernel-opt %s --quernel-stage-walks --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Lanes load the pieces' elements side by side, each walks along a row of the tile, and they store what it has left.
// CHECK-LABEL: @pieces(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[START:[a-z0-9]+]]: memref<?xf32>, %[[OUT:[a-z0-9]+]]: memref<?xf32>
// CHECK: %[[LANE:[0-9]+]] = quernel.lane of 32
// CHECK: scf.parallel (%[[FIRST:.+]]) = (%c0) to (%c1000) step (%c32)
// CHECK: %[[OWN:[0-9]+]] = arith.addi %[[FIRST]], %[[LANE]]
// CHECK: %[[IS_THERE:[0-9]+]] = arith.cmpi slt, %[[OWN]], %c1000
// CHECK: %[[TURN:[0-9]+]] = arith.minsi %[[OWN]], %c999
// CHECK: %[[S0:[0-9]+]] = memref.load %[[START]][%[[TURN]]]
// CHECK: %[[TILE:.+]] = memref.alloca() : memref<1056xf32, 3>
// CHECK: scf.for %[[CHUNK:.+]] = %c0 to %c64 step %c32 iter_args(%[[S1:.+]] = %[[S0]])
// CHECK-NEXT: quernel.join_lanes of 32
// CHECK-NEXT: %[[LEFT:[0-9]+]] = arith.subi %c1000, %[[FIRST]]
// CHECK-NEXT: %[[ROWS:[0-9]+]] = arith.minsi %[[LEFT]], %c32
// CHECK-NEXT: scf.for %[[SOME:[a-z0-9_]+]] = %c0 to %[[ROWS]] step %c8
// CHECK-NEXT: scf.for %[[EACH:[a-z0-9_]+]] = %c0 to %c8 step %c1
// CHECK-NEXT: %[[ROW:[0-9]+]] = arith.addi %[[SOME]], %[[EACH]]
// CHECK-NEXT: %[[OTHER:[0-9]+]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK: %[[AT:[0-9]+]] = arith.addi %[[CHUNK]], %[[LANE]]
// CHECK-NEXT: %[[K:[0-9]+]] = arith.addi %{{[0-9]+}}, %[[AT]]
// CHECK-NEXT: arith.cmpi slt, %[[K]]
// CHECK-NEXT: arith.cmpi slt, %[[OTHER]], %c1000
// CHECK: scf.if
// CHECK: %[[V:[0-9]+]] = memref.load %[[X]][%[[K]]]
// CHECK-NEXT: memref.store %[[V]], %[[TILE]]
// CHECK: quernel.join_lanes of 32
// CHECK: %[[COUNT:[0-9]+]] = arith.select %[[IS_THERE]], %{{[0-9]+}}, %c0
// CHECK: scf.for %[[C:.+]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[S:.+]] = %[[S1]])
// CHECK-NEXT: %[[BEGIN:[0-9]+]] = arith.muli %[[LANE]], %c33
// CHECK-NEXT: %[[PLACE:[0-9]+]] = arith.addi %[[BEGIN]], %[[C]]
// CHECK-NEXT: %[[TERM:[0-9]+]] = memref.load %[[TILE]][%[[PLACE]]]
// CHECK-NEXT: %[[SUM:[0-9]+]] = arith.addf %[[S]], %[[TERM]]
// CHECK-NEXT: memref.store %[[SUM]], %[[TILE]][%[[PLACE]]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: quernel.join_lanes of 32
// CHECK-NEXT: scf.for
// CHECK: scf.if
// CHECK: %[[V:[0-9]+]] = memref.load %[[TILE]]
// CHECK-NEXT: memref.store %[[V]], %[[OUT]]
func.func private @pieces(%x: memref<?xf32>, %start: memref<?xf32>, %out: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 1000 : index
  %n = arith.constant 63999 : index
  scf.parallel (%i) = (%c0) to (%p) step (%c1) {
    %lower = arith.muli %i, %c64 : index
    %next = arith.addi %lower, %c64 : index
    %upper = arith.minsi %next, %n : index
    %first = memref.load %start[%i] : memref<?xf32>
    %last = scf.for %k = %lower to %upper step %c1 iter_args(%s = %first) -> (f32) {
      %0 = memref.load %x[%k] : memref<?xf32>
      %1 = arith.addf %s, %0 : f32
      memref.store %1, %out[%k] : memref<?xf32>
      scf.yield %1 : f32
    }
  }
  return
}

// Rows of a length that only the run knows, and numbers of eight bytes: a lane goes along every second row. What is
// combined may be anything. What is left of a row its own lane stores.
// CHECK-LABEL: @rows(
// CHECK: scf.parallel (%{{.+}}) = (%c0) to (%c64) step (%c32)
// CHECK-NOT: arith.cmpi
// CHECK: memref.alloca() : memref<544xf64, 3>
// CHECK: %[[COLUMN:[0-9]+]] = arith.remui %{{[0-9]+}}, %c16
// CHECK: %[[ROW:[0-9]+]] = arith.divui %{{[0-9]+}}, %c16
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c16
// CHECK: scf.for %{{.+}} = %[[ROW]] to %{{[0-9]+}} step %c16
// CHECK-NEXT: scf.for %{{.+}} = %c0 to %c16 step %c2
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: }
// CHECK-NOT: scf.if
// CHECK: memref.store %{{.+}}, %{{.+}} : memref<?xf64>
func.func private @rows(%x: memref<?xf64>, %ends: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %part = arith.constant 0.9 : f64
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %row = arith.muli %i, %n : index
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %at = arith.addi %row, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.mulf %s, %part : f64
      %2 = arith.addf %1, %0 : f64
      scf.yield %2 : f64
    }
    memref.store %last, %ends[%i] : memref<?xf64>
  }
  return
}

// Where a count says at which place a turn stores, places lie in a tile. What the walk needs of an element is a truth,
// and stores load the element itself again. Numbers that aren't cheap to compute for another turn its lane stores.
// CHECK-LABEL: @chosen(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[BEGIN:[a-z0-9]+]]: memref<?xindex>, %[[OUT:[a-z0-9]+]]: memref<?xf32>
// CHECK: %[[FROM:[0-9]+]] = memref.load %[[BEGIN]]
// CHECK-DAG: memref.alloca() : memref<544xi1, 3>
// CHECK-DAG: %[[PLACES:.+]] = memref.alloca() : memref<544xi64, 3>
// CHECK-DAG: %[[KEPT:.+]] = memref.alloca() : memref<32xi64, 3>
// CHECK: %[[NUMBER:[0-9]+]] = arith.index_cast %[[FROM]] : index to i64
// CHECK-NEXT: memref.store %[[NUMBER]], %[[KEPT]][%{{[0-9]+}}]
// CHECK: %[[ROW:[0-9]+]] = arith.addi %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}
// CHECK: memref.load %[[KEPT]][%[[ROW]]]
// CHECK: arith.cmpf
// CHECK-NEXT: memref.store {{.*}} : memref<{{.*}}xi1, 3>
// CHECK: iter_args(%[[AT:.+]] =
// CHECK: arith.index_castui %{{.+}} : i1 to index
// CHECK: memref.store {{.*}} : memref<{{.*}}xi64, 3>
// CHECK: scf.if
// CHECK: %[[PLACE:[0-9]+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK: scf.if
// CHECK: memref.store %{{.+}}, %[[OUT]][%[[PLACE]]]
func.func private @chosen(%x: memref<?xf32>, %begin: memref<?xindex>, %out: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %p = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%p) step (%c1) {
    %from = memref.load %begin[%i] : memref<?xindex>
    %to = arith.addi %from, %c256 : index
    scf.for %k = %from to %to step %c1 iter_args(%place = %from) -> (index) {
      %0 = memref.load %x[%k] : memref<?xf32>
      %1 = arith.cmpf ogt, %0, %zero : f32
      scf.if %1 {
        memref.store %0, %out[%place] : memref<?xf32>
      }
      %2 = arith.index_castui %1 : i1 to index
      %3 = arith.addi %place, %2 : index
      scf.yield %3 : index
    }
  }
  return
}

// An array may change in place, where each turn loads the element that it stores.
// CHECK-LABEL: @in_place(
// CHECK: quernel.lane
func.func private @in_place(%x: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant -9 : i64
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %row = arith.muli %i, %c64 : index
    %last = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %least) -> (i64) {
      %at = arith.addi %row, %k : index
      %0 = memref.load %x[%at] : memref<?xi64>
      %1 = arith.maxsi %s, %0 : i64
      memref.store %1, %x[%at] : memref<?xi64>
      scf.yield %1 : i64
    }
  }
  return
}

// Columns, whose neighbours are beside each other, and short walks stay.
// CHECK-LABEL: @columns(
// CHECK-NOT: quernel.lane
func.func private @columns(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %row = arith.muli %k, %c15 : index
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %s, %0 : f64
      memref.store %1, %out[%at] : memref<?xf64>
      scf.yield %1 : f64
    }
  }
  return
}

// CHECK-LABEL: @short(
// CHECK-NOT: quernel.lane
func.func private @short(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %i, %c15 : index
    %all = scf.for %k = %c0 to %c15 step %c1 iter_args(%s = %zero) -> (f64) {
      %at = arith.addi %row, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %s, %0 : f64
      scf.yield %1 : f64
    }
    memref.store %all, %out[%i] : memref<?xf64>
  }
  return
}

// Several turns may store to one place, of which the last one counts.
// CHECK-LABEL: @last_counts(
// CHECK-NOT: quernel.lane
func.func private @last_counts(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %i, %c64 : index
    scf.for %k = %c0 to %c64 step %c1 iter_args(%place = %row) -> (index) {
      %at = arith.addi %row, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.cmpf ogt, %0, %zero : f64
      memref.store %0, %out[%place] : memref<?xf64>
      %2 = arith.index_castui %1 : i1 to index
      %3 = arith.addi %place, %2 : index
      scf.yield %3 : index
    }
  }
  return
}

// A turn loads what the one before has stored; the walk's start is stored by it; lengths that differ without a bound.
// CHECK-LABEL: @left(
// CHECK-NOT: quernel.lane
func.func private @left(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %i, %c64 : index
    scf.for %k = %c1 to %c64 step %c1 iter_args(%s = %zero) -> (f64) {
      %at = arith.addi %row, %k : index
      %before = arith.subi %at, %c1 : index
      %0 = memref.load %x[%before] : memref<?xf64>
      %1 = arith.addf %s, %0 : f64
      memref.store %1, %x[%at] : memref<?xf64>
      scf.yield %1 : f64
    }
  }
  return
}

// CHECK-LABEL: @start(
// CHECK-NOT: quernel.lane
func.func private @start(%x: memref<?xf64>, %start: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %i, %c64 : index
    %first = memref.load %start[%i] : memref<?xf64>
    %last = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %first) -> (f64) {
      %at = arith.addi %row, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %s, %0 : f64
      scf.yield %1 : f64
    }
    memref.store %last, %start[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: @lengths(
// CHECK-NOT: quernel.lane
func.func private @lengths(%x: memref<?xf64>, %ends: memref<?xindex>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %next = arith.addi %i, %c1 : index
    %from = memref.load %ends[%i] : memref<?xindex>
    %to = memref.load %ends[%next] : memref<?xindex>
    %last = scf.for %k = %from to %to step %c1 iter_args(%s = %zero) -> (f64) {
      %0 = memref.load %x[%k] : memref<?xf64>
      %1 = arith.addf %s, %0 : f64
      scf.yield %1 : f64
    }
    memref.store %last, %out[%i] : memref<?xf64>
  }
  return
}
