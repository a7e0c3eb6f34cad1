// What a test for NaN returns, a comparison's own type, is cast where it becomes a number.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %clang -c %t.cpp -o %t.clang.o
// RUN: %gcc -c %t.cpp -o %t.gcc.o

// CHECK-LABEL: void count(
// CHECK: wrap_add(-(i64x8)isnan({{.*}}), splat<i64x8>(33))
func.func private @count(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %number = arith.constant dense<33> : vector<8xi64>
  %v = vector.load %x[%c0] : memref<?xf64>, vector<8xf64>
  %nan = arith.cmpf uno, %v, %v : vector<8xf64>
  %one = arith.extui %nan : vector<8xi1> to vector<8xi64>
  %sum = arith.addi %one, %number : vector<8xi64>
  vector.store %sum, %out[%c0] : memref<?xi64>, vector<8xi64>
  return
}
func.func @f(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  call @count(%x, %out) : (memref<?xf64>, memref<?xi64>) -> ()
  return
}
