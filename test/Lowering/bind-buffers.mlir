// A program gets the kernel ABI: sizes, strides and pointers come in, nothing is returned.
// RUN: quernel-opt %s --quernel-bind-buffers --mlir-print-local-scope | FileCheck %s

// Symbols, then strides, then pointers to inputs and outputs.
// CHECK-LABEL: @inputs(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[V2:[a-z0-9_]+]], 2], strides: [%[[V3:[a-z0-9_]+]], %[[V4:[a-z0-9_]+]]] : memref<?xf64> to memref<?x2xf64, strided<[?, ?]>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = bufferization.to_tensor %[[V1]] restrict : memref<?x2xf64, strided<[?, ?]>> to tensor<?x2xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [%[[V2]]], strides: [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.cast %[[V6]] : memref<?xf64, strided<[1]>> to memref<?xf64>
// CHECK: %[[V8:[a-z0-9_]+]] = tensor.empty(%[[V2]]) : tensor<?xf64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V8]] : tensor<?xf64>) {
// CHECK: %[[V10:[a-z0-9_]+]] = tensor.extract %[[V5]][%[[V11:[a-z0-9_]+]], %c0{{[_a-z0-9]*}}] : tensor<?x2xf64>
// CHECK: } -> tensor<?xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V9]] in restrict writable %[[V7]] : (tensor<?xf64>, memref<?xf64>) -> ()
// CHECK-NEXT: return
func.func @inputs(%n0: index {quernel.argument = #quernel.argument<"n0">}, %x: tensor<?x2xf64> {quernel.argument = #quernel.argument<"x", strided, shape = affine_map<()[s0] -> (s0, 2)>>}, %k: tensor<f64> {quernel.argument = #quernel.argument<"k", scalar>}) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n0) : tensor<?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %0 = tensor.extract %x[%i, %c0] : tensor<?x2xf64>
    %1 = tensor.extract %k[] : tensor<f64>
    %2 = arith.mulf %0, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// The new value of an argument that is written goes back into it; the other result gets a pointer.
// CHECK-LABEL: @updates(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[V:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"v"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [4, 3], strides: [3, 1] : memref<?xf64> to memref<4x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.cast %[[V1]] : memref<4x3xf64, strided<[3, 1]>> to memref<4x3xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = bufferization.to_tensor %[[V2]] restrict writable : memref<4x3xf64> to tensor<4x3xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.reinterpret_cast %[[V]] to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf64> to memref<2x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.cast %[[V4]] : memref<2x3xf64, strided<[3, 1]>> to memref<2x3xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = bufferization.to_tensor %[[V5]] restrict : memref<2x3xf64> to tensor<2x3xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf64> to memref<2x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = memref.cast %[[V7]] : memref<2x3xf64, strided<[3, 1]>> to memref<2x3xf64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.insert_slice %[[V6]] into %[[V3]][1, 0] [2, 3] [1, 1] : tensor<2x3xf64> into tensor<4x3xf64>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = tensor.extract_slice %[[V3]][0, 0] [2, 3] [1, 1] : tensor<4x3xf64> to tensor<2x3xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V10]] in restrict writable %[[V8]] : (tensor<2x3xf64>, memref<2x3xf64>) -> ()
// CHECK-NEXT: bufferization.materialize_in_destination %[[V9]] in restrict writable %[[V2]] : (tensor<4x3xf64>, memref<4x3xf64>) -> ()
// CHECK-NEXT: return
func.func @updates(%x: tensor<4x3xf64> {quernel.argument = #quernel.argument<"x">}, %v: tensor<2x3xf64> {quernel.argument = #quernel.argument<"v">}) -> (tensor<2x3xf64>, tensor<4x3xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %u = tensor.insert_slice %v into %x[1, 0] [2, 3] [1, 1] : tensor<2x3xf64> into tensor<4x3xf64>
  %c = tensor.extract_slice %x[0, 0] [2, 3] [1, 1] : tensor<4x3xf64> to tensor<2x3xf64>
  return %c, %u : tensor<2x3xf64>, tensor<4x3xf64>
}

// An array without axes is updated through a view of one element.
// CHECK-LABEL: @scalar_update(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[V:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"v"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [], strides: [] : memref<?xf64> to memref<f64, strided<[]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.cast %[[V1]] : memref<f64, strided<[]>> to memref<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = bufferization.to_tensor %[[V2]] restrict writable : memref<f64> to tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.reinterpret_cast %[[V]] to offset: [0], sizes: [1], strides: [1] : memref<?xf64> to memref<1xf64, strided<[1]>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.cast %[[V4]] : memref<1xf64, strided<[1]>> to memref<1xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = bufferization.to_tensor %[[V5]] restrict : memref<1xf64> to tensor<1xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.reinterpret_cast %[[V1]] to offset: [0], sizes: [1], strides: [1] : memref<f64, strided<[]>> to memref<1xf64, strided<[1]>>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = memref.cast %[[V7]] : memref<1xf64, strided<[1]>> to memref<1xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V6]] in writable %[[V8]] : (tensor<1xf64>, memref<1xf64>) -> ()
// CHECK-NEXT: return
func.func @scalar_update(%x: tensor<f64> {quernel.argument = #quernel.argument<"x">}, %v: tensor<1xf64> {quernel.argument = #quernel.argument<"v">}) -> tensor<1xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  return %v : tensor<1xf64>
}

// Results that are numbers are stored. The views of outputs stand before the program.
// CHECK-LABEL: @loop_results(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[OUT0:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out0"{{.*}}%[[OUT1:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out1"{{.*}}%[[OUT2:[a-z0-9]+]]: memref<?xi64> {quernel.argument = #quernel.argument<"out2"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.cast %[[V1]] : memref<8xf64, strided<[1]>> to memref<8xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = bufferization.to_tensor %[[V2]] restrict : memref<8xf64> to tensor<8xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT0]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.cast %[[V4]] : memref<8xf64, strided<[1]>> to memref<8xf64>
// CHECK: %[[V6:[a-z0-9_]+]]:2 = scf.for %[[V7:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} iter_args(%[[V8:[a-z0-9_]+]] = %[[V3]], %[[V9:[a-z0-9_]+]] = %[[V10:[a-z0-9_]+]]) -> (tensor<8xf64>, f64) {
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.extract %[[V8]][%[[V7]]] : tensor<8xf64>
// CHECK: %[[V12:[a-z0-9_]+]] = tensor.insert %[[V13:[a-z0-9_]+]] into %[[V8]][%[[V7]]] : tensor<8xf64>
// CHECK: bufferization.materialize_in_destination %[[V6]]#0 in restrict writable %[[V5]] : (tensor<8xf64>, memref<8xf64>) -> ()
// CHECK: memref.store %[[V6]]#1, %[[OUT1]][%[[V14:[a-z0-9_]+]]] : memref<?xf64>
// CHECK: memref.store %[[V15:[a-z0-9_]+]], %[[OUT2]][%[[V16:[a-z0-9_]+]]] : memref<?xi64>
// CHECK-NEXT: return
func.func @loop_results(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}) -> (tensor<8xf64>, f64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %s = %zero) -> (tensor<8xf64>, f64) {
    %v = tensor.extract %a[%i] : tensor<8xf64>
    %t = arith.addf %v, %s : f64
    %u = tensor.insert %t into %a[%i] : tensor<8xf64>
    scf.yield %u, %t : tensor<8xf64>, f64
  }
  return %r#0, %r#1, %c7 : tensor<8xf64>, f64, index
}
