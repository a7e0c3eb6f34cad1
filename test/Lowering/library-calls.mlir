// Products become calls on plain pointers; copies become kernels, or nothing.
// RUN: quernel-opt %s --quernel-library-calls --canonicalize --mlir-print-local-scope | FileCheck %s

// A transposed operand is only a matter of strides.
// CHECK-LABEL: @transposed(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: call @qn_matmul_f64(%[[A0]], %[[A1]], %[[A2]], %c1{{[_a-z0-9]*}}, %c100{{[_a-z0-9]*}}, %c60{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index) -> ()
func.func @transposed(%A: memref<?xf64>, %B: memref<?xf64>, %out: memref<?xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [100, 50], strides: [50, 1] : memref<?xf64> to memref<100x50xf64, strided<[50, 1]>>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [60, 50], strides: [50, 1] : memref<?xf64> to memref<60x50xf64, strided<[50, 1]>>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [100, 60], strides: [60, 1] : memref<?xf64> to memref<100x60xf64, strided<[60, 1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %b : memref<100x50xf64, strided<[50, 1]>>, memref<60x50xf64, strided<[50, 1]>>) outs(%o : memref<100x60xf64, strided<[60, 1]>>) attrs = {quernel.roles = ["m", "n", "k"]} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// What bufferisation did in place it still copies onto itself; any other copy is a kernel.
// CHECK-LABEL: @copies(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.reinterpret_cast %[[A0]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[A1]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[V0]] : memref<4xf64, strided<[1]>>) outs(%[[V1]] : memref<4xf64, strided<[1]>>) {
// CHECK: linalg.yield %[[V2:[a-z0-9_]+]] : f64
func.func @copies(%A: memref<?xf64>, %B: memref<?xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
  %same = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
  memref.copy %a, %same : memref<4xf64, strided<[1]>> to memref<4xf64, strided<[1]>>
  memref.copy %a, %b : memref<4xf64, strided<[1]>> to memref<4xf64, strided<[1]>>
  return
}
