// Uniform numbers of generators that can jump, and of those whose states look alike, are drawn by kernels of ours; those
// of other generators the runtime draws.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_75 %t.cu -o %t.sm_75.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.sm_80.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_90 %t.cu -o %t.sm_90.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_100 %t.cu -o %t.sm_100.cubin %}

func.func private @qn_random_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}

// CHECK:      extern "C" __global__ void __launch_bounds__(256)
// CHECK-NEXT: random_numbers(const uint64_t *state, int64_t state_step, int64_t words, double *numbers, int64_t step, int64_t count) {
// CHECK:      extern "C" __global__ void
// CHECK-NEXT: random_state(const uint64_t *before, int64_t before_step, uint64_t *after, int64_t after_step, int64_t words, double *numbers,
// CHECK:      #else
// CHECK:      extern "C" int32_t program(
// CHECK:        if (int32_t code = draw_uniform(device, 0 /* random_numbers */, {1, n, 6, 1}, {0, 1, 0, 0, 1, 0, 0, 1, 0}, state, state, x))
// CHECK-NEXT:     return fail(context, 16, code);
// CHECK-NEXT:   if (int32_t code = draw_uniform(device, 0 /* random_numbers */, {1, 1, 13, 1}, {0, 1, 0, 0, 1, 0, 0, 1, 0}, state, state, x))
// CHECK:        if (int32_t code = call(context, {{[0-9]+}} /* random */, 12 /* u64 */, {1, n, 316, 1},
// CHECK:        if (int32_t code = draw(context, {{[0-9]+}} /* random */, 314, state, state, x))
// CHECK:      extern "C" const char *const program_kernels[] = {"random_numbers", "random_state", nullptr};
func.func @program(%state: memref<?xi64> {quernel.argument = #quernel.argument<"state">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c13 = arith.constant 13 : index
  %c314 = arith.constant 314 : index
  %c316 = arith.constant 316 : index
  func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %c1, %c13, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c316, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_random_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %c1, %c314, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}
