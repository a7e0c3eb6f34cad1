// A function of the user's text has the kernel ABI: it is declared, and called with sizes, pointers and numbers.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so
// RUN: quernel-translate --to-cuda %s | FileCheck %s --check-prefix=CUDA

func.func private @scaled_1(f64, memref<?xf64>, i1, memref<?xf64>, index, index, index, index) attributes {quernel.function = #quernel.function<user>}
func.func private @none_1(memref<?xf64>, index) attributes {quernel.function = #quernel.function<user>}

// CHECK: extern "C" int32_t scaled_1(const qn_context *context, void *const *buffers, const int64_t *sizes);
// CHECK-LABEL: int32_t program(
// CHECK: if (int32_t code = call_user(scaled_1, context, {n, 4}, address_of<double>(2.0), x + 2, address_of<bool>(flag), y))
// CHECK-NEXT: return code;
// CHECK: if (int32_t code = call_user(none_1, context, {0}, y))

// A program for a device calls what launches a kernel of the user's.
// CUDA: #else
// CUDA: extern "C" int32_t program(
// CUDA: if (int32_t code = call_user(scaled_1, context, {n, 4}, address_of<double>(2.0), x + 2, address_of<bool>(flag), y))
func.func @program(%n: index {quernel.argument = #quernel.argument<"n">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %flag: i1 {quernel.argument = #quernel.argument<"flag">}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a = arith.constant 2.0 : f64
  func.call @scaled_1(%a, %x, %flag, %y, %c2, %c0, %n, %c4) : (f64, memref<?xf64>, i1, memref<?xf64>, index, index, index, index) -> ()
  func.call @none_1(%y, %c0) : (memref<?xf64>, index) -> ()
  return
}
