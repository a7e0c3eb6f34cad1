// RUN: quernel-opt --split-input-file --quernel-form-teams %s | FileCheck %s

// Blocks of a long sum: workers compute their sums into shared memory, and the first one adds these in order.
// CHECK-LABEL: func.func private @sums(
// CHECK:         %[[LANE:.*]] = quernel.lane of 32
// CHECK:         %[[WORKER:.*]], %[[WORKERS:.*]] = quernel.worker of 32 most 32
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[WORKER]],
// CHECK:         scf.parallel (%[[ROW:.*]]) =
// CHECK:           %[[TERMS:.*]] = memref.alloca() : memref<4096xf32, 3>
// CHECK:           %[[SUM:.*]] = scf.for %[[BATCH:.*]] = %{{.*}} to %{{.*}} step %c32768 iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK:             %[[COUNT:.*]] = arith.minsi
// CHECK:             scf.for %[[K:.*]] = %[[WORKER]] to %[[COUNT]] step %[[WORKERS]] {
// CHECK:               %[[PART:.*]] = scf.for
// CHECK:               memref.store %[[PART]], %[[TERMS]]
// CHECK:             quernel.barrier
// CHECK:             %[[OWN:.*]] = arith.select %[[FIRST]], %[[COUNT]],
// CHECK:             %[[FOLDED:.*]] = scf.for %{{.*}} = %{{.*}} to %[[OWN]] step %{{.*}} iter_args(%[[T:.*]] = %[[S]]) -> (f32) {
// CHECK:               %[[TERM:.*]] = memref.load %[[TERMS]]
// CHECK:               arith.addf %[[T]], %[[TERM]]
// CHECK:             quernel.barrier
// CHECK:             scf.yield %[[FOLDED]]
// CHECK:           %[[STORES:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK:           scf.if %[[STORES]] {
// CHECK-NEXT:        memref.store %[[SUM]]
// CHECK-NOT:     quernel.barrier
func.func private @sums(%x: memref<?xf32>, %y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %c20 = arith.constant 20 : index
  %n = arith.constant 99840 : index
  %zero = arith.constant 0.0 : f32
  %lane = quernel.lane of 32
  %first = arith.cmpi eq, %lane, %c0 : index
  scf.parallel (%row) = (%c0) to (%c20) step (%c1) {
    %base = arith.muli %row, %n : index
    %sum = scf.for %i = %c0 to %n step %c256 iter_args(%s = %zero) -> (f32) {
      %end = arith.addi %i, %c256 : index
      %part = scf.for %j = %i to %end step %c32 iter_args(%p = %zero) -> (f32) {
        %a = arith.addi %base, %j : index
        %b = arith.addi %a, %lane : index
        %v = memref.load %x[%b] : memref<?xf32>
        %q = arith.addf %p, %v : f32
        scf.yield %q : f32
      }
      %t = arith.addf %s, %part : f32
      scf.yield %t : f32
    }
    scf.if %first {
      memref.store %sum, %y[%row] : memref<?xf32>
    }
  }
  return
}

// -----

