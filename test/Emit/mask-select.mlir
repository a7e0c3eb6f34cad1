// A choice between masks, one a comparison and one a variable, has sides of one type for both compilers.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %clang -c %t.cpp -o %t.clang.o
// RUN: %gcc -c %t.cpp -o %t.gcc.o

// CHECK-LABEL: void choose(
// CHECK: c ? (i64x8)({{.*}} < {{.*}}) : {{[a-z0-9]+}}
func.func private @choose(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %out: memref<?xi1> {quernel.argument = #quernel.argument<"out">}, %two: memref<?xi1> {quernel.argument = #quernel.argument<"two">}, %c: i1 {quernel.argument = #quernel.argument<"c">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %one = arith.constant dense<1.0> : vector<8xf64>
  %v = vector.load %x[%c0] : memref<?xf64>, vector<8xf64>
  %small = arith.cmpf olt, %v, %zero : vector<8xf64>
  %large = arith.cmpf ogt, %v, %one : vector<8xf64>
  %chosen = arith.select %c, %small, %large : vector<8xi1>
  vector.store %large, %two[%c0] : memref<?xi1>, vector<8xi1>
  vector.store %chosen, %out[%c0] : memref<?xi1>, vector<8xi1>
  return
}
func.func @f(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %c: i1 {quernel.argument = #quernel.argument<"c">}, %out: memref<?xi1> {quernel.argument = #quernel.argument<"out">}, %two: memref<?xi1> {quernel.argument = #quernel.argument<"two">}) attributes {quernel.function = #quernel.function<program>} {
  call @choose(%x, %out, %two, %c) : (memref<?xf64>, memref<?xi1>, memref<?xi1>, i1) -> ()
  return
}
