// Checks in kernels: the first that fails leaves its error in the device's memory; the program asks for it where it waits
// for the device anyway, before an error of its own, and at its end.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.cubin %}

// CHECK:      extern "C" __global__ void picked(const double *__restrict__ x, const int64_t *__restrict__ at, double *__restrict__ y, int64_t n, Failure *first_failure) {
// CHECK-NEXT:   if (has_failed(first_failure))
// CHECK-NEXT:     return;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT:   for (int64_t i =
// CHECK:          if (!(at_value < n)) {
// CHECK-NEXT:       fail(first_failure, 16, at_value, n); // IndexError: index {0} is out of bounds for size {1}
// CHECK-NEXT:       return;
// CHECK-NEXT:     }
func.func private @picked(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %at: memref<?xi64> {quernel.argument = #quernel.argument<"at", readonly>}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %k = memref.load %at[%i] : memref<?xi64>
    %m = arith.index_cast %k : i64 to index
    %ok = arith.cmpi slt, %m, %n : index
    quernel.check %ok, %m, %n {exception = "IndexError", message = "index {0} is out of bounds for size {1}"} : i1, index, index
    %a = memref.load %x[%m] : memref<?xf64>
    memref.store %a, %y[%i] : memref<?xf64>
  }
  return
}

// CHECK:      Temporary<Failure> first_failure(context, 1);
// CHECK-NEXT: if (!first_failure)
// CHECK-NEXT:   return 1;
// CHECK-NEXT: if (int32_t code = write<Failure>(device, {}, first_failure))
// CHECK-NEXT:   return code;
// CHECK-NEXT: if (int32_t code = launch<const double *, const int64_t *, double *, int64_t, Failure *>(device, 0 /* picked */, {n}, {256}, array, at, y, n, first_failure))
// CHECK-NEXT:   return code;
// CHECK-NEXT: int64_t found;
// CHECK-NEXT: if (int32_t code = read<int64_t>(device, found, at))
// CHECK-NEXT:   return code;
// CHECK-NEXT: if (int32_t code = failed(device, first_failure))
// CHECK-NEXT:   return code;
// CHECK-NEXT: if (!(found < 3)) {
// CHECK-NEXT:   if (int32_t code = failed(device, first_failure))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   return fail(context, 17); // ValueError: no
// CHECK-NEXT: }
// CHECK-NEXT: if (int32_t code = failed(device, first_failure))
// CHECK-NEXT:   return code;
// CHECK-NEXT: return 0;
func.func @program(%n: index, %x: memref<?xf64>, %at: memref<?xi64> {quernel.argument = #quernel.argument<"at">}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"y">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  quernel.launch @picked(%x, %at, %y, %n) turns %n block 256 : memref<?xf64>, memref<?xi64>, memref<?xf64>, index
  %k = quernel.read %at[%c0] : memref<?xi64>
  %ok = arith.cmpi slt, %k, %c3 : i64
  quernel.check %ok {exception = "ValueError", message = "no"} : i1
  return
}
