// Vectors of narrow integers: lanes keep their width.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o

// CHECK: template <> struct Unsigned<i16x8> { typedef u16x8 type; };

// CHECK-LABEL: static void vectors(
func.func private @vectors(%a: memref<?xi16> {quernel.argument = #quernel.argument<"a", readonly>}, %wide: memref<?xf32> {quernel.argument = #quernel.argument<"wide">}, %out: memref<?xi16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant dense<3> : vector<8xi16>
  %x = vector.load %a[%c0] : memref<?xi16>, vector<8xi16> loc("x")
  %y = vector.load %a[%c8] : memref<?xi16>, vector<8xi16> loc("y")
  // CHECK: store(out, wrap_mul(x, splat<i16x8>((int16_t)3)));
  %p = arith.muli %x, %three : vector<8xi16>
  vector.store %p, %out[%c0] : memref<?xi16>, vector<8xi16>
  // CHECK: store(out, (i16x8)min((u16x8)x, (u16x8)y));
  %m = arith.minui %x, %y : vector<8xi16>
  vector.store %m, %out[%c0] : memref<?xi16>, vector<8xi16>
  // CHECK: store(wide, __builtin_convertvector((u16x8)x, f32x8));
  %f = arith.uitofp %x : vector<8xi16> to vector<8xf32>
  vector.store %f, %wide[%c0] : memref<?xf32>, vector<8xf32>
  return
}
