// RUN: quernel-opt %s --quernel-form-tiles --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// A thread has a whole product of two small matrices: it loads each element of them once.
// CHECK-LABEL: func.func private @matrices(
// CHECK:         scf.parallel (%[[I:.*]]) = (%c0) to (%c100000) step (%c1) {
// CHECK:           scf.for %[[J:.*]] = %c0 to %c3 step %c1 {
// CHECK:             scf.for %[[K:.*]] = %c0 to %c3 step %c1 {
// CHECK:               scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
// CHECK-COUNT-2:         memref.load
// CHECK:               memref.store
// CHECK-NOT:       quernel.schedule
// CHECK:         return
func.func private @matrices(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %n = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%n, %c3, %c3) step (%c1, %c1, %c1) {
    %first = arith.muli %i, %c9 : index
    %row = arith.muli %j, %c3 : index
    %at = arith.addi %first, %row : index
    %sum = scf.for %l = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (f32) {
      %here = arith.addi %at, %l : index
      %x = memref.load %a[%here] : memref<?xf32>
      %other = arith.muli %l, %c3 : index
      %column = arith.addi %other, %k : index
      %there = arith.addi %first, %column : index
      %y = memref.load %b[%there] : memref<?xf32>
      %t = arith.mulf %x, %y : f32
      %next = arith.addf %s, %t : f32
      scf.yield %next : f32
    }
    %to = arith.addi %at, %k : index
    memref.store %sum, %c[%to] : memref<?xf32>
  }
  return
}

// Of a matrix with eight columns a thread computes a row: two axes have more results than it keeps.
// CHECK-LABEL: func.func private @rows(
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}) = (%c0, %c0) to (%{{.*}}, %c64) step (%c1, %c1) {
// CHECK:           scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:         } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func private @rows(%a: memref<?xf32>, %w: memref<?xf32>, %c: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%n, %c64, %c8) step (%c1, %c1, %c1) {
    %first = arith.muli %i, %c64 : index
    %row = arith.addi %first, %j : index
    %begin = arith.muli %row, %c4 : index
    %sum = scf.for %l = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
      %here = arith.addi %begin, %l : index
      %x = memref.load %a[%here] : memref<?xf32>
      %other = arith.muli %l, %c8 : index
      %there = arith.addi %other, %k : index
      %y = memref.load %w[%there] : memref<?xf32>
      %t = arith.mulf %x, %y : f32
      %next = arith.addf %s, %t : f32
      scf.yield %next : f32
    }
    %out = arith.muli %row, %c8 : index
    %to = arith.addi %out, %k : index
    memref.store %sum, %c[%to] : memref<?xf32>
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// A device isn't busy with so few products.
// CHECK-LABEL: func.func private @few(
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK-NOT:     scf.for
// CHECK:         return
func.func private @few(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 1000 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c4) step (%c1, %c1) {
    %row = arith.muli %i, %c4 : index
    %at = arith.addi %row, %j : index
    %a = memref.load %x[%at] : memref<?xf32>
    %b = memref.load %s[%i] : memref<?xf32>
    %c = arith.mulf %a, %b : f32
    memref.store %c, %y[%at] : memref<?xf32>
  }
  return
}

// Turns that load nothing in common have threads of their own.
// CHECK-LABEL: func.func private @apart(
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK-NOT:     scf.for
// CHECK:         return
func.func private @apart(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c4) step (%c1, %c1) {
    %row = arith.muli %i, %c4 : index
    %at = arith.addi %row, %j : index
    %a = memref.load %x[%at] : memref<?xf32>
    %b = memref.load %s[%j] : memref<?xf32>
    %c = arith.mulf %a, %b : f32
    memref.store %c, %y[%at] : memref<?xf32>
  }
  return
}

// Columns of matrices whose rows only the run knows how far apart lie: threads would touch elements far apart.
// CHECK-LABEL: func.func private @strided(
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK-NOT:     scf.for
// CHECK:         return
func.func private @strided(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xf32>, %n: index, %stride: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c4) step (%c1, %c1) {
    %row = arith.muli %i, %stride : index
    %at = arith.addi %row, %j : index
    %a = memref.load %x[%at] : memref<?xf32>
    %b = memref.load %s[%i] : memref<?xf32>
    %c = arith.mulf %a, %b : f32
    memref.store %c, %y[%at] : memref<?xf32>
  }
  return
}
