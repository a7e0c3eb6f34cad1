// One number of a random stream that has no parameters is drawn by the context's own function for that, and a loop of
// such draws counts them for its question whether to stop; every other draw is a call of a routine.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so

func.func private @qn_random_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_standard_normal_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}

// CHECK-LABEL: int32_t single(
// CHECK: for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT: if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT: return code;
// CHECK-NEXT: if (int32_t code = draw(context, {{[0-9]+}} /* standard_normal */, 6, state, state, x))
// CHECK-NEXT: return fail(context, {{[0-9]+}}, code);
func.func @single(%state: memref<?xi64> {quernel.argument = #quernel.argument<"state">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @qn_standard_normal_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %c1, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  }
  return
}

// CHECK-LABEL: int32_t several(
// CHECK: if (int32_t code = context->poll())
// CHECK: if (int32_t code = call(context, {{[0-9]+}} /* random */,
// CHECK: if (int32_t code = call(context, {{[0-9]+}} /* random */,
func.func @several(%state: memref<?xi64> {quernel.argument = #quernel.argument<"state">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c1, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %c1, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  }
  return
}
