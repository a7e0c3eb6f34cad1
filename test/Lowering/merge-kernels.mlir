// Kernels that do the same to other arrays become one, if a program has many.
// RUN: quernel-opt %s --split-input-file --quernel-merge-kernels | FileCheck %s

// Numbers that differ become arguments: of sums and products all, of sizes and places those of kernels that add
// nothing up. The lines are those of all.
// CHECK-LABEL: func.func private @scale(
// CHECK-SAME: %[[X:.+]]: memref<?xf64>, %[[Y:.+]]: memref<?xf64>, %[[K:.+]]: f64, %[[N:.+]]: index)
// CHECK-SAME: quernel.function = #quernel.function<kernel, lines = ["f.py:1", "f.py:2", "f.py:3"]>
// CHECK: scf.parallel (%[[I:.+]]) = (%c0) to (%[[N]]) step (%c1)
// CHECK: arith.mulf %{{.+}}, %[[K]]
// CHECK: arith.addf %{{.+}}, %cst
// CHECK-NOT: @scale_0
// CHECK-LABEL: func.func private @total(
// CHECK-SAME: memref<?xf64>, %{{.+}}: memref<?xf64>)
// CHECK-LABEL: func.func private @total_0(
// CHECK-NOT: @total_1
// CHECK: func.func private @checked(
// CHECK: func.func private @checked_0(
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.+]]: memref<?xf64> {{.*}}, %[[B:.+]]: memref<?xf64> {{.*}})
// CHECK: %[[TWO:.+]] = arith.constant 2.000000e+00
// CHECK-NEXT: %[[TEN:.+]] = arith.constant 10 : index
// CHECK-NEXT: call @scale(%[[A]], %[[B]], %[[TWO]], %[[TEN]])
// CHECK: %[[THREE:.+]] = arith.constant 3.000000e+00
// CHECK-NEXT: %[[SAME:.+]] = arith.constant 10 : index
// CHECK-NEXT: call @scale(%[[B]], %[[A]], %[[THREE]], %[[SAME]])
// CHECK: %[[TWENTY:.+]] = arith.constant 20 : index
// CHECK-NEXT: call @scale(%[[A]], %[[B]], %{{.+}}, %[[TWENTY]])
// CHECK-COUNT-2: call @total(
// CHECK: call @total_0(
func.func private @scale(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:1"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.0 : f64
  %n = arith.constant 10 : index
  %one = arith.constant 1.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.mulf %0, %k : f64
    %2 = arith.addf %1, %one : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func private @scale_0(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:2"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3.0 : f64
  %n = arith.constant 10 : index
  %one = arith.constant 1.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.mulf %0, %k : f64
    %2 = arith.addf %1, %one : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func private @scale_1(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:3"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.0 : f64
  %n = arith.constant 20 : index
  %one = arith.constant 1.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.mulf %0, %k : f64
    %2 = arith.addf %1, %one : f64
    memref.store %2, %y[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func private @total(%x: memref<?xf64>, %s: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:4"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %zero = arith.constant 0.0 : f64
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %sum, %0 : f64
    scf.yield %1 : f64
  }
  memref.store %t, %s[%c0] : memref<?xf64>
  return
}
// The order of a sum may follow from its length.
func.func private @total_0(%x: memref<?xf64>, %s: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:5"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %zero = arith.constant 0.0 : f64
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %sum, %0 : f64
    scf.yield %1 : f64
  }
  memref.store %t, %s[%c0] : memref<?xf64>
  return
}
func.func private @total_1(%x: memref<?xf64>, %s: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:6"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %zero = arith.constant 0.0 : f64
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %sum, %0 : f64
    scf.yield %1 : f64
  }
  memref.store %t, %s[%c0] : memref<?xf64>
  return
}
// A check tells of its own line.
func.func private @checked(%ok: i1) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:7"]>} {
  quernel.check %ok {exception = "ValueError", message = "no"} : i1 loc("f.py":7:1)
  return
}
func.func private @checked_0(%ok: i1) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:8"]>} {
  quernel.check %ok {exception = "ValueError", message = "no"} : i1 loc("f.py":8:1)
  return
}
func.func private @other(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:9"]>} {
  return
}
func.func @f(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a">}, %b: memref<?xf64> {quernel.argument = #quernel.argument<"b">}) attributes {quernel.function = #quernel.function<program>} {
  %true = arith.constant true
  call @scale(%a, %b) : (memref<?xf64>, memref<?xf64>) -> ()
  call @scale_0(%b, %a) : (memref<?xf64>, memref<?xf64>) -> ()
  call @scale_1(%a, %b) : (memref<?xf64>, memref<?xf64>) -> ()
  call @total(%a, %b) : (memref<?xf64>, memref<?xf64>) -> ()
  call @total_1(%a, %b) : (memref<?xf64>, memref<?xf64>) -> ()
  call @total_0(%a, %b) : (memref<?xf64>, memref<?xf64>) -> ()
  call @checked(%true) : (i1) -> ()
  call @checked_0(%true) : (i1) -> ()
  call @other(%a) : (memref<?xf64>) -> ()
  return
}

// -----

// Of few kernels those that differ in a number stay.
// CHECK-LABEL: func.func private @copy(
// CHECK-SAME: lines = ["f.py:1", "f.py:2"]
// CHECK-NOT: @copy_0
// CHECK: func.func private @copy_1(
func.func private @copy(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:1"], statement = <name = "f_full", ops = ["full"]>>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}
func.func private @copy_0(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:2"], statement = <name = "f_full", ops = ["full"]>>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}
func.func private @copy_1(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:3"], statement = <name = "f_full", ops = ["full"]>>} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  memref.store %two, %x[%c0] : memref<?xf64>
  return
}
