// Views and strides become index arithmetic on plain pointers.
// RUN: quernel-opt %s --quernel-flatten-buffers --canonicalize --mlir-print-local-scope | FileCheck %s

memref.global "private" constant @table : memref<2x2xf64> = dense<[[1.0, 2.0], [3.0, 4.0]]>
// Views of views become one index.
// CHECK-LABEL: @views(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = arith.muli %[[A1]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.muli %[[A1]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.addi %[[V0]], %c1{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.muli %[[A2]], %[[V1]] : index
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.addi %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[V4]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A0]][%[[V5]]] : memref<?xf64>
// CHECK-NEXT: return %[[V6]], %c2{{[_a-z0-9]*}} : f64, index
func.func @views(%X: memref<?xf64>, %s: index, %i: index) -> (f64, index) {
  %c1 = arith.constant 1 : index
  %v = memref.reinterpret_cast %X to offset: [0], sizes: [8, 6], strides: [%s, 1] : memref<?xf64> to memref<8x6xf64, strided<[?, 1]>>
  %w = memref.subview %v[2, 1] [3, 2] [2, 2] : memref<8x6xf64, strided<[?, 1]>> to memref<3x2xf64, strided<[?, 2], offset: ?>>
  %x = memref.load %w[%i, %c1] : memref<3x2xf64, strided<[?, 2], offset: ?>>
  %d = memref.dim %w, %c1 : memref<3x2xf64, strided<[?, 2], offset: ?>>
  return %x, %d : f64, index
}

// Allocations become plain pointers and are released after their last use.
// CHECK-LABEL: @allocations(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.count(%[[A0]], %c3{{[_a-z0-9]*}})
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.alloc(%[[V0]]) : memref<?xf64>
// CHECK-NEXT: quernel.allocated %[[V1]](%[[A0]], %c3{{[_a-z0-9]*}}) {dtype = "float64"}
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.alloc(%[[A0]]) : memref<?xf64>
// CHECK-NEXT: quernel.allocated %[[V2]](%[[A0]]) {dtype = "float64"}
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[V1]][%[[A1]]] : memref<?xf64>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<?xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[V2]][%[[A1]]] : memref<?xf64>
// CHECK-NEXT: memref.dealloc %[[V2]] : memref<?xf64>
// CHECK-NEXT: return %[[V3]], %[[V4]] : f64, f64
func.func @allocations(%n: index, %i: index) -> (f64, f64) {
  %a = memref.alloc(%n) : memref<?x3xf64>
  %p = memref.alloc(%n) : memref<?xf64>
  %c = memref.collapse_shape %a [[0, 1]] : memref<?x3xf64> into memref<?xf64>
  %x = memref.load %c[%i] : memref<?xf64>
  %y = memref.load %p[%i] : memref<?xf64>
  return %x, %y : f64, f64
}

// CHECK-LABEL: @library(
func.func private @library(memref<?xf64>, memref<?xf64>)
// An array of a few numbers is on the stack.
// CHECK-LABEL: @few(
// CHECK: %[[V0:[a-z0-9_]+]] = memref.alloca() : memref<4xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.cast %[[V0]] : memref<4xf64> to memref<?xf64>
// CHECK-NEXT: call @library(%[[V1]], %[[V1]]) : (memref<?xf64>, memref<?xf64>) -> ()
// CHECK-NEXT: return
func.func @few() {
  %a = memref.alloc() : memref<2x2xf64>
  %0 = builtin.unrealized_conversion_cast %a : memref<2x2xf64> to memref<?xf64>
  func.call @library(%0, %0) : (memref<?xf64>, memref<?xf64>) -> ()
  return
}

// An allocation that two calls read.
// CHECK-LABEL: @two_calls(
// CHECK: %[[V0:[a-z0-9_]+]] = memref.alloc() : memref<16xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.cast %[[V0]] : memref<16xf64> to memref<?xf64>
// CHECK-NEXT: quernel.allocated %[[V1]](%c4{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}) {dtype = "float64"}
// CHECK-NEXT: call @library(%[[V1]], %[[V1]]) : (memref<?xf64>, memref<?xf64>) -> ()
// CHECK-NEXT: call @library(%[[V1]], %[[V1]]) : (memref<?xf64>, memref<?xf64>) -> ()
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<16xf64>
func.func @two_calls() {
  %a = memref.alloc() : memref<4x4xf64>
  %0 = builtin.unrealized_conversion_cast %a : memref<4x4xf64> to memref<?xf64>
  %1 = builtin.unrealized_conversion_cast %a : memref<4x4xf64> to memref<?xf64>
  func.call @library(%0, %0) : (memref<?xf64>, memref<?xf64>) -> ()
  func.call @library(%1, %0) : (memref<?xf64>, memref<?xf64>) -> ()
  return
}

// CHECK-LABEL: @constant(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.get_global @table : memref<4xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.muli %[[A0]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.addi %[[V1]], %[[A0]] : index
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.load %[[V0]][%[[V2]]] : memref<4xf64>
// CHECK-NEXT: return %[[V3]] : f64
func.func @constant(%i: index) -> f64 {
  %t = memref.get_global @table : memref<2x2xf64>
  %x = memref.load %t[%i, %i] : memref<2x2xf64>
  return %x : f64
}

