// Atomic updates.
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_80 %t.cu -o %t.cubin %}

// CHECK:      extern "C" __global__ void updates(
// CHECK:        const int64_t k_value = k[i];
// CHECK-NEXT:   atomicAdd((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicAnd((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicOr((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicXor((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicMax((long long *)&x[k_value + 1], (long long)k_value);
// CHECK-NEXT:   atomicMin((long long *)&x[k_value], (long long)k_value);
// CHECK-NEXT:   atomicMax((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicMin((unsigned long long *)&x[k_value], (unsigned long long)k_value);
// CHECK-NEXT:   atomicAdd((unsigned *)&y[k_value], (unsigned)wrap_add(v, v));
// CHECK-NEXT:   atomicMax((int *)&y[k_value], (int)v);
// CHECK-NEXT: }
func.func private @updates(%k: memref<?xi64> {quernel.argument = #quernel.argument<"k", readonly>}, %x: memref<?xi64> {quernel.argument = #quernel.argument<"x">}, %y: memref<?xi32> {quernel.argument = #quernel.argument<"y">}, %v: i32 {quernel.argument = #quernel.argument<"v">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %e = memref.load %k[%i] : memref<?xi64>
    %p = arith.index_cast %e : i64 to index
    %q = arith.addi %p, %c1 : index
    %w = arith.addi %v, %v : i32
    %0 = memref.atomic_rmw addi %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %1 = memref.atomic_rmw andi %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %2 = memref.atomic_rmw ori %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %3 = memref.atomic_rmw xori %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %4 = memref.atomic_rmw maxs %e, %x[%q] : (i64, memref<?xi64>) -> i64
    %5 = memref.atomic_rmw mins %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %6 = memref.atomic_rmw maxu %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %7 = memref.atomic_rmw minu %e, %x[%p] : (i64, memref<?xi64>) -> i64
    %8 = memref.atomic_rmw addi %w, %y[%p] : (i32, memref<?xi32>) -> i32
    %9 = memref.atomic_rmw maxs %v, %y[%p] : (i32, memref<?xi32>) -> i32
    scf.reduce
  }
  return
}
