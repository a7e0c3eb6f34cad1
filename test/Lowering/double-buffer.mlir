// A loop that copies back what an array is next exchanges two arrays.
// RUN: quernel-opt %s --split-input-file --quernel-double-buffer --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @inner(
// CHECK-SAME: %[[ARG:[a-z0-9]+]]: memref<?xf64>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[A:.*]] = memref.reinterpret_cast %[[ARG]]
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK: scf.if %[[RUNS]] {
// CHECK: %[[B:.*]] = memref.alloc() : memref<5000xf64>
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%c5000) step (%c1) {
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[A]][%[[I]]]
// CHECK-NEXT: memref.store %[[OLD]], %[[B]][%[[I]]]
// CHECK: %[[PAIRS:.*]] = arith.divsi %[[N]], %c2
// CHECK-NEXT: %[[MIDDLE:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[MIDDLE]] step %c2 {
// CHECK-NEXT: %[[THERE:.*]] = memref.subview %[[B]][1] [4998] [1]
// CHECK-NEXT: scf.parallel
// CHECK-NEXT: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[THERE]]
// CHECK: %[[BACK:.*]] = memref.subview %[[A]][1] [4998] [1]
// CHECK-NEXT: scf.parallel
// CHECK-NEXT: memref.load %[[B]]
// CHECK: memref.store %{{.*}}, %[[BACK]]
// CHECK-NOT: scf.parallel
// CHECK: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %c1 {
// CHECK: memref.load %[[A]]
// CHECK: scf.parallel
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}} : memref<4998xf64, strided<[1], offset: 1>>
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty, polled>}
func.func @inner(%arg: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4998 = arith.constant 4998 : index
  %a = memref.reinterpret_cast %arg to offset: [0], sizes: [5000], strides: [1] : memref<?xf64> to memref<5000xf64, strided<[1]>>
  scf.for %t = %c0 to %n step %c1 {
    %new = memref.alloc() : memref<4998xf64>
    scf.parallel (%i) = (%c0) to (%c4998) step (%c1) {
      %0 = memref.load %a[%i] : memref<5000xf64, strided<[1]>>
      %i2 = arith.addi %i, %c2 : index
      %1 = memref.load %a[%i2] : memref<5000xf64, strided<[1]>>
      %2 = arith.addf %0, %1 : f64
      memref.store %2, %new[%i] : memref<4998xf64>
      scf.reduce
    }
    %part = memref.subview %a[1] [4998] [1] : memref<5000xf64, strided<[1]>> to memref<4998xf64, strided<[1], offset: 1>>
    scf.parallel (%i) = (%c0) to (%c4998) step (%c1) {
      %0 = memref.load %new[%i] : memref<4998xf64>
      memref.store %0, %part[%i] : memref<4998xf64, strided<[1], offset: 1>>
      scf.reduce
    }
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// -----

// All of an array of the program's: no copy before. What reads it behind the copy reads the other array.
// CHECK-LABEL: @whole(
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<10xf64>
// CHECK: %[[A:.*]] = memref.alloc() : memref<5000xf64>
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<5000xf64>
// CHECK-NEXT: scf.for %[[T:.*]] = %c0 to %c10 step %c2 {
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: %[[FIRST:.*]] = memref.load %[[B]][%c0]
// CHECK-NEXT: memref.store %[[FIRST]], %[[SUMS]][%[[T]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %c1
// CHECK: memref.load %[[B]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: %[[FIRST:.*]] = memref.load %[[A]][%c0]
// CHECK-NEXT: memref.store %[[FIRST]], %[[SUMS]][%[[NEXT]]]
func.func @whole(%sums: memref<10xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c4999 = arith.constant 4999 : index
  %c5000 = arith.constant 5000 : index
  %a = memref.alloc() : memref<5000xf64>
  scf.for %t = %c0 to %c10 step %c1 {
    %new = memref.alloc() : memref<5000xf64>
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %j = arith.subi %c4999, %i : index
      %0 = memref.load %a[%j] : memref<5000xf64>
      %1 = arith.addf %0, %0 : f64
      memref.store %1, %new[%i] : memref<5000xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %0 = memref.load %new[%i] : memref<5000xf64>
      memref.store %0, %a[%i] : memref<5000xf64>
      scf.reduce
    }
    %first = memref.load %a[%c0] : memref<5000xf64>
    memref.store %first, %sums[%t] : memref<10xf64>
  }
  return
}

// -----

// A turn stores to the array elsewhere, too; three turns aren't worth a second array.
// CHECK-LABEL: @stay(
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.alloc
func.func @stay(%a: memref<5000xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4999 = arith.constant 4999 : index
  %c5000 = arith.constant 5000 : index
  %zero = arith.constant 0.0 : f64
  %b = memref.reinterpret_cast %a to offset: [0], sizes: [5000], strides: [1] : memref<5000xf64> to memref<5000xf64, strided<[1]>>
  scf.for %t = %c0 to %n step %c1 {
    %new = memref.alloc() : memref<5000xf64>
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %j = arith.subi %c4999, %i : index
      %0 = memref.load %b[%j] : memref<5000xf64, strided<[1]>>
      memref.store %0, %new[%i] : memref<5000xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %0 = memref.load %new[%i] : memref<5000xf64>
      memref.store %0, %b[%i] : memref<5000xf64, strided<[1]>>
      scf.reduce
    }
    memref.store %zero, %b[%t] : memref<5000xf64, strided<[1]>>
  }
  scf.for %t = %c0 to %c3 step %c1 {
    %new = memref.alloc() : memref<5000xf64>
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %j = arith.subi %c4999, %i : index
      %0 = memref.load %b[%j] : memref<5000xf64, strided<[1]>>
      memref.store %0, %new[%i] : memref<5000xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
      %0 = memref.load %new[%i] : memref<5000xf64>
      memref.store %0, %b[%i] : memref<5000xf64, strided<[1]>>
      scf.reduce
    }
  }
  return
}
