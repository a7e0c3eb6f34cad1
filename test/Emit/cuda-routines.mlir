// A program that calls routines of libraries that devices have brings the kernels that these need besides, behind its own
// ones, whose names they don't have: those that its routines need. Others bring none.
// RUN: quernel-translate --to-cuda %s --split-input-file | FileCheck %s
// RUN: quernel-translate --to-cuda %s --split-input-file -o %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_75 %t.cu -o %t.sm_75.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_100 %t.cu -o %t.sm_100.cubin %}

// CHECK: extern "C" __global__ void routine_copy(const RoutineCopy copy) {
// CHECK-NOT: {{routine_determinants|routine_status}}
// CHECK: extern "C" __global__ void routine_copy_(double *__restrict__ x) {
// CHECK: #else
// CHECK: if (int32_t code = call(context, 0 /* matmul */, 1 /* f64 */,
// CHECK: extern "C" const char *const product_kernels[] = {"routine_copy_", "routine_copy", nullptr};
func.func private @qn_matmul_f64(memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @routine_copy(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func @product(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @qn_matmul_f64(%x, %x, %x, %c0, %c0, %c0, %c0, %c1, %c1, %c0, %c1, %c1, %c0, %n, %c1, %c1, %n, %c1, %n) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}

// -----

// CHECK-NOT: routine_
// CHECK: extern "C" const char *const draws_kernels[] = {nullptr};
func.func private @qn_standard_normal_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @draws(%state: memref<?xi64>, %x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  func.call @qn_standard_normal_u64(%state, %state, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}
