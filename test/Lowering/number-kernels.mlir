// RUN: quernel-opt --quernel-number-kernels --split-input-file %s | FileCheck %s

// What a loop carries lies in memory; one thread computes a quotient, and gives the next turn its number with it.
func.func private @add(%x: memref<?xf64>, %k: f64, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %e = memref.load %x[%i] : memref<?xf64>
    %r = arith.addf %e, %k : f64
    memref.store %r, %x[%i] : memref<?xf64>
  }
  return
}
func.func private @sum(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %s: memref<1xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
// CHECK-LABEL: func.func private @add(
// CHECK-SAME: %[[X:.*]]: memref<?xf64>, %{{.*}}: index, %[[K:.*]]: memref<1xf64> {quernel.argument = #quernel.argument<readonly>})
// CHECK: %[[LOADED:.*]] = memref.load %[[K]]
// CHECK: arith.addf %{{.*}}, %[[LOADED]]
// CHECK: func.func private @gradient_numbers(
// CHECK-SAME: %[[S:[a-z0-9]*]]: memref<1xf64> {quernel.argument = #quernel.argument<readonly>}, %[[BEFORE:[a-z0-9]*]]: memref<1xf64>, %[[Q:[a-z0-9]*]]: memref<1xf64>)
// CHECK-DAG: %[[NEW:.*]] = memref.load %[[S]]
// CHECK-DAG: %[[OLD:.*]] = memref.load %[[BEFORE]]
// CHECK: %[[RATIO:.*]] = arith.divf %[[NEW]], %[[OLD]]
// CHECK: memref.store %[[RATIO]], %[[Q]]
// CHECK: memref.store %[[NEW]], %[[BEFORE]]
// CHECK: func.func private @gradient_numbers_0(
// CHECK-LABEL: func.func @gradient(
// CHECK-NOT: memref.load
// CHECK: call @sum
// CHECK: call @gradient_numbers_0
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9]*}} {{\{$}}
// CHECK-NEXT: call @sum
// CHECK-NEXT: call @gradient_numbers
// CHECK-NEXT: call @add
// CHECK-NEXT: }
func.func @gradient(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<1xf64>
  call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
  %first = memref.load %s[%c0] : memref<1xf64>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (f64) {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %new = memref.load %s[%c0] : memref<1xf64>
    %ratio = arith.divf %new, %before : f64
    func.call @add(%x, %ratio, %n) : (memref<?xf64>, f64, index) -> ()
    scf.yield %new : f64
  }
  return
}

// -----

// The host knows what a branch, a loop, a size, a check or a library needs, and what a kernel's grid does. What it knows
// it hands over.
func.func private @fill(%x: memref<?xf64>, %k: f64, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    memref.store %k, %x[%i] : memref<?xf64>
  }
  return
}
func.func private @qn_library(index) attributes {quernel.function = #quernel.function<library>}
memref.global "private" constant @table : memref<2xf64> = dense<[1.0, 2.0]>
// CHECK-LABEL: func.func private @fill(
// CHECK-SAME: f64, %{{.*}}: index)
// CHECK-LABEL: func.func @needed(
// CHECK: %[[N:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK: %[[E:.*]] = memref.load %{{.*}} : memref<?xf64>
// CHECK: %[[ISLESS:.*]] = arith.cmpf olt, %[[E]]
// CHECK: quernel.check %[[ISLESS]]
// CHECK: call @fill(%{{.*}}, %[[E]], %[[N]])
// CHECK: memref.load %{{.*}} : memref<2xf64>
// CHECK: call @qn_library(
// CHECK: memref.store %[[E]]
func.func @needed(%x: memref<?xf64>, %sizes: memref<?xindex>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.load %sizes[%c0] : memref<?xindex>
  %e = memref.load %x[%c0] : memref<?xf64>
  %less = arith.cmpf olt, %e, %zero : f64
  quernel.check %less {exception = "ValueError", message = "no"} : i1
  func.call @fill(%x, %e, %n) : (memref<?xf64>, f64, index) -> ()
  %table = memref.get_global @table : memref<2xf64>
  %place = memref.load %sizes[%c1] : memref<?xindex>
  %f = memref.load %table[%place] : memref<2xf64>
  %many = arith.fptosi %f : f64 to i64
  %size = arith.index_cast %many : i64 to index
  func.call @qn_library(%size) : (index) -> ()
  memref.store %e, %x[%c1] : memref<?xf64>
  return
}

// -----

// An element that changes before it is stored elsewhere gets a place: two that change places. A place is loaded by its
// number.
// CHECK-LABEL: func.func private @swap_numbers(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf64>, %[[P:[a-z0-9]*]]: memref<1xf64>, %[[AT:[a-z0-9]*]]: memref<?xindex> {quernel.argument = #quernel.argument<readonly>})
// CHECK: %[[I:.*]] = memref.load %[[AT]]
// CHECK: %[[A:.*]] = memref.load %[[X]][%c0
// CHECK: memref.store %[[A]], %[[P]]
// CHECK: %[[A2:.*]] = memref.load %[[P]]
// CHECK: %[[B:.*]] = memref.load %[[X]][%[[I]]]
// CHECK: memref.store %[[B]], %[[X]][%c0
// CHECK: memref.store %[[A2]], %[[X]][%[[I]]]
// CHECK-LABEL: func.func @swap(
// CHECK-NOT: memref.store
// CHECK: call @swap_numbers
// CHECK-NEXT: return
func.func @swap(%x: memref<?xf64>, %at: memref<?xindex>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %i = memref.load %at[%c0] : memref<?xindex>
  %a = memref.load %x[%c0] : memref<?xf64>
  %b = memref.load %x[%i] : memref<?xf64>
  memref.store %b, %x[%c0] : memref<?xf64>
  memref.store %a, %x[%i] : memref<?xf64>
  return
}

// -----

// A kernel that is called with other numbers elsewhere stays; cheap arithmetic is computed where it is needed, from
// what the host gives as well. What a branch gives lies in memory. No store of what the caller sees comes before a check.
func.func private @scale(%x: memref<?xf64>, %k: f64) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  memref.store %k, %x[%c0] : memref<?xf64>
  return
}
// CHECK: func.func private @scale(%{{.*}}: memref<?xf64>, %{{.*}}: f64)
// CHECK: func.func private @scale_0(%{{.*}}: memref<?xf64>, %[[S:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %[[H:.*]]: f64)
// CHECK: %[[E:.*]] = memref.load %[[S]]
// CHECK: arith.mulf %[[E]], %[[H]]
// CHECK-LABEL: func.func @program(
// CHECK: call @scale(
// CHECK: call @scale_0(
// CHECK: scf.if %{{[a-z0-9]*}} {{\{$}}
// CHECK-NEXT: call @program_numbers
// CHECK-NEXT: } else {
// CHECK: memref.store %{{.*}} : memref<1xf64>
// CHECK-NEXT: }
// CHECK: call @program_numbers
// CHECK: quernel.check
// CHECK: call @program_numbers
// CHECK-NEXT: return
func.func @program(%x: memref<?xf64>, %s: memref<?xf64>, %h: f64, %is: i1, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  func.call @scale(%x, %h) : (memref<?xf64>, f64) -> ()
  %e = memref.load %s[%c0] : memref<?xf64>
  %t = arith.mulf %e, %h : f64
  func.call @scale(%x, %t) : (memref<?xf64>, f64) -> ()
  %chosen = scf.if %is -> (f64) {
    scf.yield %e : f64
  } else {
    scf.yield %zero : f64
  }
  memref.store %chosen, %out[%c0] : memref<?xf64>
  quernel.check %is {exception = "ValueError", message = "no"} : i1
  memref.store %e, %out[%c1] : memref<?xf64>
  return
}
