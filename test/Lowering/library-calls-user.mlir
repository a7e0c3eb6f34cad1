// A function of the user's gets arrays in C order: those that aren't are copied, and copied back where it writes. Numbers
// stand where their pointers would, and sizes behind all offsets.
// RUN: quernel-opt %s --quernel-library-calls | FileCheck %s

// CHECK: func.func private @f_1(f64, memref<?xf64>, memref<?xf64>, index, index, index) attributes {quernel.function = #quernel.function<user>}

// CHECK-LABEL: @contiguous(
// CHECK-SAME: %[[S:[a-z0-9]+]]: f64, %[[X:[a-z0-9]+]]: memref<?xf64>, %[[Y:[a-z0-9]+]]: memref<?xf64>, %[[N:[a-z0-9]+]]: index
// CHECK-NOT: memref.alloc
// CHECK: call @f_1(%[[S]], %[[X]], %[[Y]], %c0{{[_0-9]*}}, %c0{{[_0-9]*}}, %[[N]]) : (f64, memref<?xf64>, memref<?xf64>, index, index, index) -> ()
// CHECK-NOT: linalg.generic
func.func @contiguous(%s: f64, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 4], strides: [4, 1] : memref<?xf64> to memref<?x4xf64, strided<[4, 1]>>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<?xf64> to memref<?xf64>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["parallel", "parallel", "parallel"], library_call = "f_1"} ins(%n, %s, %a : index, f64, memref<?x4xf64, strided<[4, 1]>>) outs(%b : memref<?xf64>) {
  ^bb0(%h: index, %i: f64, %j: f64, %k: f64):
    linalg.yield %j : f64
  }
  return
}

// What it doesn't read isn't copied before.
// CHECK-LABEL: @strided(
// CHECK: %[[APART:.*]] = memref.alloc() : memref<4xf64>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4xf64, strided<[2]>>) outs(%[[APART]] : memref<4xf64>)
// CHECK: %[[RESULT:.*]] = memref.alloc() : memref<4xf64>
// CHECK-NOT: linalg.generic
// CHECK: call @f_1(
// CHECK: linalg.generic {{.*}} ins(%[[RESULT]] : memref<4xf64>) outs(%{{.*}} : memref<4xf64, strided<[3]>>)
func.func @strided(%s: f64, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [4], strides: [2] : memref<?xf64> to memref<4xf64, strided<[2]>>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [3] : memref<?xf64> to memref<4xf64, strided<[3]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["parallel", "parallel"], library_call = "f_1"} ins(%n, %s, %a : index, f64, memref<4xf64, strided<[2]>>) outs(%b : memref<4xf64, strided<[3]>>) {
  ^bb0(%h: index, %i: f64, %j: f64, %k: f64):
    linalg.yield %j : f64
  }
  return
}

// What it writes it may read: there and back.
// CHECK-LABEL: @updated(
// CHECK: %[[APART:.*]] = memref.alloc() : memref<4xf64>
// CHECK: linalg.generic {{.*}} outs(%[[APART]] : memref<4xf64>)
// CHECK: call @g_1(
// CHECK: linalg.generic {{.*}} ins(%[[APART]] : memref<4xf64>)
func.func @updated(%y: memref<?xf64>) {
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [3] : memref<?xf64> to memref<4xf64, strided<[3]>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], library_call = "g_1"} outs(%b : memref<4xf64, strided<[3]>>) {
  ^bb0(%k: f64):
    linalg.yield %k : f64
  }
  return
}
