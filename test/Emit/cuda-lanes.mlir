// Lanes: neighbouring threads that share a turn of the grid.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.cubin %}

// CHECK:      extern "C" __global__ void sums(const double *__restrict__ x, bool *__restrict__ y, int64_t n) {
// CHECK-NEXT:   const int64_t lane = threadIdx.x % 16;
// CHECK-NEXT:   #pragma unroll 1
// CHECK-NEXT:   for (int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 16; i < n; i += gridDim.x * (int64_t)blockDim.x / 16) {
// CHECK-NEXT:     const double x_value = x[i * 16 + lane];
// CHECK-NEXT:     const double from = __shfl_down_sync(lanes_mask<16>(), x_value, 8, 16);
// CHECK-NEXT:     const double from1 = __shfl_sync(lanes_mask<16>(), x_value + from, 2, 16);
// CHECK-NEXT:     const bool from2 = (bool)__shfl_sync(lanes_mask<16>(), (int)(from1 < x_value), 0, 16);
// CHECK-NEXT:     __syncwarp(lanes_mask<16>());
// CHECK-NEXT:     y[i] = from2;
func.func private @sums(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xi1> {quernel.argument = #quernel.argument<"y">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %lane = quernel.lane of 16 loc("lane")
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %first = arith.muli %i, %c16 : index
    %at = arith.addi %first, %lane : index
    %e = memref.load %x[%at] : memref<?xf64>
    %behind = quernel.lane_behind %e by 8 of 16 : f64
    %t = arith.addf %e, %behind : f64
    %value = quernel.lane_value %t at 2 of 16 : f64
    %less = arith.cmpf olt, %value, %e : f64
    %any = quernel.lane_value %less at 0 of 16 : i1
    quernel.join_lanes of 16
    memref.store %any, %y[%i] : memref<?xi1>
  }
  return
}

// A row of each turn that a block has, as many as there is memory for.
// CHECK:      extern "C" __global__ void rows(const double *__restrict__ x, double *__restrict__ y) {
// CHECK-NEXT:   const int64_t lane = threadIdx.x % 32;
// CHECK-NEXT:   #pragma unroll 1
// CHECK-NEXT:   for (int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32; i < 5; i += gridDim.x * (int64_t)blockDim.x / 32) {
// CHECK-NEXT:     __shared__ double kept_of_turns[4][1500];
// CHECK-NEXT:     double *const kept = kept_of_turns[thread_of_block() / 32];
// CHECK-NEXT:     kept[lane] = x[lane];
// CHECK-NEXT:     y[i] = kept[lane];
func.func private @rows(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %lane = quernel.lane of 32 loc("lane")
  scf.parallel (%i) = (%c0) to (%c5) step (%c1) {
    %row = memref.alloca() : memref<1500xf64, 3> loc("kept")
    %e = memref.load %x[%lane] : memref<?xf64>
    memref.store %e, %row[%lane] : memref<1500xf64, 3>
    %kept = memref.load %row[%lane] : memref<1500xf64, 3>
    memref.store %kept, %y[%i] : memref<?xf64>
  }
  return
}
// One thread, and so one row.
// CHECK:      extern "C" __global__ void one(double *__restrict__ y) {
// CHECK-NEXT:   __shared__ double row[3];
func.func private @one(%y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %row = memref.alloca() : memref<3xf64, 3>
  %e = memref.load %y[%c0] : memref<?xf64>
  memref.store %e, %row[%c0] : memref<3xf64, 3>
  return
}
