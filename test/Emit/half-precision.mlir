// float16 is loaded, chosen, stored and converted; nothing is computed in it.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: FileCheck %s --check-prefix=CALLS < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o
// RUN: quernel-translate --to-cpp --math-isa=avx2 %s | FileCheck %s --implicit-check-not=__truncsfhf2

// Clang calls functions where the processor can't convert: only such texts have them.
// CALLS: #if defined(__clang__) && !defined(__F16C__)
// CALLS: _Float16 __truncsfhf2(float x)

// CHECK: typedef _Float16 f16x8 __attribute__((vector_size(16)));

// CHECK-LABEL: static void scalars(const _Float16 *__restrict a, _Float16 *__restrict out)
func.func private @scalars(%a: memref<?xf16> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xf16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tenth = arith.constant 0.1 : f16
  %none = arith.constant 0x7C00 : f16
  %zero = arith.constant 0.0 : f32
  %x = memref.load %a[%c0] : memref<?xf16> loc("x")
  %wide = arith.extf %x : f16 to f32
  // CHECK: const float t = (float)a[0];
  // CHECK: out[0] = (_Float16)(t * t);
  %p = arith.mulf %wide, %wide : f32
  %q = arith.truncf %p : f32 to f16
  memref.store %q, %out[%c0] : memref<?xf16>
  // CHECK: out[1] = t < 0.0f ? (_Float16)0.0999755859375 : (_Float16)__builtin_inf();
  %less = arith.cmpf olt, %wide, %zero : f32
  %c = arith.select %less, %tenth, %none : f16
  memref.store %c, %out[%c1] : memref<?xf16>
  return
}

// CHECK-LABEL: static void vectors(
func.func private @vectors(%a: memref<?xf16> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xf16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %tenth = arith.constant dense<0.1> : vector<8xf16>
  %x = vector.load %a[%c0] : memref<?xf16>, vector<8xf16> loc("x")
  // CHECK: const f32x8 wide = __builtin_convertvector(load<f16x8>(a), f32x8);
  %wide = arith.extf %x : vector<8xf16> to vector<8xf32> loc("wide")
  %p = arith.mulf %wide, %wide : vector<8xf32>
  // CHECK: store(out, __builtin_convertvector(wide * wide, f16x8));
  %q = arith.truncf %p : vector<8xf32> to vector<8xf16>
  vector.store %q, %out[%c0] : memref<?xf16>, vector<8xf16>
  // CHECK: store(out, splat<f16x8>((_Float16)0.0999755859375));
  vector.store %tenth, %out[%c0] : memref<?xf16>, vector<8xf16>
  return
}
