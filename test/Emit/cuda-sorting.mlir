// Routines that kernels of ours compute on a device: these are printed once for each type of elements, behind the
// module's own in the list, and the program calls the function that launches them. Others the runtime computes.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: FileCheck %s --check-prefix=ONCE < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_75 %t.cu -o %t.sm_75.cubin %}
// RUN: %if nvrtc %{ quernel-compile --target=sm_100 %t.cu -o %t.sm_100.cubin %}

func.func private @qn_sort_f64(memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_sort_stable_f64(memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_argsort_c128(memref<?xf64>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_argsort_stable_b8(memref<?xi1>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_partition_u16(memref<?xi16>, memref<?xi64>, memref<?xi16>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func private @qn_introselect_f64(memref<?xf64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}

// ONCE-COUNT-1: inline void sort_each_tile(
// ONCE-NOT:     inline void sort_each_tile(
// ONCE-COUNT-1: {{^}}sort_tiles_f64(
// ONCE-NOT:     {{^}}sort_tiles_f64(

// CHECK:      template <class T> __device__ inline bool comes_before(const T &a, const T &b)
// CHECK:      extern "C" __global__ void __launch_bounds__(256)
// CHECK-NEXT: sort_tiles_f64(const double *values, int64_t values_row, int64_t values_step, double *sorted, int64_t *places,
// CHECK:        __shared__ double tile[sort_tile];
// CHECK:        sort_each_tile<false>(tile,
// CHECK:      sort_merge_f64(const double *values, const int64_t *values_places, double *sorted, int64_t *places,
// CHECK:        merge_each_run<false>(tile,
// CHECK:      argsort_tiles_c128(const ComplexPair<double> *values,
// CHECK:        sort_each_tile<true>(tile,
// CHECK:      argsort_tiles_b8(const uint8_t *values,
// CHECK:      sort_tiles_u16_1(const uint16_t *values,

// The module has a kernel of that name.
// CHECK:      extern "C" __global__ void sort_tiles_u16(
// CHECK:      #else
// CHECK-NOT:  __global__
func.func private @sort_tiles_u16(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  memref.store %zero, %x[%c0] : memref<?xf64>
  return
}

// CHECK:      extern "C" int32_t program(
// CHECK:        if (int32_t code = sort_lines(device, 1 /* sort_tiles_f64 */, 8, {m, n, 1, 1}, {n, 1, 0, n, -1, 0}, x, y))
// CHECK-NEXT:     return fail(context, 16, code);
// CHECK-NEXT:   if (int32_t code = sort_lines(device, 1 /* sort_tiles_f64 */, 8, {1, n, 1, 1}, {0, 1, 0, 0, 1, 0}, x + n, y))
// CHECK-NEXT:     return fail(context, 17, code);
// CHECK-NEXT:   if (int32_t code = argsort_lines(device, 3 /* argsort_tiles_c128 */, 16, {1, n, 1, 1}, {0, 1, 0, 0, 1, 0}, z + n * 2, places))
// CHECK:        if (int32_t code = argsort_lines(device, 5 /* argsort_tiles_b8 */, 1, {1, n, 1, 1}, {0, 1, 0, 0, 1, 0}, b, places))
// CHECK:        if (int32_t code = partition_lines(device, 7 /* sort_tiles_u16_1 */, 2, {1, n, 3, 1}, {0, 1, 0, 0, 1, 0, 0, 1, 0}, u, places, v))
// CHECK:        if (int32_t code = call(context, {{[0-9]+}} /* introselect */, 1 /* f64 */,
// CHECK:      extern "C" const char *const program_kernels[] = {"sort_tiles_u16", "sort_tiles_f64", "sort_merge_f64", "argsort_tiles_c128", "argsort_merge_c128", "argsort_tiles_b8", "argsort_merge_b8", "sort_tiles_u16_1", "sort_merge_u16", nullptr};
func.func @program(%m: index {quernel.argument = #quernel.argument<"m">}, %n: index {quernel.argument = #quernel.argument<"n">}, %x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}, %z: memref<?xf64> {quernel.argument = #quernel.argument<"z">}, %b: memref<?xi1> {quernel.argument = #quernel.argument<"b">}, %u: memref<?xi16> {quernel.argument = #quernel.argument<"u">}, %v: memref<?xi16> {quernel.argument = #quernel.argument<"v">}, %places: memref<?xi64> {quernel.argument = #quernel.argument<"places">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %back = arith.constant -1 : index
  quernel.launch @sort_tiles_u16(%x) turns %c1 block 1 : memref<?xf64>
  func.call @qn_sort_f64(%x, %y, %c0, %c0, %n, %c1, %c0, %n, %back, %c0, %m, %n, %c1, %c1) : (memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_sort_stable_f64(%x, %y, %n, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c1, %c1) : (memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_argsort_c128(%z, %places, %n, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c1, %c1) : (memref<?xf64>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_argsort_stable_b8(%b, %places, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c1, %c1) : (memref<?xi1>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_partition_u16(%u, %places, %v, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c3, %c1) : (memref<?xi16>, memref<?xi64>, memref<?xi16>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  func.call @qn_introselect_f64(%x, %places, %y, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c3, %c1) : (memref<?xf64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}
