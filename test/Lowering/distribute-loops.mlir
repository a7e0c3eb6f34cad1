// A library's work that waits for no other turn comes first, for a strip of turns.
// RUN: quernel-opt %s --quernel-distribute-loops --mlir-print-local-scope | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// The product is kept, and the weight that the second part loads would be; the counter's sum is computed in both.
// CHECK-LABEL: @total(
// CHECK-DAG: %[[W:.*]] = memref.alloc() : memref<50xf64>
// CHECK-DAG: %[[T:.*]] = memref.alloc() : memref<50x64x64xf64>
// CHECK: scf.for %[[S:[a-z0-9]+]] = {{.*}} step
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %[[I:[a-z0-9]+]] = %[[S]] to %[[END]]
// CHECK: %[[K:.*]] = arith.subi %[[I]], %[[S]]
// CHECK: memref.store %{{.*}}, %[[W]][%[[K]]]
// CHECK: memref.subview %[[T]][%[[K]], 0, 0]
// CHECK: library_call
// CHECK: scf.for %[[I:[a-z0-9]+]] = %[[S]] to %[[END]]
// CHECK: %[[K:.*]] = arith.subi %[[I]], %[[S]]
// CHECK-DAG: memref.load %[[W]][%[[K]]]
// CHECK-DAG: memref.subview %[[T]][%[[K]], 0, 0]
// CHECK-NOT: library_call
// CHECK: return
func.func @total(%A: memref<100x64x64xf64>, %w: memref<100xf64>, %sum: memref<64x64xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %weight = memref.load %w[%i] : memref<100xf64>
    %in = memref.subview %A[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<100x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    %T = memref.alloc() : memref<64x64xf64>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"}
        ins(%in, %in : memref<64x64xf64, strided<[64, 1], offset: ?>>, memref<64x64xf64, strided<[64, 1], offset: ?>>)
        outs(%T : memref<64x64xf64>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      linalg.yield %z : f64
    }
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%sum : memref<64x64xf64>) {
    ^bb0(%o: f64):
      %j = linalg.index 0 : index
      %k = linalg.index 1 : index
      %0 = memref.load %T[%j, %k] : memref<64x64xf64>
      %1 = arith.mulf %0, %weight : f64
      %2 = memref.load %sum[%j, %k] : memref<64x64xf64>
      %3 = arith.addf %2, %1 : f64
      linalg.yield %3 : f64
    }
  }
  return
}

// The product reads what the turn before has added up.
// CHECK-LABEL: @waits(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @waits(%A: memref<100x64x64xf64>, %sum: memref<64x64xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %in = memref.subview %A[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<100x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    %T = memref.alloc() : memref<64x64xf64>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"}
        ins(%in, %sum : memref<64x64xf64, strided<[64, 1], offset: ?>>, memref<64x64xf64>)
        outs(%T : memref<64x64xf64>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      linalg.yield %z : f64
    }
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%sum : memref<64x64xf64>) {
    ^bb0(%o: f64):
      %j = linalg.index 0 : index
      %k = linalg.index 1 : index
      %0 = memref.load %T[%j, %k] : memref<64x64xf64>
      %2 = memref.load %sum[%j, %k] : memref<64x64xf64>
      %3 = arith.addf %2, %0 : f64
      linalg.yield %3 : f64
    }
  }
  return
}
