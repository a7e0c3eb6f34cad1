// CUDA: the grid shares out one parallel loop; what can't be shared out runs in one thread.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.sm_80.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_90 %t.cu -o %t.sm_90.cubin %}

// CHECK-NOT: #include
// CHECK-NOT: qn_context

// CHECK: template <typename T> __device__ inline T maximum(T a, T b)
// CHECK: alignas(64) static __device__ const double table[2] = {__builtin_bit_cast(double, 0x7FF0000000000000), 1.0};
memref.global "private" constant @table : memref<2xf64> = dense<[0x7FF0000000000000, 1.0]>

// CHECK:      // model.py:3
// CHECK-NEXT: extern "C" __global__ void elementwise(const double *__restrict__ x, double *__restrict__ y, int64_t n) {
// CHECK-NEXT:   for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (int64_t)blockDim.x) {
// CHECK-NEXT:     y[i] = maximum(exp(x[i]), table[0]);
func.func private @elementwise(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel, lines = ["model.py:3"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %constant = memref.get_global @table : memref<2xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    %e = math.exp %a : f64
    %t = memref.load %constant[%c0] : memref<2xf64>
    %m = arith.maximumf %e, %t : f64
    memref.store %m, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<grain = 1000>}
  return
}

// CHECK:      extern "C" __global__ void stepped(
// CHECK-NEXT:   for (int64_t i = 1 + (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * 2; i < n; i += gridDim.x * (int64_t)blockDim.x * 2) {
func.func private @stepped(%x: memref<?xf32> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c1) to (%n) step (%c2) {
    %a = memref.load %x[%i] : memref<?xf32>
    %s = math.sqrt %a : f32
    %b = arith.bitcast %s : f32 to i32
    %f = arith.sitofp %b : i32 to f32
    memref.store %f, %x[%i] : memref<?xf32>
  }
  return
}

// CHECK:      extern "C" __global__ void serial(
// CHECK-NEXT:   if (blockIdx.x != 0 || threadIdx.x != 0)
// CHECK-NEXT:     return;
// CHECK-NEXT:   double sum = 0.0;
func.func private @serial(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
    %a = memref.load %x[%i] : memref<?xf64>
    %t = arith.addf %s, %a : f64
    scf.yield %t : f64
  }
  memref.store %r, %x[%c0] : memref<?xf64>
  return
}

// The second loop reads what other threads write in the first one, and a grid has no barrier.
// CHECK:      extern "C" __global__ void twice(
// CHECK-NEXT:   if (blockIdx.x != 0 || threadIdx.x != 0)
// CHECK-NEXT:     return;
// CHECK-NEXT:   for (int64_t i = 0; i < n; ++i) {
func.func private @twice(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%c0] : memref<?xf64>
    memref.store %a, %x[%i] : memref<?xf64>
  }
  return
}

// CHECK:      // program launches, one after the other:
// CHECK-NEXT: //   serial(array)
// CHECK-NEXT: //   elementwise(array, temporary)
func.func @program(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %t = memref.alloc(%n) : memref<?xf64>
  func.call @serial(%x, %n) : (memref<?xf64>, index) -> ()
  func.call @elementwise(%x, %t, %n) : (memref<?xf64>, memref<?xf64>, index) -> ()
  memref.dealloc %t : memref<?xf64>
  return
}
