// A function of the user's gets arrays in C order: those that aren't are copied, and copied back where it writes.
// RUN: quernel-opt %s --quernel-library-calls | FileCheck %s

// CHECK: func.func private @f_1(memref<?xi64>, memref<?xf64>, memref<?xf64>, index, index, index) attributes {quernel.function = #quernel.function<user>}

// CHECK-LABEL: @contiguous(
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<?xi64>, %[[X:[a-z0-9]+]]: memref<?xf64>, %[[Y:[a-z0-9]+]]: memref<?xf64>
// CHECK-NOT: memref.alloc
// CHECK: call @f_1(%[[S]], %[[X]], %[[Y]], %c0{{[_0-9]*}}, %c0{{[_0-9]*}}, %c0{{[_0-9]*}}) : (memref<?xi64>, memref<?xf64>, memref<?xf64>, index, index, index) -> ()
// CHECK-NOT: linalg.generic
func.func @contiguous(%s: memref<?xi64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %t = memref.reinterpret_cast %s to offset: [0], sizes: [1], strides: [1] : memref<?xi64> to memref<1xi64>
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 4], strides: [4, 1] : memref<?xf64> to memref<?x4xf64, strided<[4, 1]>>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<?xf64> to memref<?xf64>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"], library_call = "f_1"} ins(%t, %a : memref<1xi64>, memref<?x4xf64, strided<[4, 1]>>) outs(%b : memref<?xf64>) {
  ^bb0(%i: i64, %j: f64, %k: f64):
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
func.func @strided(%s: memref<?xi64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %t = memref.reinterpret_cast %s to offset: [0], sizes: [1], strides: [1] : memref<?xi64> to memref<1xi64>
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [4], strides: [2] : memref<?xf64> to memref<4xf64, strided<[2]>>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [3] : memref<?xf64> to memref<4xf64, strided<[3]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["parallel", "parallel", "parallel"], library_call = "f_1"} ins(%t, %a : memref<1xi64>, memref<4xf64, strided<[2]>>) outs(%b : memref<4xf64, strided<[3]>>) {
  ^bb0(%i: i64, %j: f64, %k: f64):
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
func.func @updated(%s: memref<?xi64>, %y: memref<?xf64>) {
  %t = memref.reinterpret_cast %s to offset: [0], sizes: [1], strides: [1] : memref<?xi64> to memref<1xi64>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [3] : memref<?xf64> to memref<4xf64, strided<[3]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["parallel", "parallel"], library_call = "g_1"} ins(%t : memref<1xi64>) outs(%b : memref<4xf64, strided<[3]>>) {
  ^bb0(%i: i64, %k: f64):
    linalg.yield %k : f64
  }
  return
}
