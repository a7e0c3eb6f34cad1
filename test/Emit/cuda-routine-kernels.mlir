// A program brings the kernels that its routines need, and no others.
// RUN: quernel-translate --to-cuda %s | FileCheck %s
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_75 %t.cu -o %t.sm_75.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_100 %t.cu -o %t.sm_100.cubin %}

// CHECK: extern "C" __global__ void routine_copy(const RoutineCopy copy) {
// CHECK: extern "C" __global__ void routine_determinants(const RoutineDeterminants of) {
// CHECK: extern "C" __global__ void routine_addresses(
// CHECK-NOT: routine_status
// CHECK: extern "C" const char *const determinants_kernels[] = {"routine_copy", "routine_determinants", "routine_addresses", nullptr};
func.func private @qn_det_f64(memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @determinants(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @qn_det_f64(%x, %y, %c0, %c0, %n, %n, %c1, %c1, %c0, %c0, %c1, %n, %n, %c1) : (memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}
