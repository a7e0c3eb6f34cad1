// RUN: quernel-opt --split-input-file --verify-diagnostics --quernel-distribute-lanes %s | FileCheck %s

// A row's sum: lanes load side by side, add what threads behind have, and one of them stores.
// CHECK-LABEL: func.func private @sums(
// CHECK:         %[[LANE:.*]] = quernel.lane of 4
// CHECK:         scf.parallel (%[[ROW:.*]]) =
// CHECK:           %[[SUM:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f64) {
// CHECK:             %[[AT:.*]] = arith.addi %[[I]], %[[LANE]]
// CHECK:             %[[X:.*]] = memref.load %{{.*}}[%[[AT]]] : memref<?xf64>
// CHECK:             arith.addf %[[S]], %[[X]] : f64
// CHECK:           %[[HIGH:.*]] = quernel.lane_behind %[[SUM]] by 2 of 4 : f64
// CHECK:           %[[TWO:.*]] = arith.addf %[[SUM]], %[[HIGH]] : f64
// CHECK:           %[[A:.*]] = quernel.lane_value %[[TWO]] at 0 of 4 : f64
// CHECK:           %[[B:.*]] = quernel.lane_value %[[TWO]] at 1 of 4 : f64
// CHECK:           %[[ALL:.*]] = arith.addf %[[A]], %[[B]] : f64
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]],
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %[[ALL]], %{{.*}}[%[[ROW]]]
// CHECK-NOT:     join_lanes
func.func private @sums(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  scf.parallel (%row) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %n step %c4 iter_args(%s = %zero) -> vector<4xf64> {
      %v = vector.load %x[%i] : memref<?xf64>, vector<4xf64>
      %t = arith.addf %s, %v : vector<4xf64>
      scf.yield %t : vector<4xf64>
    }
    %low = vector.shuffle %sum, %sum [0, 1] : vector<4xf64>, vector<4xf64>
    %high = vector.shuffle %sum, %sum [2, 3] : vector<4xf64>, vector<4xf64>
    %two = arith.addf %low, %high : vector<2xf64>
    %a = vector.extract %two[0] : f64 from vector<2xf64>
    %b = vector.extract %two[1] : f64 from vector<2xf64>
    %all = arith.addf %a, %b : f64
    memref.store %all, %y[%row] : memref<?xf64>
  }
  return
}

// -----

