// What doesn't depend on a loop leaves it.
// RUN: quernel-opt %s --quernel-hoist-invariants --mlir-print-local-scope | FileCheck %s

// A reduction and a load that don't depend on the inner loop leave it.
// CHECK-LABEL: @row_maximum(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.load %[[A1]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: scf.parallel (%[[V1:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A3]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = scf.for %[[V3:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A3]] step %c1{{[_a-z0-9]*}} iter_args(%[[V4:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V1]], %[[V3]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%[[V5]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.maximumf %[[V4]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.subf %[[V2]], %[[V0]]
// CHECK-NEXT: scf.for %[[V3]] = %c0{{[_a-z0-9]*}} to %[[A3]] step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V5]] = arith.addi %[[V1]], %[[V3]]
// CHECK-NEXT: memref.store %[[V8]], %[[A2]][%[[V5]]]
// CHECK: scf.reduce
func.func @row_maximum(%x: memref<?xf64>, %w: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFFF0000000000000 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      %m = scf.for %k = %c0 to %n step %c1 iter_args(%best = %low) -> (f64) {
        %p = arith.addi %i, %k : index
        %0 = memref.load %x[%p] : memref<?xf64>
        %1 = arith.maximumf %best, %0 : f64
        scf.yield %1 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [max]>}
      %v = memref.load %w[%c0] : memref<?xf64>
      %s = arith.subf %m, %v : f64
      %q = arith.addi %i, %j : index
      memref.store %s, %out[%q] : memref<?xf64>
    }
    scf.reduce
  }
  return
}

// What the loop stores to is loaded where it was.
// CHECK-LABEL: @stored(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.for %[[V0:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A1]] step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.load %[[A0]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: memref.store %[[V1]], %[[A0]][%[[V0]]]
func.func @stored(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %v = memref.load %x[%c0] : memref<?xf64>
    memref.store %v, %x[%j] : memref<?xf64>
  }
  return
}

// Programs are left alone.
// CHECK-LABEL: @program(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: scf.for %[[V0:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A2]] step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.load %[[A0]][%c0{{[_a-z0-9]*}}]
// CHECK-NEXT: memref.store %[[V1]], %[[A1]][%[[V0]]]
func.func @program(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %v = memref.load %x[%c0] : memref<?xf64>
    memref.store %v, %out[%j] : memref<?xf64>
  }
  return
}

// A loop that may be empty gives away what reads nothing alone; a `while` keeps its loads.
// CHECK-LABEL: @maybe_empty(
// CHECK: %[[P:.*]] = arith.addi
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.load %{{.*}}[%[[P]]]
// CHECK: scf.while
// CHECK: } do {
// CHECK: memref.load
func.func @maybe_empty(%x: memref<?xf64>, %out: memref<?xf64>, %i: index, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %i to %n step %c1 {
    %p = arith.addi %i, %c1 : index
    %v = memref.load %x[%p] : memref<?xf64>
    memref.store %v, %out[%j] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  %end = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi slt, %k, %n : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %v = memref.load %x[%c0] : memref<?xf64>
    memref.store %v, %out[%k] : memref<?xf64>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  return
}

// What a vector is stored to is read again in every turn.
// CHECK-LABEL: @stores_vectors(
// CHECK: scf.for
// CHECK: memref.load
// CHECK: vector.store
func.func @stores_vectors(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%c0] : memref<?xf64>
    memref.store %v, %out[%i] : memref<?xf64>
    %w = vector.load %out[%c0] : memref<?xf64>, vector<8xf64>
    vector.store %w, %x[%c0] : memref<?xf64>, vector<8xf64>
  }
  return
}

// A loop that reads nothing has as many turns as a number says. It stays where a check may end the program before, and
// in a loop that may have no turn.
// CHECK-LABEL: @endless(
// CHECK: scf.for
// CHECK: quernel.check
// CHECK-NEXT: scf.for
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: maybe_empty
// CHECK: scf.for
// CHECK: reduce = [min]
// CHECK: scf.for
func.func @endless(%out: memref<?xf64>, %ok: i1, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    quernel.check %ok {exception = "ValueError", message = "no"} : i1
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %one) -> (f64) {
      %b = arith.addf %a, %one : f64
      scf.yield %b : f64
    }
    memref.store %s, %out[%i] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %one) -> (f64) {
      %b = arith.addf %a, %one : f64
      scf.yield %b : f64
    }
    memref.store %s, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %one) -> (f64) {
      %b = arith.minnumf %a, %one : f64
      scf.yield %b : f64
    } {quernel.schedule = #quernel.schedule<reduce = [min]>}
    memref.store %s, %out[%i] : memref<?xf64>
  }
  return
}

// What another turn may update isn't loaded before the loop.
// CHECK-LABEL: @updated(
// CHECK: scf.for
// CHECK-NEXT: memref.atomic_rmw
// CHECK-NEXT: memref.load
func.func @updated(%n: index, %x: memref<?xi64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.atomic_rmw addi %one, %x[%i] : (i64, memref<?xi64>) -> i64
    %1 = memref.load %x[%c0] : memref<?xi64>
    memref.store %1, %out[%i] : memref<?xi64>
  }
  return
}
