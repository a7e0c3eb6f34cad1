// A program gets the kernel ABI: sizes, strides and pointers come in, nothing is returned.
// RUN: quernel-opt %s --quernel-bind-buffers --mlir-print-local-scope | FileCheck %s

// Symbols, then strides, then pointers to inputs and outputs.
// CHECK-LABEL: @inputs(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:{{.*}}%[[A4:[a-z0-9]+]]:{{.*}}%[[A5:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.reinterpret_cast %[[A3]] to offset: [0], sizes: [%[[A0]], 2], strides: [%[[A1]], %[[A2]]] : memref<?xf64> to memref<?x2xf64, strided<[?, ?]>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = bufferization.to_tensor %[[V0]] restrict : memref<?x2xf64, strided<[?, ?]>> to tensor<?x2xf64>
// CHECK: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[A5]] to offset: [0], sizes: [%[[A0]]], strides: [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.cast %[[V2]] : memref<?xf64, strided<[1]>> to memref<?xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = bufferization.to_tensor %[[V3]] restrict writable : memref<?xf64> to tensor<?xf64>
// CHECK: %[[V5:[a-z0-9_]+]] = linalg.generic {{.*}} outs(%[[V4]] : tensor<?xf64>) {
// CHECK: %[[V6:[a-z0-9_]+]] = linalg.index 0 : index
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.extract %[[V1]][%[[V6]], %c0{{[_a-z0-9]*}}] : tensor<?x2xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.mulf %[[V7]], %[[A4]] : f64
// CHECK-NEXT: linalg.yield %[[V8]] : f64
// CHECK: %[[V9:[a-z0-9_]+]] = bufferization.materialize_in_destination %[[V5]] in %[[V4]] : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V9]] in writable %[[V3]] : (tensor<?xf64>, memref<?xf64>) -> ()
func.func @inputs(%n0: index {quernel.name = "n0"}, %x: tensor<?x2xf64> {quernel.name = "x", quernel.shape = affine_map<()[s0] -> (s0, 2)>, quernel.layout = "strided"}, %k: tensor<f64> {quernel.name = "k", quernel.scalar}) -> tensor<?xf64> {
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
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.reinterpret_cast %[[A0]] to offset: [0], sizes: [4, 3], strides: [3, 1] : memref<?xf64> to memref<4x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.cast %[[V0]] : memref<4x3xf64, strided<[3, 1]>> to memref<4x3xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = bufferization.to_tensor %[[V1]] restrict writable : memref<4x3xf64> to tensor<4x3xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.reinterpret_cast %[[A1]] to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf64> to memref<2x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.cast %[[V3]] : memref<2x3xf64, strided<[3, 1]>> to memref<2x3xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = bufferization.to_tensor %[[V4]] restrict : memref<2x3xf64> to tensor<2x3xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.insert_slice %[[V5]] into %[[V2]][1, 0] [2, 3] [1, 1] : tensor<2x3xf64> into tensor<4x3xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.extract_slice %[[V2]][0, 0] [2, 3] [1, 1] : tensor<4x3xf64> to tensor<2x3xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = memref.reinterpret_cast %[[A2]] to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf64> to memref<2x3xf64, strided<[3, 1]>>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = memref.cast %[[V8]] : memref<2x3xf64, strided<[3, 1]>> to memref<2x3xf64>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = bufferization.to_tensor %[[V9]] restrict writable : memref<2x3xf64> to tensor<2x3xf64>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = bufferization.materialize_in_destination %[[V7]] in %[[V10]] : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V11]] in writable %[[V9]] : (tensor<2x3xf64>, memref<2x3xf64>) -> ()
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = bufferization.materialize_in_destination %[[V6]] in %[[V2]] : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V12]] in writable %[[V1]] : (tensor<4x3xf64>, memref<4x3xf64>) -> ()
func.func @updates(%x: tensor<4x3xf64> {quernel.name = "x"}, %v: tensor<2x3xf64> {quernel.name = "v"}) -> (tensor<2x3xf64>, tensor<4x3xf64>) attributes {quernel.updates = array<i64: 0>} {
  %u = tensor.insert_slice %v into %x[1, 0] [2, 3] [1, 1] : tensor<2x3xf64> into tensor<4x3xf64>
  %c = tensor.extract_slice %x[0, 0] [2, 3] [1, 1] : tensor<4x3xf64> to tensor<2x3xf64>
  return %c, %u : tensor<2x3xf64>, tensor<4x3xf64>
}

