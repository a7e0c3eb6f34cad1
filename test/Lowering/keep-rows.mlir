// What an earlier loop over the same range has computed lies meanwhile where the later loop's result goes.
// RUN: quernel-opt %s --quernel-keep-rows --mlir-print-local-scope | FileCheck %s

// The loop that adds the exponentials stores them, the loop that divides loads them.
// CHECK-LABEL: @softmax(
// CHECK-SAME: %[[X:[a-z0-9]+]]:{{.*}}%[[OUT:[a-z0-9]+]]:{{.*}}%[[N:[a-z0-9]+]]:{{.*}}%[[ROW:[a-z0-9]+]]:
// CHECK: scf.for %[[I:.+]] = %c0 to %[[N]]
// CHECK: %[[E:.+]] = math.exp
// CHECK-NEXT: %[[AT:.+]] = arith.addi %[[ROW]], %[[I]]
// CHECK-NEXT: memref.store %[[E]], %[[OUT]][%[[AT]]]
// CHECK: arith.addf %{{.+}}, %[[E]]
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: %[[KEPT:.+]] = memref.load %[[OUT]]
// CHECK: arith.divf %[[KEPT]]
func.func @softmax(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %row: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %at = arith.addi %row, %i : index
    %0 = memref.load %x[%at] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  scf.for %i = %c0 to %n step %c1 {
    %at = arith.addi %row, %i : index
    %0 = memref.load %x[%at] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.divf %1, %s : f64
    memref.store %2, %out[%at] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// A difference is computed again sooner than it is stored and loaded.
// CHECK-LABEL: @cheap(
// CHECK-NOT: memref.load %arg1
// CHECK: return
func.func @cheap(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %m: f64) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = arith.divf %1, %s : f64
    memref.store %2, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// The exponentials of a row that the kernel writes may be others by the time of the second loop.
// CHECK-LABEL: @written(
// CHECK-COUNT-2: math.exp
func.func @written(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  memref.store %s, %x[%c0] : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.divf %1, %s : f64
    memref.store %2, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// The result's array is read elsewhere in the kernel.
// CHECK-LABEL: @read(
// CHECK-COUNT-2: math.exp
func.func @read(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %old = memref.load %out[%i] : memref<?xf64>
    %2 = arith.divf %1, %s : f64
    %3 = arith.addf %2, %old : f64
    memref.store %3, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// The result's place isn't known before the first loop.
// CHECK-LABEL: @later_place(
// CHECK-COUNT-2: math.exp
func.func @later_place(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  %where = arith.fptosi %s : f64 to i64
  %first = arith.index_cast %where : i64 to index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.divf %1, %s : f64
    %at = arith.addi %first, %i : index
    memref.store %2, %out[%at] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// Rows that don't stay in the cache are computed again.
// CHECK-LABEL: @long(
// CHECK-COUNT-2: math.exp
func.func @long(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 32769 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.divf %1, %s : f64
    memref.store %2, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// A check between the two would show what is kept.
// CHECK-LABEL: @checked(
// CHECK-COUNT-2: math.exp
func.func @checked(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %ok: i1) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.addf %t, %1 : f64
    scf.yield %2 : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
  quernel.check %ok {exception = "ValueError", message = "no"} : i1
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.divf %1, %s : f64
    memref.store %2, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}
