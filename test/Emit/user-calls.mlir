// A function of the user's text has the kernel ABI: it is declared, and called with pointers and sizes.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so

func.func private @scaled_1(memref<?xi64>, memref<?xf64>, memref<?xf64>, index, index, index) attributes {quernel.function = #quernel.function<user>}

// CHECK: extern "C" int32_t scaled_1(const qn_context *context, void *const *buffers, const int64_t *sizes);
// CHECK-LABEL: int32_t program(
// CHECK: if (int32_t code = call_user(scaled_1, context, shape, x + 2, y))
// CHECK-NEXT: return code;
func.func @program(%shape: memref<?xi64> {quernel.argument = #quernel.argument<"shape">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  func.call @scaled_1(%shape, %x, %y, %c0, %c2, %c0) : (memref<?xi64>, memref<?xf64>, memref<?xf64>, index, index, index) -> ()
  return
}
