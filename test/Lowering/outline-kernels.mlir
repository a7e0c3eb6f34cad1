// Every parallel loop of a program becomes a function.
// RUN: quernel-opt %s --quernel-outline-kernels --mlir-print-local-scope | FileCheck %s

// Pointers first, then sizes; constants are repeated inside, and what isn't stored to is read only.
// CHECK-LABEL: @f(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.alloc(%[[A0]]) : memref<?xf64>
// CHECK-NEXT: call @f_loop(%[[A1]], %[[V0]], %[[A0]]) : (memref<?xf64>, memref<?xf64>, index) -> ()
// CHECK-NEXT: call @f_copy(%[[V0]], %[[A2]], %[[A0]]) : (memref<?xf64>, memref<?xf64>, index) -> ()
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<?xf64>
func.func @f(%n: index {quernel.argument = #quernel.argument<"n">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.0 : f64
  %t = memref.alloc(%n) : memref<?xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.mulf %0, %k : f64
    memref.store %1, %t[%i] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %t[%i] : memref<?xf64>
    memref.store %0, %out[%i] : memref<?xf64>
    scf.reduce
  }
  memref.dealloc %t : memref<?xf64>
  return
}

// What is index arithmetic of one number is repeated inside, of several numbers it is computed once.
// CHECK-LABEL: @arithmetic_loop(
// CHECK-SAME: %{{.+}}: memref<?xf64>{{.*}}, %[[FIRST:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index {{.*}})
// CHECK: %[[IS_ONE:.+]] = arith.cmpi eq, %[[N]], %c1
// CHECK: %[[TWICE:.+]] = arith.muli %[[N]], %c2
// CHECK: %[[LAST:.+]] = arith.select %[[IS_ONE]], %c1, %[[TWICE]]
// CHECK: scf.parallel (%{{.+}}) = (%[[FIRST]]) to (%[[LAST]])
// CHECK-LABEL: func.func @arithmetic(
func.func @arithmetic(%n: index {quernel.argument = #quernel.argument<"n">}, %m: index {quernel.argument = #quernel.argument<"m">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<program>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant 2.0 : f64
  %twice = arith.muli %n, %c2 : index
  %is_one = arith.cmpi eq, %n, %c1 : index
  %last = arith.select %is_one, %c1, %twice : index
  %first = arith.minsi %n, %m : index
  scf.parallel (%i) = (%first) to (%last) step (%c1) {
    memref.store %k, %x[%i] : memref<?xf64>
    scf.reduce
  }
  return
}

// Only programs have kernels.
// CHECK-LABEL: @other(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A0]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A1]][%[[V0]]] : memref<?xf64>
// CHECK-NEXT: scf.reduce
func.func @other(%n: index, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %k, %x[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
