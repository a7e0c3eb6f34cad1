// CUDA: the grid shares out one parallel loop; what can't be shared out runs in one thread, whose program launches it so.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.sm_80.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_90 %t.cu -o %t.sm_90.cubin %}

// CHECK-NOT: #include
// CHECK:     #ifdef __CUDACC_RTC__
// CHECK-NOT: qn_context

// CHECK: template <typename T> __device__ inline T maximum(T a, T b)
// CHECK: alignas(64) static __device__ const double table[2] = {__builtin_bit_cast(double, 0x7FF0000000000000), 1.0};
memref.global "private" constant @table : memref<2xf64> = dense<[0x7FF0000000000000, 1.0]>

// CHECK:      // model.py:3
// CHECK-NEXT: extern "C" __global__ void elementwise(const double *__restrict__ x, double *__restrict__ y, int64_t n) {
// CHECK-NEXT:   #pragma unroll 1
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
// CHECK-NEXT:   #pragma unroll 1
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

// The last axis is x. A block may have as many threads as the kernel says.
// CHECK:      extern "C" __global__ void __launch_bounds__(256) axes(double *__restrict__ x, int64_t n) {
// CHECK-NEXT:   #pragma unroll 1
// CHECK-NEXT:   for (int64_t i = blockIdx.z * (int64_t)blockDim.z + threadIdx.z; i < 3; i += gridDim.z * (int64_t)blockDim.z) {
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int64_t j = 1 + (blockIdx.y * (int64_t)blockDim.y + threadIdx.y) * 2; j < n; j += gridDim.y * (int64_t)blockDim.y * 2) {
// CHECK-NEXT:       #pragma unroll 1
// CHECK-NEXT:       for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < n; k += gridDim.x * (int64_t)blockDim.x) {
// CHECK-NEXT:         x[(i * n + j) * n + k] = 0.0;
func.func private @axes(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel, block = 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i, %j, %k) = (%c0, %c1, %c0) to (%c3, %n, %n) step (%c1, %c2, %c1) {
    %a = arith.muli %i, %n : index
    %b = arith.addi %a, %j : index
    %c = arith.muli %b, %n : index
    %d = arith.addi %c, %k : index
    memref.store %zero, %x[%d] : memref<?xf64>
  }
  return
}

// CHECK:      extern "C" __global__ void serial(
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

// CHECK:      extern "C" __global__ void halves(const Float16 *__restrict__ x, Float16 *__restrict__ y, int16_t *__restrict__ z) {
// CHECK-NEXT:   y[0] = (Float16)((float)x[0] + 1.0f);
// CHECK-NEXT:   z[1] = z[0];
func.func private @halves(%x: memref<?xf16> {quernel.argument = #quernel.argument<"x", readonly>}, %y: memref<?xf16> {quernel.argument = #quernel.argument<"y">}, %z: memref<?xbf16> {quernel.argument = #quernel.argument<"z">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = memref.load %x[%c0] : memref<?xf16>
  %b = arith.extf %a : f16 to f32
  %c = arith.addf %b, %one : f32
  %d = arith.truncf %c : f32 to f16
  memref.store %d, %y[%c0] : memref<?xf16>
  %e = memref.load %z[%c0] : memref<?xbf16>
  memref.store %e, %z[%c1] : memref<?xbf16>
  return
}

// The program is C++ for the host.
// CHECK:      #else
// CHECK-NOT:  __global__
// CHECK:      extern "C" int32_t program(const qn_context *context, void *const *buffers, const int64_t *sizes) {
// CHECK-NEXT:   const int64_t n = sizes[0];
// CHECK-NEXT:   double *array = (double *)buffers[0];
// CHECK-NEXT:   const qn_device *device = (const qn_device *)context;
// CHECK-NEXT:   Temporary<double> temporary(context, n);
// CHECK-NEXT:   if (!temporary)
// CHECK-NEXT:     return 1;
// CHECK-NEXT:   if (int32_t code = launch<double *, int64_t>(device, 3 /* serial */, {1}, {1}, array, n))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   if (int32_t code = launch<const double *, double *, int64_t>(device, 0 /* elementwise */, {n}, {256}, array, temporary, n))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   if (int32_t code = launch<double *, int64_t>(device, 2 /* axes */, {n, n, 3}, {128, 4096}, array, n))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   double found;
// CHECK-NEXT:   if (int32_t code = read<double>(device, found, temporary + n))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   if (int32_t code = write<double>(device, found + 1.0, array))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   return 0;
// CHECK:      extern "C" const char *const program_kernels[] = {"elementwise", "stepped", "axes", "serial", "twice", "halves", nullptr};
func.func @program(%n: index, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %t = memref.alloc(%n) : memref<?xf64>
  quernel.launch @serial(%x, %n) turns %c1 block 1 : memref<?xf64>, index
  quernel.launch @elementwise(%x, %t, %n) turns %n block 256 : memref<?xf64>, memref<?xf64>, index
  quernel.launch @axes(%x, %n) turns %n, %n, %c3 block 128 shared 4096 : memref<?xf64>, index
  %e = quernel.read %t[%n] : memref<?xf64>
  %f = arith.addf %e, %one : f64
  quernel.write %f, %x[%c0] : memref<?xf64>
  memref.dealloc %t : memref<?xf64>
  return
}
