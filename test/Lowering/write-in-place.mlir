// Which updates need no temporary.
// RUN: quernel-opt %s --quernel-write-in-place --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Row i - 1 is read and row i is written: nothing is read that was written.
// CHECK-LABEL: @other_row(
// CHECK-NOT: memref.alloc
// CHECK: %[[ROW:.*]] = memref.subview %{{.*}}[%[[I:.*]], 0] [1, %{{.*}}] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%[[ROW]] :
// CHECK-NOT: memref.copy
func.func @other_row(%p: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.reinterpret_cast %p to offset: [0], sizes: [%n, %n], strides: [%n, 1] : memref<?xf64> to memref<?x?xf64, strided<[?, 1]>>
  %A = memref.cast %v : memref<?x?xf64, strided<[?, 1]>> to memref<?x?xf64>
  scf.for %i = %c1 to %n step %c1 {
    %t = memref.alloc(%n) : memref<?xf64>
    %above = arith.subi %i, %c1 : index
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<?xf64>) {
    ^bb0(%out: f64):
      %j = linalg.index 0 : index
      %0 = memref.load %A[%above, %j] : memref<?x?xf64>
      %k = arith.subi %n, %j : index
      %k1 = arith.subi %k, %c1 : index
      %1 = memref.load %A[%above, %k1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      linalg.yield %2 : f64
    }
    %row = memref.subview %A[%i, 0] [1, %n] [1, 1] : memref<?x?xf64> to memref<?xf64, strided<[1], offset: ?>>
    memref.copy %t, %row : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
  }
  return
}

// The part left of i is read, the part from i on is written; the sum doesn't run when its range is empty.
// CHECK-LABEL: @triangle(
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic
// CHECK-NOT: memref.copy
func.func @triangle(%p: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %v = memref.reinterpret_cast %p to offset: [0], sizes: [%n, %n], strides: [%n, 1] : memref<?xf64> to memref<?x?xf64, strided<[?, 1]>>
  scf.for %i = %c0 to %n step %c1 {
    %m = arith.subi %n, %i : index
    %t = memref.alloc(%m) : memref<?xf64>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<?xf64>) {
    ^bb0(%out: f64):
      %j = linalg.index 0 : index
      %at = arith.addi %i, %j : index
      %old = memref.load %v[%i, %at] : memref<?x?xf64, strided<[?, 1]>>
      %s = scf.for %k = %c0 to %i step %c1 iter_args(%sum = %zero) -> (f64) {
        %0 = memref.load %v[%i, %k] : memref<?x?xf64, strided<[?, 1]>>
        %1 = memref.load %v[%k, %at] : memref<?x?xf64, strided<[?, 1]>>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.addf %sum, %2 : f64
        scf.yield %3 : f64
      } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
      %new = arith.subf %old, %s : f64
      linalg.yield %new : f64
    }
    %row = memref.subview %v[%i, %i] [1, %m] [1, 1] : memref<?x?xf64, strided<[?, 1]>> to memref<?xf64, strided<[1], offset: ?>>
    memref.copy %t, %row : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
  }
  return
}

// Elements ahead are read before they are written if the loop ascends, elements behind if it descends.
// CHECK-LABEL: @ahead(
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c99{{.*}} step %c1
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK: memref.load %{{.*}}[%[[NEXT]]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK: #quernel.schedule<lanes
func.func @ahead(%A: memref<100xf64>) {
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<99xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<99xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %next = arith.addi %i, %c1 : index
    %0 = memref.load %A[%next] : memref<100xf64>
    %1 = arith.mulf %0, %0 : f64
    linalg.yield %1 : f64
  }
  %to = memref.subview %A[0] [99] [1] : memref<100xf64> to memref<99xf64, strided<[1]>>
  memref.copy %t, %to : memref<99xf64> to memref<99xf64, strided<[1]>>
  return
}

// CHECK-LABEL: @behind(
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c99{{.*}} step %c1
// CHECK: %[[J:.*]] = arith.subi %c98{{.*}}, %[[I]]
// CHECK: memref.load %{{.*}}[%[[J]]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[J]]]
// CHECK: #quernel.schedule<lanes
func.func @behind(%A: memref<100xf64>) {
  %t = memref.alloc() : memref<99xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<99xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %0 = memref.load %A[%i] : memref<100xf64>
    linalg.yield %0 : f64
  }
  %to = memref.subview %A[1] [99] [1] : memref<100xf64> to memref<99xf64, strided<[1], offset: 1>>
  memref.copy %t, %to : memref<99xf64> to memref<99xf64, strided<[1], offset: 1>>
  return
}

// Each row is read from the one above, so they run from the last to the first; columns are free.
// CHECK-LABEL: @rows(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK-NEXT: scf.for
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
func.func @rows(%A: memref<50x60xf64>) {
  %t = memref.alloc() : memref<49x60xf64>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%t : memref<49x60xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = memref.load %A[%i, %j] : memref<50x60xf64>
    linalg.yield %0 : f64
  }
  %to = memref.subview %A[1, 0] [49, 60] [1, 1] : memref<50x60xf64> to memref<49x60xf64, strided<[60, 1], offset: 60>>
  memref.copy %t, %to : memref<49x60xf64> to memref<49x60xf64, strided<[60, 1], offset: 60>>
  return
}

