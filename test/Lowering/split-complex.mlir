// RUN: quernel-opt %s -quernel-split-complex -cse -canonicalize | FileCheck %s

memref.global "private" constant @table : memref<2xcomplex<f64>> = dense<[(1.0, 2.0), (3.0, -0.0)]>
// CHECK: memref.global "private" constant @table : memref<4xf64> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, -0.000000e+00]>

memref.global "private" constant @same : memref<2xcomplex<f32>> = dense<(1.0, 2.0)>
// CHECK: memref.global "private" constant @same : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00]>

// CHECK: func.func private @qn_matmul_c128(memref<?xf64>, memref<?xf64>)
func.func private @qn_matmul_c128(memref<?xcomplex<f64>>, memref<?xcomplex<f64>>) attributes {quernel.function = #quernel.function<library>}

// CHECK-LABEL: func.func private @copy(
// CHECK-SAME: %[[X:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %[[OUT:.*]]: memref<?xf64>,
// CHECK-SAME: %[[RE:.*]]: f64 {quernel.argument = #quernel.argument<"z_re">}, %[[IM:.*]]: f64 {quernel.argument = #quernel.argument<"z_im">}, %[[I:.*]]: index, %[[STRIDE:.*]]: index)
// CHECK-DAG: %[[DOUBLE:.*]] = arith.muli %[[STRIDE]], %c2
// CHECK-DAG: %[[AT:.*]] = arith.muli %[[I]], %[[DOUBLE]]
// CHECK-DAG: %[[A:.*]] = memref.load %[[X]][%[[AT]]] : memref<?xf64>
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[AT]], %c1
// CHECK-DAG: %[[B:.*]] = memref.load %[[X]][%[[NEXT]]] : memref<?xf64>
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[IM]]
// CHECK: memref.store %[[SUM]], %[[OUT]][%c6]
// CHECK: memref.store %[[B]], %[[OUT]][%c7]
func.func private @copy(%x: memref<?xcomplex<f64>> {quernel.argument = #quernel.argument<"x", readonly>}, %out: memref<?xcomplex<f64>>,
                        %z: complex<f64> {quernel.argument = #quernel.argument<"z">}, %i: index, %stride: index) attributes {quernel.function = #quernel.function<kernel>} {
  %at = arith.muli %i, %stride : index
  %a = memref.load %x[%at] : memref<?xcomplex<f64>>
  %re = complex.re %a : complex<f64>
  %im = complex.im %a : complex<f64>
  %other = complex.im %z : complex<f64>
  %sum = arith.addf %re, %other : f64
  %result = complex.create %sum, %im : complex<f64>
  %c3 = arith.constant 3 : index
  memref.store %result, %out[%c3] : memref<?xcomplex<f64>>
  return
}

// A sum is two sums; a loop whose other reductions mix the parts is no reduction.
// CHECK-LABEL: func.func private @reduce(
// CHECK: %{{.*}}:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f64, f64)
// CHECK: } {quernel.schedule = #quernel.schedule<reduce = [sum, sum]>}
// CHECK: %{{.*}}:3 = scf.for {{.*}} -> (f64, f64, i64) {
// CHECK-NOT: reduce =
// CHECK: return
func.func private @reduce(%x: memref<?xcomplex<f64>>, %out: memref<?xcomplex<f64>>, %at: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %start = complex.create %zero, %zero : complex<f64>
  %first = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %start) -> (complex<f64>) {
    %a = memref.load %x[%i] : memref<?xcomplex<f64>>
    %re = complex.re %a : complex<f64>
    %im = complex.im %a : complex<f64>
    %sre = complex.re %sofar : complex<f64>
    %sim = complex.im %sofar : complex<f64>
    %r = arith.addf %sre, %re : f64
    %m = arith.addf %sim, %im : f64
    %next = complex.create %r, %m : complex<f64>
    scf.yield %next : complex<f64>
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %sum, %out[%c0] : memref<?xcomplex<f64>>
  %best:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %start, %index = %first) -> (complex<f64>, i64) {
    %a = memref.load %x[%i] : memref<?xcomplex<f64>>
    %re = complex.re %a : complex<f64>
    %sre = complex.re %sofar : complex<f64>
    %better = arith.cmpf ogt, %re, %sre : f64
    %next = arith.select %better, %a, %sofar : complex<f64>
    %j = arith.index_cast %i : index to i64
    %position = arith.select %better, %j, %index : i64
    scf.yield %next, %position : complex<f64>, i64
  } {quernel.schedule = #quernel.schedule<reduce = [argmax, index]>}
  memref.store %best#0, %out[%c1] : memref<?xcomplex<f64>>
  memref.store %best#1, %at[%c0] : memref<?xi64>
  return
}

// A program's scalar lies in memory.
// CHECK-LABEL: func.func @program(
// CHECK-SAME: %[[N:.*]]: index, %[[Z:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<"z", scalar, readonly>}, %[[OUT:.*]]: memref<?xf64>)
// CHECK-DAG: %[[RE:.*]] = memref.load %[[Z]][%c0]
// CHECK-DAG: %[[IM:.*]] = memref.load %[[Z]][%c1]
// CHECK-DAG: %[[SIZE:.*]] = quernel.count(%[[N]], %c2)
// CHECK: %[[TMP:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf64>
// CHECK: memref.store %[[RE]], %[[TMP]][%c0]
// CHECK: memref.store %[[IM]], %[[TMP]][%c1]
// CHECK: call @qn_matmul_c128(%[[TMP]], %[[OUT]]) : (memref<?xf64>, memref<?xf64>) -> ()
func.func @program(%n: index, %z: complex<f64> {quernel.argument = #quernel.argument<"z">}, %out: memref<?xcomplex<f64>>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %tmp = memref.alloc(%n) : memref<?xcomplex<f64>>
  memref.store %z, %tmp[%c0] : memref<?xcomplex<f64>>
  func.call @qn_matmul_c128(%tmp, %out) : (memref<?xcomplex<f64>>, memref<?xcomplex<f64>>) -> ()
  memref.dealloc %tmp : memref<?xcomplex<f64>>
  return
}