// Steps, gathers and every second element of a load.
// CHECK-LABEL: func.func private @parts(
// CHECK:         %[[LANE:.*]] = quernel.lane of 4
// CHECK:         %[[AT:.*]] = arith.addi %{{.*}}, %[[LANE]] : index
// CHECK:         %[[G:.*]] = memref.load %{{.*}}[%[[AT]]]
// CHECK:         %[[THREE:.*]] = arith.muli %[[LANE]], %c3
// CHECK:         %[[FAR:.*]] = arith.addi %[[THREE]], %{{.*}}
// CHECK:         %[[WHERE:.*]] = arith.addi %{{.*}}, %[[FAR]]
// CHECK:         memref.load %{{.*}}[%[[WHERE]]]
// CHECK:         %[[DOUBLE:.*]] = arith.muli %[[LANE]], %{{.*}} : index
// CHECK:         memref.load
// CHECK:         memref.load
// CHECK:         %[[V:.*]] = arith.addf
// CHECK:         quernel.lane_value %{{.*}} at 3 of 4 : f32
func.func private @parts(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %nothing = arith.constant dense<0.0> : vector<4xf32>
  %all = arith.constant dense<true> : vector<4xi1>
  %steps = vector.step : vector<4xindex>
  %g = vector.gather %x[%n] [%steps], %all, %nothing : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %progression = arith.constant dense<[5, 8, 11, 14]> : vector<4xindex>
  %h = vector.gather %x[%n] [%progression], %all, %nothing : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %both = vector.load %x[%n] : memref<?xf32>, vector<8xf32>
  %re = vector.shuffle %both, %both [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
  %im = vector.shuffle %both, %both [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
  %p = arith.mulf %re, %im : vector<4xf32>
  %q = arith.addf %p, %h : vector<4xf32>
  %v = arith.addf %q, %g : vector<4xf32>
  %e = vector.extract %v[3] : f32 from vector<4xf32>
  memref.store %e, %y[%c0] : memref<?xf32>
  return
}

// -----

// A loop that lanes share; they wait for each other around what one stores and others load.
// CHECK-LABEL: func.func private @loops(
// CHECK:         %[[LANE:.*]] = quernel.lane of 32
// CHECK:         quernel.join_lanes of 32
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[LANE]] to %{{.*}} step %c32
// CHECK:           memref.store
// CHECK:         quernel.join_lanes of 32
// CHECK:         %[[E:.*]] = memref.load
// CHECK:         quernel.join_lanes of 32
// CHECK-NEXT:    scf.if
// CHECK:           memref.store %[[E]]
// CHECK:         quernel.join_lanes of 32
func.func private @loops(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %x[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  %e = memref.load %x[%n] : memref<?xf64>
  memref.store %e, %x[%c0] : memref<?xf64>
  return
}

// -----

// Vectors of other widths: lanes that a narrower one hasn't repeat those that it has.
// CHECK-LABEL: func.func private @widths(
// CHECK:         %[[LANE:.*]] = quernel.lane of 4
// CHECK:         %[[TWO:.*]] = arith.remui %[[LANE]], %c2
// CHECK:         %[[AT:.*]] = arith.addi %{{.*}}, %[[LANE]]
// CHECK:         memref.load %{{.*}}[%[[AT]]] : memref<?xf32>
// CHECK:         %[[NARROW:.*]] = arith.addi %{{.*}}, %[[TWO]]
// CHECK:         memref.load %{{.*}}[%[[NARROW]]] : memref<?xf64>
func.func private @widths(%x: memref<?xf32>, %y: memref<?xf64>, %z: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%n] : memref<?xf32>, vector<4xf32>
  %w = vector.load %y[%n] : memref<?xf64>, vector<2xf64>
  %a = vector.extract %v[3] : f32 from vector<4xf32>
  %b = vector.extract %w[1] : f64 from vector<2xf64>
  %c = arith.truncf %b : f64 to f32
  %d = arith.addf %a, %c : f32
  memref.store %d, %z[%c0] : memref<?xf32>
  return
}

// -----

func.func private @constants(%y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'arith.constant' op has lanes of different constants, which threads can't have}}
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %e = vector.extract %v[1] : f32 from vector<2xf32>
  memref.store %e, %y[%c0] : memref<?xf32>
  return
}

// -----

func.func private @reversed(%x: memref<?xf32>, %y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf32>, vector<2xf32>
  // expected-error@+1 {{'vector.shuffle' op has no form for threads}}
  %r = vector.shuffle %v, %v [1, 0] : vector<2xf32>, vector<2xf32>
  %e = vector.extract %r[1] : f32 from vector<2xf32>
  memref.store %e, %y[%c0] : memref<?xf32>
  return
}

// -----

// One lane makes an atomic update that all would make; in a loop of lanes each makes its own.
// CHECK-LABEL: func.func private @updates(
// CHECK: scf.if
// CHECK-NEXT: memref.atomic_rmw
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.atomic_rmw
func.func private @updates(%k: memref<?xi64>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.atomic_rmw addi %one, %y[%i] : (i64, memref<?xi64>) -> i64
    scf.for %j = %c0 to %n step %c1 {
      %1 = memref.load %k[%j] : memref<?xi64>
      %2 = arith.index_cast %1 : i64 to index
      %3 = memref.atomic_rmw addi %one, %y[%2] : (i64, memref<?xi64>) -> i64
    } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
    scf.reduce
  }
  return
}

// -----

// A row that lanes share: each stores its own elements, the first ones where the kernel has more lanes, and one of them
// what is left. They wait around the loops that store, not in them.
// CHECK-LABEL: func.func private @rows(
// CHECK:         %[[LANE:.*]] = quernel.lane of 8
// CHECK:         memref.alloca() : memref<42xf64, 3>
// CHECK-NEXT:    quernel.join_lanes of 8
// CHECK-NEXT:    scf.for %[[I:.*]] =
// CHECK:           %[[PLACE:.*]] = arith.addi %[[I]], %[[LANE]]
// CHECK:           %[[OWN:.*]] = arith.cmpi ult, %[[LANE]], %{{.*}} : index
// CHECK-NEXT:      scf.if %[[OWN]] {
// CHECK-NEXT:        memref.store %{{.*}}, %[[ROW:.*]][%[[PLACE]]] : memref<42xf64, 3>
// CHECK-NOT:       join_lanes
// CHECK:         quernel.join_lanes of 8
// CHECK-NEXT:    scf.for
// CHECK:           arith.cmpi eq, %[[LANE]],
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        memref.store %{{.*}}, %[[ROW]]
// CHECK-NOT:       join_lanes
// CHECK:         quernel.join_lanes of 8
// CHECK-NEXT:    memref.load
func.func private @rows(%x: memref<?xf64>, %y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c42 = arith.constant 42 : index
  %row = memref.alloca() : memref<42xf64, 3>
  scf.for %i = %c0 to %c40 step %c4 {
    %v = vector.load %x[%i] : memref<?xf64>, vector<4xf64>
    vector.store %v, %row[%i] : memref<42xf64, 3>, vector<4xf64>
  }
  scf.for %i = %c40 to %c42 step %c1 {
    %e = memref.load %x[%i] : memref<?xf64>
    memref.store %e, %row[%i] : memref<42xf64, 3>
  }
  %e = memref.load %row[%c1] : memref<42xf64, 3>
  %f = arith.truncf %e : f64 to f32
  %w = vector.load %y[%c0] : memref<?xf32>, vector<8xf32>
  %g = vector.extract %w[7] : f32 from vector<8xf32>
  %sum = arith.addf %f, %g : f32
  memref.store %sum, %y[%c0] : memref<?xf32>
  return
}