// Both neighbours, a reversal, and an index that was loaded: the temporary stays.
// CHECK-LABEL: @both(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @both(%A: memref<100xf64>) {
  %c2 = arith.constant 2 : index
  %t = memref.alloc() : memref<98xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<98xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %next = arith.addi %i, %c2 : index
    %0 = memref.load %A[%i] : memref<100xf64>
    %1 = memref.load %A[%next] : memref<100xf64>
    %2 = arith.addf %0, %1 : f64
    linalg.yield %2 : f64
  }
  %to = memref.subview %A[1] [98] [1] : memref<100xf64> to memref<98xf64, strided<[1], offset: 1>>
  memref.copy %t, %to : memref<98xf64> to memref<98xf64, strided<[1], offset: 1>>
  return
}

// CHECK-LABEL: @reversal(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @reversal(%A: memref<?xf64>, %n: index) {
  %c1 = arith.constant 1 : index
  %t = memref.alloc(%n) : memref<?xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<?xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %k = arith.subi %n, %i : index
    %k1 = arith.subi %k, %c1 : index
    %0 = memref.load %A[%i] : memref<?xf64>
    %1 = memref.load %A[%k1] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    linalg.yield %2 : f64
  }
  memref.copy %t, %A : memref<?xf64> to memref<?xf64>
  return
}

// CHECK-LABEL: @gathered(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @gathered(%A: memref<100xf64>, %at: memref<100xi64>) {
  %t = memref.alloc() : memref<100xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<100xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %p = memref.load %at[%i] : memref<100xi64>
    %k = arith.index_cast %p : i64 to index
    %0 = memref.load %A[%k] : memref<100xf64>
    linalg.yield %0 : f64
  }
  memref.copy %t, %A : memref<100xf64> to memref<100xf64>
  return
}

// Of a gathered row the other row is enough to know.
// CHECK-LABEL: @gathered_elsewhere(
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @gathered_elsewhere(%A: memref<2x100xf64>, %at: memref<100xi64>) {
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<100xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<100xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %p = memref.load %at[%i] : memref<100xi64>
    %k = arith.index_cast %p : i64 to index
    %0 = memref.load %A[%c1, %k] : memref<2x100xf64>
    linalg.yield %0 : f64
  }
  %to = memref.subview %A[0, 0] [1, 100] [1, 1] : memref<2x100xf64> to memref<100xf64, strided<[1]>>
  memref.copy %t, %to : memref<100xf64> to memref<100xf64, strided<[1]>>
  return
}

// Even and odd elements never meet.
// CHECK-LABEL: @even_and_odd(
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic
// CHECK-NOT: memref.copy
// CHECK: return
func.func @even_and_odd(%A: memref<100xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c49 = arith.constant 49 : index
  %t = memref.alloc() : memref<50xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<50xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %r = arith.subi %c49, %i : index
    %m = arith.muli %r, %c2 : index
    %k = arith.addi %m, %c1 : index
    %0 = memref.load %A[%k] : memref<100xf64>
    linalg.yield %0 : f64
  }
  %to = memref.subview %A[0] [50] [2] : memref<100xf64> to memref<50xf64, strided<[2]>>
  memref.copy %t, %to : memref<50xf64> to memref<50xf64, strided<[2]>>
  return
}

// Floyd-Warshall: column k and row k are kept, all else is in place.
// CHECK-LABEL: @cross(
// CHECK: %[[COLUMN:.*]] = memref.alloc() : memref<40xi32>
// CHECK: linalg.generic {{.*}} outs(%[[COLUMN]] : memref<40xi32>)
// CHECK: memref.load %arg0[%{{.*}}, %arg1]
// CHECK: %[[ROW:.*]] = memref.alloc() : memref<50xi32>
// CHECK: linalg.generic {{.*}} outs(%[[ROW]] : memref<50xi32>)
// CHECK: memref.load %arg0[%arg1, %{{.*}}]
// CHECK: linalg.generic {{.*}} outs(%arg0 : memref<40x50xi32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @cross(%A: memref<40x50xi32>, %k: index) {
  %t = memref.alloc() : memref<40x50xi32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%t : memref<40x50xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = memref.load %A[%i, %j] : memref<40x50xi32>
    %1 = memref.load %A[%i, %k] : memref<40x50xi32>
    %2 = memref.load %A[%k, %j] : memref<40x50xi32>
    %3 = arith.addi %1, %2 : i32
    %4 = arith.minsi %0, %3 : i32
    linalg.yield %4 : i32
  }
  memref.copy %t, %A : memref<40x50xi32> to memref<40x50xi32>
  return
}