// An output may have no memory: that is looked for before the first use on each path, and not on a path that has none.
// CHECK-LABEL: @outputs(
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[N:[a-z0-9]+]]: index, %[[X:[a-z0-9]+]]: f64, %[[A:[a-z0-9]+]]: memref<?xf64>, %[[B:[a-z0-9]+]]: memref<?xf64>, %[[S:[a-z0-9]+]]: memref<?xf64>)
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: quernel.allocated %[[A]](%c300{{[_a-z0-9]*}}, %c400{{[_a-z0-9]*}}) {dtype = "float64"}
// CHECK-NEXT: memref.store %[[X]], %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK-NEXT: scf.if %[[RUNS]] {
// CHECK-NEXT: quernel.allocated %[[B]](%[[N]]) {dtype = "float64"}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NOT: quernel.allocated
// CHECK: return
func.func @outputs(%c: i1, %n: index, %x: f64, %a: memref<?xf64> {quernel.argument = #quernel.argument<output = tensor<300x400xf64>>}, %b: memref<?xf64> {quernel.argument = #quernel.argument<output = tensor<?xf64>>}, %small: memref<?xf64> {quernel.argument = #quernel.argument<output = tensor<8xf64>>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
  scf.if %c {
    memref.store %x, %a[%c0] : memref<?xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %view[%i] : memref<?xf64, strided<[1]>>
  }
  memref.store %x, %small[%c0] : memref<?xf64>
  return
}

// A quotient and its remainder are the number that was divided, where the strides say so: all of a reshape that leaves
// the elements in order goes away.
// CHECK-LABEL: @reshaped(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[AT:[a-z0-9]+]]: index)
// CHECK-NEXT: %[[V:.+]] = memref.load %[[X]][%[[AT]]]
// CHECK-NEXT: return %[[V]]
func.func @reshaped(%x: memref<?xf64>, %at: index) -> f64 {
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %k = arith.remui %at, %c7 : index
  %rest = arith.divui %at, %c7 : index
  %j = arith.remui %rest, %c5 : index
  %i = arith.divui %rest, %c5 : index
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [3, 5, 7], strides: [35, 7, 1] : memref<?xf64> to memref<3x5x7xf64, strided<[35, 7, 1]>>
  %0 = memref.load %view[%i, %j, %k] : memref<3x5x7xf64, strided<[35, 7, 1]>>
  return %0 : f64
}

// Turned round, they stay apart.
// CHECK-LABEL: @turned(
// CHECK: arith.remui
// CHECK: arith.divui
func.func @turned(%x: memref<?xf64>, %at: index) -> f64 {
  %c5 = arith.constant 5 : index
  %j = arith.remui %at, %c5 : index
  %i = arith.divui %at, %c5 : index
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [3, 5], strides: [1, 3] : memref<?xf64> to memref<3x5xf64, strided<[1, 3]>>
  %0 = memref.load %view[%i, %j] : memref<3x5xf64, strided<[1, 3]>>
  return %0 : f64
}

// A size that only the run knows.
// CHECK-LABEL: @reshaped_by_a_size(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[AT:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index)
// CHECK-NEXT: %[[V:.+]] = memref.load %[[X]][%[[AT]]]
func.func @reshaped_by_a_size(%x: memref<?xf64>, %at: index, %n: index) -> f64 {
  %j = arith.remui %at, %n : index
  %i = arith.divui %at, %n : index
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [%n, %n], strides: [%n, 1] : memref<?xf64> to memref<?x?xf64, strided<[?, 1]>>
  %0 = memref.load %view[%i, %j] : memref<?x?xf64, strided<[?, 1]>>
  return %0 : f64
}

// What a library writes may stand behind a cast of its type, as an allocation does whose sizes turned out to be constants.
// CHECK-LABEL: @behind_a_cast(
// CHECK: %[[ALLOC:.+]] = memref.alloc() : memref<90000xf64>
// CHECK: %[[BUFFER:.+]] = memref.cast %[[ALLOC]] : memref<90000xf64> to memref<?xf64>
// CHECK: call @write(%[[BUFFER]])
// CHECK: memref.load %[[ALLOC]][
func.func private @write(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}
func.func @behind_a_cast() -> f64 {
  %c1 = arith.constant 1 : index
  %buffer = memref.alloc() : memref<300x300xf64>
  %cast = memref.cast %buffer : memref<300x300xf64> to memref<?x?xf64>
  %pointer = builtin.unrealized_conversion_cast %cast : memref<?x?xf64> to memref<?xf64>
  call @write(%pointer) : (memref<?xf64>) -> ()
  %0 = memref.load %buffer[%c1, %c1] : memref<300x300xf64>
  return %0 : f64
}

// CHECK-LABEL: @row_behind_a_cast(
// CHECK: %[[ALLOC:.+]] = memref.alloc() : memref<90000xf64>
// CHECK: %[[BUFFER:.+]] = memref.cast %[[ALLOC]] : memref<90000xf64> to memref<?xf64>
// CHECK: call @write(%[[BUFFER]])
func.func @row_behind_a_cast() -> f64 {
  %c1 = arith.constant 1 : index
  %buffer = memref.alloc() : memref<90000xf64>
  %cast = memref.cast %buffer : memref<90000xf64> to memref<?xf64>
  call @write(%cast) : (memref<?xf64>) -> ()
  %0 = memref.load %buffer[%c1] : memref<90000xf64>
  return %0 : f64
}
