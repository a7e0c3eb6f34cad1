// Indices that a reshape divides: where all lanes stand between the same two multiples of the divisor, the quotient is one
// number and the remainder runs along memory.
// RUN: quernel-opt %s --quernel-vectorize --canonicalize --mlir-print-local-scope | FileCheck %s

// x.reshape(…)[i // 64, i % 64]: a number of one array, a vector of the other.
// CHECK-LABEL: @aligned(
// CHECK: scf.parallel (%[[I:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c4096{{[_a-z0-9]*}}) step (%c8{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[Q:[a-z0-9_]+]] = arith.divui %[[I]], %c64{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[R:[a-z0-9_]+]] = arith.remui %[[I]], %c64{{[_a-z0-9]*}} : index
// CHECK-NEXT: memref.load %{{[a-z0-9_]+}}[%[[Q]]] : memref<?xf64>
// CHECK-NEXT: vector.load %{{[a-z0-9_]+}}[%[[R]]] : memref<?xf64>, vector<8xf64>
func.func @aligned(%x: memref<?xf64>, %y: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
    %q = arith.divui %i, %c64 : index
    %r = arith.remui %i, %c64 : index
    %0 = memref.load %x[%q] : memref<?xf64>
    %1 = memref.load %y[%r] : memref<?xf64>
    %2 = arith.mulf %0, %1 : f64
    memref.store %2, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}

// A remainder of the first division stays known by its low bits; so do sums and multiples. The last division's lanes
// step by two.
// CHECK-LABEL: @nested(
// CHECK-NOT: vector.gather
// CHECK: vector.load %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] : memref<?xf64>, vector<8xf64>
// CHECK-NOT: vector.gather
// CHECK: vector.gather %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] [%{{[a-z0-9_]+}}]
// CHECK-NOT: vector.gather
// CHECK: scf.reduce
func.func @nested(%x: memref<?xf64>, %out: memref<?xf64>, %k: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %c4096 = arith.constant 4096 : index
  scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
    %row = arith.muli %k, %c16 : index
    %at = arith.addi %row, %i : index
    %r = arith.remui %at, %c96 : index
    %r2 = arith.remui %r, %c16 : index
    %twice = arith.muli %r2, %c2 : index
    %half = arith.remui %twice, %c16 : index
    %0 = memref.load %x[%r2] : memref<?xf64>
    %1 = memref.load %x[%half] : memref<?xf64>
    %2 = arith.mulf %0, %1 : f64
    memref.store %2, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}

// Lanes that may come to the next multiple: of a divisor that no power of two up to the vector divides, of an unknown
// one, and behind a start that isn't known.
// CHECK-LABEL: @crossing(
// CHECK: arith.divui %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : vector<8xindex>
// CHECK: arith.divui %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : vector<8xindex>
// CHECK: arith.divui %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : vector<8xindex>
// CHECK: scf.reduce
func.func @crossing(%x: memref<?xf64>, %out: memref<?xf64>, %k: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
    %at = arith.addi %k, %i : index
    %a = arith.divui %i, %c60 : index
    %b = arith.divui %i, %k : index
    %c = arith.divui %at, %c64 : index
    %ab = arith.addi %a, %b : index
    %abc = arith.addi %ab, %c : index
    %0 = memref.load %x[%abc] : memref<?xf64>
    memref.store %0, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}
