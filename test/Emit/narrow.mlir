// Integers of 8 and 16 bits: C++ computes them as `int`, so that results get their own type again; unsigned operations go
// by unsigned types.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s --check-prefixes=CUDA < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_90 %t.cu -o %t.cubin %}

// A product of 16 bits could overflow an int, which the 32 bits without a sign don't.
// CHECK: template <> struct Unsigned<int16_t> { typedef uint32_t type; };

// CHECK-LABEL: static void scalars(
// CUDA-LABEL: void scalars(
func.func private @scalars(%a: memref<?xi16> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xi16> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant 255 : i16
  %x = memref.load %a[%c0] : memref<?xi16> loc("x")
  %y = memref.load %a[%c1] : memref<?xi16> loc("y")
  // CHECK: out[0] = wrap_mul(x, (int16_t)(y & 255));
  // CUDA: out[0] = wrap_mul(x, (int16_t)(y & 255));
  %low = arith.andi %y, %mask : i16
  %p = arith.muli %x, %low : i16
  memref.store %p, %out[%c0] : memref<?xi16>
  // CHECK: out[1] = (int16_t)max((uint16_t)x, (uint16_t)y);
  // CUDA: out[1] = (int16_t)max((uint16_t)x, (uint16_t)y);
  %m = arith.maxui %x, %y : i16
  memref.store %m, %out[%c1] : memref<?xi16>
  // CHECK: out[0] = (int16_t)((uint16_t)x / (uint16_t)y);
  %d = arith.divui %x, %y : i16
  memref.store %d, %out[%c0] : memref<?xi16>
  // CHECK: out[1] = (int16_t)((uint16_t)x < (uint16_t)y ? x : 255);
  %less = arith.cmpi ult, %x, %y : i16
  %c = arith.select %less, %x, %mask : i16
  memref.store %c, %out[%c1] : memref<?xi16>
  return
}
