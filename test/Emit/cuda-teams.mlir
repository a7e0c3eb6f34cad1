// Workers: parts of a block that share a turn of the grid, which has a block for itself.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.cubin %}

// CHECK:      extern "C" __global__ void sums(const double *__restrict__ x, double *__restrict__ y, int64_t n) {
// CHECK-NEXT:   const int64_t lane = threadIdx.x % 16;
// CHECK-NEXT:   const int64_t worker = threadIdx.x / 16;
// CHECK-NEXT:   const int64_t workers = blockDim.x / 16;
// CHECK-NEXT:   #pragma unroll 1
// CHECK-NEXT:   for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
// CHECK-NEXT:     __shared__ double terms[64];
// CHECK-NEXT:     for (int64_t j = worker; j < 4; j += workers) {
// CHECK-NEXT:       const int64_t at = j * 16 + lane;
// CHECK-NEXT:       terms[at] = x[at];
// CHECK-NEXT:     }
// CHECK-NEXT:     __syncthreads();
// What is loaded between barriers stays there.
// CHECK-NEXT:     const double terms_value = terms[lane];
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     y[i] = terms_value;
func.func private @sums(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %lane = quernel.lane of 16 loc("lane")
  %worker, %workers = quernel.worker of 16 most 64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %terms = memref.alloca() : memref<64xf64, 3> loc("terms")
    scf.for %k = %worker to %c4 step %workers {
      %first = arith.muli %k, %c16 : index
      %at = arith.addi %first, %lane : index
      %e = memref.load %x[%at] : memref<?xf64>
      memref.store %e, %terms[%at] : memref<64xf64, 3>
    }
    quernel.barrier
    %all = memref.load %terms[%lane] : memref<64xf64, 3>
    quernel.barrier
    memref.store %all, %y[%i] : memref<?xf64>
  }
  return
}

// More than a kernel may declare its launch asks for. So few blocks have room on a multiprocessor that each has more
// threads.
// CHECK:      extern "C" __global__ void long_rows(const float *__restrict__ x, float *__restrict__ y) {
// CHECK-NEXT:   extern __shared__ __align__(16) char shared_memory[];
// CHECK:        float *const row = (float *)shared_memory; // 16384 elements
// CHECK-NEXT:   double *const told = (double *)(shared_memory + 65536); // 33 elements
// CHECK:        launch<const double *, double *, int64_t>(device, 0 /* sums */, {at}, {1024, 0, 16, 128}, x, y, n)
// CHECK:        launch<const float *, float *>(device, 1 /* long_rows */, {at}, {1024, 65808, 16, 1024}, z, z1)
func.func private @long_rows(%x: memref<?xf32> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf32> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %lane = quernel.lane of 16 loc("lane")
  %worker, %workers = quernel.worker of 16 most 64
  %row = memref.alloca() : memref<16384xf32, 3> loc("row")
  %told = memref.alloca() : memref<33xf64, 3> loc("told")
  %at = arith.addi %worker, %lane : index
  %e = memref.load %x[%at] : memref<?xf32>
  memref.store %e, %row[%at] : memref<16384xf32, 3>
  quernel.barrier
  %again = memref.load %row[%lane] : memref<16384xf32, 3>
  %wide = arith.extf %again : f32 to f64
  memref.store %wide, %told[%c0] : memref<33xf64, 3>
  memref.store %again, %y[%lane] : memref<?xf32>
  return
}
func.func @f(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}, %z: memref<?xf32> {quernel.argument = #quernel.argument<"z", readonly>}, %z1: memref<?xf32> {quernel.argument = #quernel.argument<"z1">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<program>} {
  %c16 = arith.constant 16 : index
  %threads = arith.muli %n, %c16 : index
  quernel.launch @sums(%x, %y, %n) turns %threads block 1024 worker 16 : memref<?xf64>, memref<?xf64>, index
  quernel.launch @long_rows(%z, %z1) turns %threads block 1024 worker 16 shared 65808 : memref<?xf32>, memref<?xf32>
  return
}
