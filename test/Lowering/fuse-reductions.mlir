// Reductions over the same range run in one loop.
// RUN: quernel-opt %s --quernel-fuse-reductions --mlir-print-local-scope | FileCheck %s

// Neither needs the other: one loop.
// CHECK-LABEL: @independent(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]]:2 = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A2]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addf %[[V2]], %[[V4]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.maximumf %[[V3]], %[[V6]]
// CHECK-NEXT: scf.yield %[[V5]], %[[V7]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum, max]>}
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.subf %[[V0]]#1, %[[V0]]#0
// CHECK-NEXT: memref.store %[[V8]], %[[A1]][%c0{{[_a-z0-9]*}}]
func.func @independent(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %m = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.maximumf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [max]>}
  %r = arith.subf %m, %s : f64
  memref.store %r, %out[%c0] : memref<?xf64>
  return
}

// The second needs what the first found.
// CHECK-LABEL: @dependent(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A2]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addf %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.negf %[[V0]]
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = scf.for %[[V1]] = %c0{{[_a-z0-9]*}} to %[[A2]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V3]] = arith.maximumf %[[V2]], %[[V5]]
// CHECK-NEXT: scf.yield %[[V3]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: memref.store %[[V6]], %[[A1]][%c0{{[_a-z0-9]*}}]
func.func @dependent(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %h = arith.negf %s : f64
  %m = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = arith.maximumf %t, %h : f64
    scf.yield %0 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [max]>}
  memref.store %m, %out[%c0] : memref<?xf64>
  return
}

// Another range.
// CHECK-LABEL: @ranges(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[A2]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addf %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = scf.for %[[V1]] = %c0{{[_a-z0-9]*}} to %[[A3]] step %c1{{[_a-z0-9]*}} iter_args(%[[V2]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V3]] = memref.load %[[A0]][%[[V1]]]
// CHECK-NEXT: %[[V4]] = arith.maximumf %[[V2]], %[[V3]]
// CHECK-NEXT: scf.yield %[[V4]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<reduce = [max]>}
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.subf %[[V5]], %[[V0]]
// CHECK-NEXT: memref.store %[[V6]], %[[A1]][%c0{{[_a-z0-9]*}}]
func.func @ranges(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %o: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %m = scf.for %k = %c0 to %o step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.maximumf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [max]>}
  %r = arith.subf %m, %s : f64
  memref.store %r, %out[%c0] : memref<?xf64>
  return
}

// A store between them changes what the first one reads.
// CHECK-LABEL: @stored_between(
// CHECK: scf.for
// CHECK: memref.store
// CHECK: scf.for
// CHECK: memref.store
func.func @stored_between(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %zero, %x[%c0] : memref<?xf64>
  %m = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.maximumf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [max]>}
  %r = arith.subf %m, %s : f64
  memref.store %r, %out[%c0] : memref<?xf64>
  return
}

// Sums of which one has its order by itself stay apart.
// CHECK-LABEL: @in_order(
// CHECK: scf.for
// CHECK: {quernel.schedule = #quernel.schedule<in_order, reduce = [sum]>}
// CHECK: scf.for
// CHECK: {quernel.schedule = #quernel.schedule<reduce = [sum]>}
func.func @in_order(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<in_order, reduce = [sum]>}
  %m = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.mulf %0, %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %r = arith.subf %m, %s : f64
  memref.store %r, %out[%c0] : memref<?xf64>
  return
}

// A product of floats keeps its order, so a sum beside it, which may be added in lanes, has a loop of its own.
// CHECK-LABEL: @product(
// CHECK: {quernel.schedule = #quernel.schedule<reduce = [sum]>}
// CHECK: {quernel.schedule = #quernel.schedule<reduce = [prod]>}
func.func @product(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %p = scf.for %k = %c0 to %n step %c1 iter_args(%t = %one) -> (f64) {
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.mulf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [prod]>}
  %r = arith.subf %p, %s : f64
  memref.store %r, %out[%c0] : memref<?xf64>
  return
}
