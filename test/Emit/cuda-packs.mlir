// Packs: what a thread of a device loads and stores at once.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.cubin %}

// CHECK:      extern "C" __global__ void scaled(const float *__restrict__ x, float *__restrict__ y, int64_t n, int64_t m) {
// CHECK-NEXT:   #pragma unroll 1
// CHECK-NEXT:   for (int64_t i = blockIdx.y * (int64_t)blockDim.y + threadIdx.y; i < n; i += gridDim.y * (int64_t)blockDim.y) {
// CHECK-NEXT:     const int64_t row = i * m;
// CHECK-NEXT:     const int64_t whole = pack_turns<4>(m, x + row, y + row);
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int64_t j = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * 4; j < whole; j += gridDim.x * (int64_t)blockDim.x * 4) {
// CHECK-NEXT:       alignas(16) float x4[4];
// CHECK-NEXT:       const int64_t at = row + j;
// CHECK-NEXT:       copy_pack<4>(x4, x + at);
// CHECK-NEXT:       #pragma unroll
// CHECK-NEXT:       for (int64_t k = 0; k < 4; ++k) {
// CHECK-NEXT:         x4[k] = x4[k] * 2.0f;
// CHECK-NEXT:       }
// CHECK-NEXT:       copy_pack<4>(y + at, x4);
// CHECK-NEXT:     }
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int64_t j = whole + blockIdx.x * (int64_t)blockDim.x + threadIdx.x; j < m; j += gridDim.x * (int64_t)blockDim.x) {
func.func private @scaled(%x: memref<?xf32> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf32> {quernel.argument = #quernel.argument<"y">}, %n: index {quernel.argument = #quernel.argument<"n">}, %m: index {quernel.argument = #quernel.argument<"m">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %i, %m : index loc("row")
    %whole = quernel.pack_turns %m by 4 of %x, %y at %row, %row : memref<?xf32>, memref<?xf32>
    scf.parallel (%j) = (%c0) to (%whole) step (%c4) {
      %pack = memref.alloca() {alignment = 16} : memref<4xf32> loc("x4")
      %at = arith.addi %row, %j : index
      quernel.copy_pack 4 of %x[%at] to %pack[%c0] : memref<?xf32> to memref<4xf32>
      scf.for %k = %c0 to %c4 step %c1 {
        %a = memref.load %pack[%k] : memref<4xf32>
        %b = arith.mulf %a, %two : f32
        memref.store %b, %pack[%k] : memref<4xf32>
      } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
      quernel.copy_pack 4 of %pack[%c0] to %y[%at] : memref<4xf32> to memref<?xf32>
    } {quernel.schedule = #quernel.schedule<vector = parallel>}
    scf.parallel (%j) = (%whole) to (%m) step (%c1) {
      %at = arith.addi %row, %j : index
      %a = memref.load %x[%at] : memref<?xf32>
      %b = arith.mulf %a, %two : f32
      memref.store %b, %y[%at] : memref<?xf32>
    }
  }
  return
}