// What all lanes go on with the first worker tells the others, and loops of lanes are shared by workers, too.
// CHECK-LABEL: func.func private @shares(
// CHECK:         %[[WORKER:.*]], %[[WORKERS:.*]] = quernel.worker of 32 most 32
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[WORKER]],
// CHECK:           quernel.barrier
// CHECK:           quernel.barrier
// CHECK:           %[[TOLD:.*]] = memref.alloca() : memref<32xf32, 3>
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %{{.*}}, %[[TOLD]][%[[LANE:.*]]]
// CHECK:           quernel.barrier
// CHECK:           %[[SUM:.*]] = memref.load %[[TOLD]][%[[LANE]]]
// CHECK:           quernel.barrier
// CHECK:           %[[ALL:.*]] = quernel.lane_value %[[SUM]] at 0 of 32
// CHECK:           %[[BEHIND:.*]] = arith.muli %[[WORKER]], %c32
// CHECK:           %[[BEGIN:.*]] = arith.addi %{{.*}}, %[[BEHIND]]
// CHECK:           %[[STEP:.*]] = arith.muli %[[WORKERS]], %c32
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %{{.*}} step %[[STEP]] {
// CHECK:             arith.divf %{{.*}}, %[[ALL]]
// CHECK-NEXT:        memref.store
// CHECK-NOT:     quernel.join_lanes
func.func private @shares(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %rows: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %lane = quernel.lane of 32
  scf.parallel (%row) = (%c0) to (%rows) step (%c1) {
    %base = arith.muli %row, %n : index
    %sum = scf.for %i = %c0 to %n step %c256 iter_args(%s = %zero) -> (f32) {
      %end = arith.addi %i, %c256 : index
      %part = scf.for %j = %i to %end step %c32 iter_args(%p = %zero) -> (f32) {
        %a = arith.addi %base, %j : index
        %b = arith.addi %a, %lane : index
        %v = memref.load %x[%b] : memref<?xf32>
        %q = arith.addf %p, %v : f32
        scf.yield %q : f32
      }
      %t = arith.addf %s, %part : f32
      scf.yield %t : f32
    }
    %all = quernel.lane_value %sum at 0 of 32 : f32
    quernel.join_lanes of 32
    %begin = arith.addi %c0, %lane : index
    scf.for %i = %begin to %n step %c32 {
      %a = arith.addi %base, %i : index
      %v = memref.load %x[%a] : memref<?xf32>
      %d = arith.divf %v, %all : f32
      memref.store %d, %y[%a] : memref<?xf32>
    }
    quernel.join_lanes of 32
  }
  return
}

// -----

// What all workers load of a row the first one may store to when all have done so.
// CHECK-LABEL: func.func private @stores_again(
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:           %[[ROW:.*]] = memref.alloca() : memref<32xf32, 3>
// CHECK:           %[[ONE:.*]] = memref.load %[[ROW]][
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addf %[[ONE]], %[[ONE]]
// CHECK-NEXT:      quernel.barrier
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %[[TWICE]], %[[ROW]]
// CHECK-NEXT:      }
func.func private @stores_again(%x: memref<?xf32>, %y: memref<?xf32>, %rows: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %lane = quernel.lane of 32
  scf.parallel (%r) = (%c0) to (%rows) step (%c1) {
    %base = arith.muli %r, %n : index
    %row = memref.alloca() : memref<32xf32, 3>
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%s = %zero) -> (f32) {
      %a = arith.addi %base, %i : index
      %b = arith.addi %a, %lane : index
      %v = memref.load %x[%b] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    %one = memref.load %row[%lane] : memref<32xf32, 3>
    %twice = arith.addf %one, %one : f32
    memref.store %twice, %row[%lane] : memref<32xf32, 3>
    quernel.join_lanes of 32
    %all = arith.addf %sum, %twice : f32
    memref.store %all, %y[%r] : memref<?xf32>
  }
  return
}

// -----

// Where no lanes share a turn, neighbours are lanes. Behind the last turn that one is computed again, and not stored.
// CHECK-LABEL: func.func private @columns(
// CHECK:         %[[LANE:.*]] = quernel.lane of 32
// CHECK:         quernel.worker of 32 most 16
// CHECK:         scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[N:.*]]) step (%c32{{.*}}) {
// CHECK:           %[[OWN:.*]] = arith.addi %[[I]], %[[LANE]]
// CHECK:           %[[HAS:.*]] = arith.cmpi slt, %[[OWN]], %[[N]]
// CHECK:           %[[AT:.*]] = arith.minsi %[[OWN]],
// CHECK:           quernel.barrier
// CHECK:           %[[STORES:.*]] = arith.andi %{{.*}}, %[[HAS]]
// CHECK:           scf.if %[[STORES]] {
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[AT]]]
func.func private @columns(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %rows: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %k = %c0 to %rows step %c16 iter_args(%s = %zero) -> (f64) {
      %beyond = arith.addi %k, %c16 : index
      %part = scf.for %j = %k to %beyond step %c1 iter_args(%p = %zero) -> (f64) {
        %a = arith.muli %j, %n : index
        %b = arith.addi %a, %i : index
        %v = memref.load %x[%b] : memref<?xf64>
        %q = arith.addf %p, %v : f64
        scf.yield %q : f64
      }
      %t = arith.addf %s, %part : f64
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// -----

// Many turns keep a device busy without teams.
// CHECK-LABEL: func.func private @many(
// CHECK-NOT:     quernel.worker
// CHECK:         return

// Bounds that differ from turn to turn differ in a warp.
// CHECK-LABEL: func.func private @ragged(
// CHECK-NOT:     quernel.worker
// CHECK:         return

// What is loaded and stored nobody waits for without lanes.
// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT:     quernel.worker
// CHECK:         return

// A turn that may fail isn't waited for.
// CHECK-LABEL: func.func private @fails(
// CHECK-NOT:     quernel.worker
// CHECK:         return
func.func private @many(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %v = memref.load %x[%k] : memref<?xf64>
      %t = arith.addf %s, %v : f64
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
func.func private @ragged(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %k = %c0 to %i step %c1 iter_args(%s = %zero) -> (f64) {
      %v = memref.load %x[%k] : memref<?xf64>
      %t = arith.addf %s, %v : f64
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
func.func private @in_place(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %before = memref.load %y[%i] : memref<?xf64>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %before) -> (f64) {
      %v = memref.load %x[%k] : memref<?xf64>
      %t = arith.addf %s, %v : f64
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
func.func private @fails(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %v = memref.load %x[%k] : memref<?xf64>
      %t = arith.addf %s, %v : f64
      scf.yield %t : f64
    }
    %ok = arith.cmpf ole, %sum, %zero : f64
    quernel.check %ok {exception = "ValueError", message = "too much"} : i1
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
