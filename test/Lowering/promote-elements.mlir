// Elements that stay the same in all turns of a loop are carried in registers.
// RUN: quernel-opt %s --quernel-promote-elements --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @horner(
// CHECK-SAME: %[[Y:[a-z0-9]+]]:{{.*}}%[[C:[a-z0-9]+]]:{{.*}}%[[I:[a-z0-9]+]]:{{.*}}%[[X:[a-z0-9]+]]:
// CHECK: %[[BEFORE:.+]] = memref.load %[[Y]][%[[I]]]
// CHECK-NEXT: %[[AFTER:.+]] = scf.for %[[K:.+]] = {{.*}} iter_args(%[[S:.+]] = %[[BEFORE]]) -> (f64) {
// CHECK-NEXT: %[[TIMES:.+]] = arith.mulf %[[S]], %[[X]]
// CHECK-NEXT: %[[CK:.+]] = memref.load %[[C]][%[[K]]]
// CHECK-NEXT: %[[NEXT:.+]] = arith.addf %[[TIMES]], %[[CK]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: memref.store %[[AFTER]], %[[Y]][%[[I]]]
func.func @horner(%y: memref<?xf64>, %c: memref<?xf64>, %i: index, %x: f64) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = arith.mulf %0, %x : f64
    %2 = memref.load %c[%k] : memref<?xf64>
    %3 = arith.addf %1, %2 : f64
    memref.store %3, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// Without a turn there may be no such element.
// CHECK-LABEL: @may_be_empty(
// CHECK: %[[HAS:.+]] = arith.cmpi slt
// CHECK-NEXT: scf.if %[[HAS]] {
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.for
// CHECK: memref.store
func.func @may_be_empty(%y: memref<?xf64>, %n: index, %i: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    memref.store %1, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// Two elements change places: each is what the other was before.
// CHECK-LABEL: @swap(
// CHECK: scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (f64, f64) {
// CHECK-NEXT: scf.yield %[[B]], %[[A]]
func.func @swap(%y: memref<?xf64>, %i: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %j = arith.addi %i, %c1 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = memref.load %y[%j] : memref<?xf64>
    memref.store %1, %y[%i] : memref<?xf64>
    memref.store %0, %y[%j] : memref<?xf64>
  }
  return
}

// Through two loops.
// CHECK-LABEL: @nested(
// CHECK: memref.load
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: memref
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: memref.store
func.func @nested(%y: memref<?xf64>, %i: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    scf.for %l = %c0 to %c9 step %c1 {
      %0 = memref.load %y[%i] : memref<?xf64>
      %1 = arith.addf %0, %0 : f64
      memref.store %1, %y[%i] : memref<?xf64>
    }
  }
  return
}

// The two may be the same element.
// CHECK-LABEL: @unknown(
// CHECK: scf.for
// CHECK-NEXT: memref.load
func.func @unknown(%y: memref<?xf64>, %i: index, %j: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = memref.load %y[%j] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    memref.store %2, %y[%i] : memref<?xf64>
  }
  return
}

// Some turns touch another element.
// CHECK-LABEL: @moving(
// CHECK: scf.for
// CHECK-NEXT: memref.load
func.func @moving(%y: memref<?xf64>, %i: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %0 = memref.load %y[%k] : memref<?xf64>
    %1 = memref.load %y[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    memref.store %2, %y[%i] : memref<?xf64>
  }
  return
}

// A check shows what has been written before it.
// CHECK-LABEL: @checked(
// CHECK: scf.for
// CHECK-NEXT: memref.load
func.func @checked(%y: memref<?xf64>, %i: index, %ok: i1) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    memref.store %1, %y[%i] : memref<?xf64>
    quernel.check %ok {exception = "ValueError", message = "no"} : i1
  }
  return
}
