// Products and linear algebra become calls on plain pointers; copies become kernels, or nothing.
// RUN: quernel-opt %s --quernel-library-calls --canonicalize --mlir-print-local-scope | FileCheck %s

// A transposed operand is only a matter of strides.
// CHECK-LABEL: @transposed(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: call @qn_matmul_f64(%[[A0]], %[[A1]], %[[A2]], %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c60{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c100{{[_a-z0-9]*}}, %c50{{[_a-z0-9]*}}, %c60{{[_a-z0-9]*}}) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
func.func @transposed(%A: memref<?xf64>, %B: memref<?xf64>, %out: memref<?xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [100, 50], strides: [50, 1] : memref<?xf64> to memref<100x50xf64, strided<[50, 1]>>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [60, 50], strides: [50, 1] : memref<?xf64> to memref<60x50xf64, strided<[50, 1]>>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [100, 60], strides: [60, 1] : memref<?xf64> to memref<100x60xf64, strided<[60, 1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %b : memref<100x50xf64, strided<[50, 1]>>, memref<60x50xf64, strided<[50, 1]>>) outs(%o : memref<100x60xf64, strided<[60, 1]>>) attrs = {quernel.axes = #quernel.axes<"ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// Views have an offset. A result that isn't contiguous is computed elsewhere and copied.
// CHECK-LABEL: @parts(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]: index
// CHECK-DAG: %[[V0:[a-z0-9_]+]] = memref.alloc() : memref<4x4xf64>
// CHECK-DAG: %[[V1:[a-z0-9_]+]] = arith.muli %[[A2]], %c4{{[_a-z0-9]*}}
// CHECK-DAG: %[[V2:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %[[V0]] : memref<4x4xf64> to memref<?xf64>
// CHECK: call @qn_matmul_f64(%[[A0]], %[[A0]], %[[V2]], %[[V1]], %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}})
// CHECK: linalg.generic {{.*}} ins(%[[V0]] : memref<4x4xf64>) outs(%{{.*}} : memref<4x4xf64, strided<[8, 1], offset: 2>>)
// CHECK: call @qn_matmul_f64(%[[A0]], %[[A0]], %[[A1]], %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c32{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}},
func.func @parts(%A: memref<?xf64>, %out: memref<?xf64>, %row: index) {
  %whole = memref.reinterpret_cast %A to offset: [0], sizes: [8, 4], strides: [4, 1] : memref<?xf64> to memref<8x4xf64, strided<[4, 1]>>
  %a = memref.subview %whole[%row, 0] [4, 4] [1, 1] : memref<8x4xf64, strided<[4, 1]>> to memref<4x4xf64, strided<[4, 1], offset: ?>>
  %b = memref.subview %whole[0, 0] [4, 4] [1, 1] : memref<8x4xf64, strided<[4, 1]>> to memref<4x4xf64, strided<[4, 1]>>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [16, 8], strides: [8, 1] : memref<?xf64> to memref<16x8xf64, strided<[8, 1]>>
  %apart = memref.subview %o[0, 2] [4, 4] [1, 1] : memref<16x8xf64, strided<[8, 1]>> to memref<4x4xf64, strided<[8, 1], offset: 2>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %b : memref<4x4xf64, strided<[4, 1], offset: ?>>, memref<4x4xf64, strided<[4, 1]>>) outs(%apart : memref<4x4xf64, strided<[8, 1], offset: 2>>) attrs = {quernel.axes = #quernel.axes<"ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  %row4 = memref.reinterpret_cast %out to offset: [0], sizes: [16, 4], strides: [4, 1] : memref<?xf64> to memref<16x4xf64, strided<[4, 1]>>
  %together = memref.subview %row4[8, 0] [4, 4] [1, 1] : memref<16x4xf64, strided<[4, 1]>> to memref<4x4xf64, strided<[4, 1], offset: 32>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%b, %b : memref<4x4xf64, strided<[4, 1]>>, memref<4x4xf64, strided<[4, 1]>>) outs(%together : memref<4x4xf64, strided<[4, 1], offset: 32>>) attrs = {quernel.axes = #quernel.axes<"ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// Batch axes are one axis where each operand steps through them alike: 7 x 6 = 42, and b is the same for all.
// CHECK-LABEL: @batches(
// CHECK-NOT: scf.for
// CHECK: call @qn_matmul_f64(%{{.*}}, %{{.*}}, %{{.*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c12{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c8{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c42{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}})
func.func @batches(%A: memref<?xf64>, %B: memref<?xf64>, %out: memref<?xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [7, 6, 4, 3], strides: [72, 12, 3, 1] : memref<?xf64> to memref<7x6x4x3xf64>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [3, 2], strides: [2, 1] : memref<?xf64> to memref<3x2xf64>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [7, 6, 4, 2], strides: [48, 8, 2, 1] : memref<?xf64> to memref<7x6x4x2xf64>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %b : memref<7x6x4x3xf64>, memref<3x2xf64>) outs(%o : memref<7x6x4x2xf64>) attrs = {quernel.axes = #quernel.axes<"**ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// Else the outer ones are loops around the call.
// CHECK-LABEL: @batches_apart(
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = arith.muli %[[I]], %c72{{[_a-z0-9]*}}
// CHECK-DAG: %[[O:[a-z0-9_]+]] = arith.muli %[[I]], %c48{{[_a-z0-9]*}}
// CHECK: call @qn_matmul_f64(%{{.*}}, %{{.*}}, %{{.*}}, %[[A]], %c0{{[_a-z0-9]*}}, %[[O]], %c3{{[_a-z0-9]*}}, %c18{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c8{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c6{{[_a-z0-9]*}}, %c4{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}})
func.func @batches_apart(%A: memref<?xf64>, %B: memref<?xf64>, %out: memref<?xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [7, 4, 6, 3], strides: [72, 18, 3, 1] : memref<?xf64> to memref<7x4x6x3xf64>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [3, 2], strides: [2, 1] : memref<?xf64> to memref<3x2xf64>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [7, 6, 4, 2], strides: [48, 8, 2, 1] : memref<?xf64> to memref<7x6x4x2xf64>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %b : memref<7x4x6x3xf64>, memref<3x2xf64>) outs(%o : memref<7x6x4x2xf64>) attrs = {quernel.axes = #quernel.axes<"**ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// A routine takes operands of any strides: those of a, b and the result, then batch and the sizes of its axes. What says whether it has
// failed is 0 before.
// CHECK-LABEL: @solve(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]: memref<?xf64>, %[[F:[a-z0-9]+]]: memref<?xi64>, %[[A3:[a-z0-9]+]]: index
// CHECK: %[[V0:[a-z0-9_]+]] = arith.muli %[[A3]], %[[A3]]
// CHECK: memref.store %c0_i64, %{{.*}}[%c0{{[_a-z0-9]*}}] : memref<1xi64
// CHECK: call @qn_solve_f64(%[[A0]], %[[A1]], %[[A2]], %[[F]], %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %[[V0]], %c1{{[_a-z0-9]*}}, %[[A3]], %c0{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %[[A3]], %{{[a-z0-9_]+}}, %c3{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c5{{[_a-z0-9]*}}, %[[A3]], %[[A3]], %c3{{[_a-z0-9]*}})
func.func @solve(%A: memref<?xf64>, %B: memref<?xf64>, %out: memref<?xf64>, %failure: memref<?xi64>, %n: index) {
  %nn = arith.muli %n, %n : index
  %c3 = arith.constant 3 : index
  %n3 = arith.muli %n, %c3 : index
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [5, %n, %n], strides: [%nn, 1, %n] : memref<?xf64> to memref<5x?x?xf64, strided<[?, 1, ?]>>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [5, %n, 3], strides: [0, 1, %n] : memref<?xf64> to memref<5x?x3xf64, strided<[0, 1, ?]>>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [5, %n, 3], strides: [%n3, 3, 1] : memref<?xf64> to memref<5x?x3xf64, strided<[?, 3, 1]>>
  %f = memref.reinterpret_cast %failure to offset: [0], sizes: [1], strides: [1] : memref<?xi64> to memref<1xi64, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (0)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"], library_call = "qn_solve_f64"} ins(%a, %b : memref<5x?x?xf64, strided<[?, 1, ?]>>, memref<5x?x3xf64, strided<[0, 1, ?]>>) outs(%o, %f : memref<5x?x3xf64, strided<[?, 3, 1]>>, memref<1xi64, strided<[1]>>) attrs = {quernel.axes = #quernel.axes<"*ijk">} {
  ^bb0(%in: f64, %side: f64, %acc: f64, %failed: i64):
    linalg.yield %acc, %failed : f64, i64
  }
  return
}

// Batch axes are one where each operand steps through them alike; else the outer ones are loops around the call.
// CHECK-LABEL: @slogdet(
// CHECK: scf.for %[[V0:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c6{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.muli %[[V0]], %c40{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.muli %[[V0]], %c7{{[_a-z0-9]*}}
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.muli %[[V0]], %c7{{[_a-z0-9]*}}
// CHECK: call @qn_slogdet_f64({{.*}}, %[[V1]], %[[V2]], %[[V3]], %c4{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c7{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}})
// CHECK: call @qn_slogdet_f64({{.*}}, %c42{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}})
func.func @slogdet(%A: memref<?xf64>, %b: memref<6x7x2x2xf64>, %s: memref<6x7xf64>, %l: memref<6x7xf64>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [6, 7, 2, 2], strides: [40, 4, 2, 1] : memref<?xf64> to memref<6x7x2x2xf64, strided<[40, 4, 2, 1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"], library_call = "qn_slogdet_f64"} ins(%a : memref<6x7x2x2xf64, strided<[40, 4, 2, 1]>>) outs(%s, %l : memref<6x7xf64>, memref<6x7xf64>) attrs = {quernel.axes = #quernel.axes<"**ij">} {
  ^bb0(%in: f64, %sign: f64, %logarithm: f64):
    linalg.yield %sign, %logarithm : f64, f64
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"], library_call = "qn_slogdet_f64"} ins(%b : memref<6x7x2x2xf64>) outs(%s, %l : memref<6x7xf64>, memref<6x7xf64>) attrs = {quernel.axes = #quernel.axes<"**ij">} {
  ^bb0(%in: f64, %sign: f64, %logarithm: f64):
    linalg.yield %sign, %logarithm : f64, f64
  }
  return
}

// One number for a matrix.
// CHECK-LABEL: @det(
// CHECK: call @qn_det_f64({{.*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}})
func.func @det(%a: memref<3x3xf64>, %d: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["parallel", "parallel"], library_call = "qn_det_f64"} ins(%a : memref<3x3xf64>) outs(%d : memref<f64>) attrs = {quernel.axes = #quernel.axes<"ij">} {
  ^bb0(%in: f64, %acc: f64):
    linalg.yield %acc : f64
  }
  return
}

// Two axes of an output may be as long as one of the input: both have steps.
// CHECK-LABEL: @qr_complete(
// CHECK: call @qn_qr_complete_f64({{.*}}, %c0{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c0{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}}, %c3{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}}, %c1{{[_a-z0-9]*}})
func.func @qr_complete(%a: memref<3x2xf64>, %q: memref<3x3xf64>, %r: memref<3x2xf64>, %f: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0)>], iterator_types = ["parallel", "parallel"], library_call = "qn_qr_complete_f64"} ins(%a : memref<3x2xf64>) outs(%q, %r, %f : memref<3x3xf64>, memref<3x2xf64>, memref<1xi64>) attrs = {quernel.axes = #quernel.axes<"ij">} {
  ^bb0(%in: f64, %x: f64, %y: f64, %failed: i64):
    linalg.yield %x, %y, %failed : f64, f64, i64
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
