// What tells NumPy's warnings: lanes that a choice doesn't take are computed all the same.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %clang -mavx512f -mavx512dq -c %t.cpp -o %t.clang.o
// RUN: %gcc -mavx512f -mavx512dq -c %t.cpp -o %t.gcc.o

// CHECK: inline V computed(V v)

// CHECK-LABEL: void choose(
func.func private @choose(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %one = arith.constant dense<1.0> : vector<8xf64>
  %v = vector.load %x[%c0] : memref<?xf64>, vector<8xf64>
  %positive = arith.cmpf ogt, %v, %zero : vector<8xf64>
  %inverse = arith.divf %one, %v : vector<8xf64>
  // CHECK: > 0.0 ? computed(1.0 / {{.*}}) : 0.0
  %chosen = arith.select %positive, %inverse, %zero : vector<8xi1>, vector<8xf64>
  vector.store %chosen, %out[%c0] : memref<?xf64>, vector<8xf64>
  return
}

// Divisors set the flags of what NumPy warns of.
// CHECK-LABEL: void divide(
// CHECK: divisors(load<i64x8>(x), load<i64x8>(x))
// CHECK: divisor(x[0])
func.func private @divide(%x: memref<?xi64> {quernel.argument = #quernel.argument<"x", readonly>}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xi64>, vector<8xi64>
  %w = vector.load %x[%c0] : memref<?xi64>, vector<8xi64>
  %lanes = quernel.divisor %v, %w : (vector<8xi64>, vector<8xi64>) -> vector<8xi64>
  vector.store %lanes, %out[%c0] : memref<?xi64>, vector<8xi64>
  %a = memref.load %x[%c0] : memref<?xi64>
  %one = quernel.divisor %a : (i64) -> i64
  memref.store %one, %out[%c0] : memref<?xi64>
  return
}
