// A float may be out of the integer's range, where a plain cast would be undefined.
// RUN: quernel-translate --to-cpp %s -o %t.cpp && FileCheck %s < %t.cpp
// RUN: %clang -c %t.cpp -o %t.o
// RUN: %gcc -c %t.cpp -o %t.o

// CHECK: return (I)(x > least && x < -least ? x : least);

// CHECK-LABEL: void cuts(
func.func private @cuts(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %z: memref<?xf32> {quernel.argument = #quernel.argument<"z", readonly>}, %y: memref<?xi64> {quernel.argument = #quernel.argument<"y">}, %v: memref<?xi32> {quernel.argument = #quernel.argument<"v">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<?xf64>
  // CHECK: y[0] = to_integer<int64_t>(x[0]);
  %b = arith.fptosi %a : f64 to i64
  memref.store %b, %y[%c0] : memref<?xi64>
  // CHECK: store(v, to_integers<i32x8>(load<f32x8>(z)));
  %lanes = vector.load %z[%c0] : memref<?xf32>, vector<8xf32>
  %whole = arith.fptosi %lanes : vector<8xf32> to vector<8xi32>
  vector.store %whole, %v[%c0] : memref<?xi32>, vector<8xi32>
  return
}
