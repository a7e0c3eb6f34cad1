// bfloat16 is its bits: what is loaded, chosen and stored are integers of 16 bits.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o

// CHECK: typedef int16_t i16x8 __attribute__((vector_size(16)));

// CHECK-LABEL: static void scalars(const int16_t *__restrict a, int16_t *__restrict out)
func.func private @scalars(%a: memref<?xbf16> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xbf16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = arith.constant 2.5 : bf16
  %negative = arith.constant -1.0 : bf16
  %x = memref.load %a[%c0] : memref<?xbf16> loc("x")
  %bits = arith.bitcast %x : bf16 to i16
  %zero = arith.constant 0 : i16
  // CHECK: out[1] = __builtin_bit_cast(int16_t, a[0]) < 0 ? 16416 : -16512;
  %less = arith.cmpi slt, %bits, %zero : i16
  %c = arith.select %less, %number, %negative : bf16
  memref.store %c, %out[%c1] : memref<?xbf16>
  return
}

// CHECK-LABEL: static void vectors(
func.func private @vectors(%a: memref<?xbf16> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xbf16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %number = arith.constant dense<2.5> : vector<8xbf16>
  %x = vector.load %a[%c0] : memref<?xbf16>, vector<8xbf16> loc("x")
  // CHECK: store(out, load<i16x8>(a));
  vector.store %x, %out[%c0] : memref<?xbf16>, vector<8xbf16>
  // CHECK: store(out, splat<i16x8>((int16_t)16416));
  vector.store %number, %out[%c0] : memref<?xbf16>, vector<8xbf16>
  return
}