// An array without axes is updated through a view of one element.
// CHECK-LABEL: @scalar_update(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = memref.reinterpret_cast %[[A0]] to offset: [0], sizes: [], strides: [] : memref<?xf64> to memref<f64, strided<[]>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = memref.cast %[[V0]] : memref<f64, strided<[]>> to memref<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = bufferization.to_tensor %[[V1]] restrict writable : memref<f64> to tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.reinterpret_cast %[[A1]] to offset: [0], sizes: [1], strides: [1] : memref<?xf64> to memref<1xf64, strided<[1]>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.cast %[[V3]] : memref<1xf64, strided<[1]>> to memref<1xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = bufferization.to_tensor %[[V4]] restrict : memref<1xf64> to tensor<1xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.reinterpret_cast %[[V0]] to offset: [0], sizes: [1], strides: [1] : memref<f64, strided<[]>> to memref<1xf64, strided<[1]>>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.cast %[[V6]] : memref<1xf64, strided<[1]>> to memref<1xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = bufferization.alloc_tensor() copy(%[[V5]]) : tensor<1xf64>
// CHECK-NEXT: bufferization.materialize_in_destination %[[V8]] in writable %[[V7]] : (tensor<1xf64>, memref<1xf64>) -> ()
func.func @scalar_update(%x: tensor<f64> {quernel.name = "x"}, %v: tensor<1xf64> {quernel.name = "v"}) -> tensor<1xf64> attributes {quernel.updates = array<i64: 0>} {
  return %v : tensor<1xf64>
}

// A kernel that reads what it writes to elsewhere gets an array of its own.
// CHECK-LABEL: @reads_its_target(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<8xf64>) {
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<8xf64>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[NEW]] : tensor<8xf64>)
func.func @reads_its_target(%x: tensor<8xf64> {quernel.name = "x"}) -> tensor<8xf64> attributes {quernel.updates = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8xf64>) {
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<8xf64>) {
    ^bb0(%out: f64):
      %k = linalg.index 0 : index
      %m = arith.subi %c7, %k : index
      %v = tensor.extract %a[%m] : tensor<8xf64>
      linalg.yield %v : f64
    } -> tensor<8xf64>
    %kept = bufferization.materialize_in_destination %g in %a : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    scf.yield %kept : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// Results that are numbers are stored; a loop's result begins in the output.
// CHECK-LABEL: @loop_results(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.name = "x", quernel.readonly}, %[[OUT0:[a-z0-9]+]]: memref<?xf64> {quernel.name = "out0"}, %[[OUT1:[a-z0-9]+]]: memref<?xf64> {quernel.name = "out1"}, %[[OUT2:[a-z0-9]+]]: memref<?xi64> {quernel.name = "out2"})
// CHECK: %[[IN:.*]] = bufferization.to_tensor
// CHECK: %[[TARGET:.*]] = bufferization.to_tensor %{{.*}} restrict writable
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[TARGET]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]], %[[S:.*]] = %{{.*}}) -> (tensor<8xf64>, f64) {
// CHECK: memref.store %{{.*}}#1, %[[OUT1]][%c0{{.*}}] : memref<?xf64>
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: memref.store %[[NUMBER]], %[[OUT2]]
func.func @loop_results(%x: tensor<8xf64> {quernel.name = "x"}) -> (tensor<8xf64>, f64, index) {
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

// So does one that writes where somebody reads the old elements later.
// CHECK-LABEL: @read_later(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<8xf64>) {
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<8xf64>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[NEW]] : tensor<8xf64>)
func.func @read_later(%x: tensor<8xf64> {quernel.name = "x"}, %y: tensor<8xf64> {quernel.name = "y"}) -> tensor<8xf64> attributes {quernel.updates = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8xf64>) {
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<8xf64>) {
    ^bb0(%out: f64):
      %k = linalg.index 0 : index
      %v = tensor.extract %y[%k] : tensor<8xf64>
      linalg.yield %v : f64
    } -> tensor<8xf64>
    %s = tensor.extract %g[%i] : tensor<8xf64>
    %yes = arith.cmpf ogt, %s, %zero : f64
    %b = scf.if %yes -> (tensor<8xf64>) {
      %kept = bufferization.materialize_in_destination %g in %a : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
      scf.yield %kept : tensor<8xf64>
    } else {
      scf.yield %a : tensor<8xf64>
    }
    scf.yield %b : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// A branch doesn't write to an argument whose old elements are read later.
// CHECK-LABEL: @old_argument(
// CHECK: %[[X:.*]] = bufferization.to_tensor %{{.*}} restrict writable
// CHECK: %[[NEW:.*]] = bufferization.alloc_tensor() : tensor<4xf64>
// CHECK: %[[R:.*]] = scf.if
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
// CHECK: tensor.extract %[[X]]
// CHECK: bufferization.materialize_in_destination %[[R]] in %[[X]]
func.func @old_argument(%x: tensor<4xf64> {quernel.name = "x"}, %y: tensor<4xf64> {quernel.name = "y"}, %yes: tensor<i1> {quernel.name = "yes", quernel.scalar}) -> (f64, tensor<4xf64>) attributes {quernel.updates = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %new = bufferization.alloc_tensor() : tensor<4xf64>
  %c = tensor.extract %yes[] : tensor<i1>
  %r = scf.if %c -> (tensor<4xf64>) {
    %a = bufferization.materialize_in_destination %y in %new : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %a : tensor<4xf64>
  } else {
    %b = bufferization.materialize_in_destination %x in %new : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %b : tensor<4xf64>
  }
  %s = tensor.extract %x[%c0] : tensor<4xf64>
  return %s, %r : f64, tensor<4xf64>
}
