// Kernels that may take long ask whether the program has to stop, also within a step of a loop that threads share.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: quernel-translate --to-cuda %s | FileCheck %s --check-prefix=CUDA
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so

// The innermost loop counts its elements where it begins; the loop around it asks when enough are counted.
// CHECK-LABEL: static int32_t sums_range(
// CHECK-NEXT:   uint64_t turns = 0;
// CHECK-NEXT:   for (int64_t i = begin; i < end; ++i) {
// CHECK-NEXT:     for (int64_t j = i; j < n; ++j) {
// CHECK-NEXT:       if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT:         return code;
// CHECK-NEXT:       turns += m - (j);
// CHECK-NEXT:       for (int64_t k = j; k < m; ++k) {
// CHECK:        return 0;
// CUDA-LABEL: __global__ void sums(
// CUDA-NOT:   poll
func.func private @sums(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}, %m: index {quernel.argument = #quernel.argument<"m">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %i to %n step %c1 {
      scf.for %k = %j to %m step %c1 {
        %a = memref.load %x[%k] : memref<?xf64>
        memref.store %a, %x[%i] : memref<?xf64>
      }
    }
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 2>}
  return
}

// An innermost loop asks by itself where its turns are costly, and not where they are cheap.
// CHECK-LABEL: static int32_t functions_range(
// CHECK:        for (int64_t j = 0; j < n; ++j) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     x[j] = exp(x[i]);
// CHECK-NEXT:   }
// CHECK-NEXT:   for (int64_t j = 0; j < n; ++j) {
// CHECK-NEXT:     x[j] = x[i];
func.func private @functions(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<?xf64>
      %e = math.exp %a : f64
      memref.store %e, %x[%j] : memref<?xf64>
    }
    scf.for %j = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<?xf64>
      memref.store %a, %x[%j] : memref<?xf64>
    }
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 2>}
  return
}

// What is short on all accounts isn't counted; blocks of a long loop are, as a whole.
// CHECK-LABEL: static int32_t blocks_range(
// CHECK:        for (int64_t j = 0; j < 8; ++j) {
// CHECK-NEXT:     for (int64_t k = 0; k < 8; ++k) {
// CHECK:        for (int64_t j = 0; j < n; j += 16) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     for (int64_t k = j; k < j + 16; ++k) {
func.func private @blocks(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c8 step %c1 {
        memref.store %a, %x[%k] : memref<?xf64>
      }
    }
    scf.for %j = %c0 to %n step %c16 {
      %end = arith.addi %j, %c16 : index
      scf.for %k = %j to %end step %c1 {
        memref.store %a, %x[%k] : memref<?xf64>
      }
    }
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 2>}
  return
}
