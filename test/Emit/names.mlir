// The user's names, made fit for C++: no keywords, no clashes with helpers, with each other or with what is around them.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o

// CHECK: // model.py:3: y = x
// CHECK-NEXT: // model.py:4
// CHECK-NEXT: static int32_t exp_(const double *__restrict double_, double *__restrict exp_1, int64_t a_b, int64_t a_b1, int64_t f64x8_, const qn_context *context) {
// CHECK-NEXT: uint64_t turns = 0;
func.func private @exp(%0: memref<?xf64> {quernel.argument = #quernel.argument<"double", readonly>}, %1: memref<?xf64> {quernel.argument = #quernel.argument<"exp">}, %2: index {quernel.argument = #quernel.argument<"a.b">}, %3: index {quernel.argument = #quernel.argument<"__a__b">}, %4: index {quernel.argument = #quernel.argument<"f64x8">})
    attributes {quernel.function = #quernel.function<kernel, lines = ["model.py:3", "model.py:4"], source = ["y = x \\\n"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  // Names are free again when their scope ends.
  // CHECK-NEXT: for (int64_t i = 0; i < a_b; ++i) {
  // CHECK-NEXT:   if (int32_t code = poll(context, turns, 16))
  // CHECK-NEXT:     return code;
  // CHECK-NEXT:   const double value = double_[i];
  // CHECK-NEXT:   exp_1[i] = value + exp(value);
  scf.for %i = %c0 to %2 step %c1 {
    %x = memref.load %0[%i] : memref<?xf64> loc("value"("model.py":3:1))
    %e = math.exp %x : f64
    %y = arith.addf %x, %e : f64
    memref.store %y, %1[%i] : memref<?xf64>
  }
  // CHECK:      for (int64_t i = 0; i < a_b1; ++i) {
  // CHECK-NEXT:   const double value = double_[i];
  scf.for %i = %c0 to %3 step %c1 {
    %x = memref.load %0[%i] : memref<?xf64> loc(fused["model.py":3:1, "value"])
    %y = arith.addf %x, %x : f64
    memref.store %y, %1[%i] : memref<?xf64>
  }
  // CHECK:      double total = 0.0;
  // CHECK-NEXT: for (int64_t row = 0; row < f64x8_; ++row) {
  // CHECK-NEXT:   total += double_[row];
  // CHECK-NEXT: }
  // CHECK-NEXT: exp_1[0] = total;
  %r = "scf.for"(%c0, %4, %c1, %zero) ({
  ^bb0(%row: index loc("row"), %total: f64 loc("total")):
    %x = memref.load %0[%row] : memref<?xf64>
    %next = arith.addf %total, %x : f64
    scf.yield %next : f64
  }) : (index, index, index, f64) -> f64
  memref.store %r, %1[%c0] : memref<?xf64>
  return
}

// A program keeps its name, since it is called from outside.
// CHECK: extern "C" int32_t context_(const qn_context *context,
// CHECK-NEXT: const int64_t n = sizes[0];
// CHECK-NEXT: const double *context_1 = (const double *)buffers[0];
// CHECK-NEXT: double *threads = (double *)buffers[1];
// CHECK-NEXT: if (int32_t code = exp_(context_1, threads, n, n, n, context))
// CHECK-NEXT:   return code;
func.func @context_(%n: index, %x: memref<?xf64> {quernel.argument = #quernel.argument<"context">}, %y: memref<?xf64> {quernel.argument = #quernel.argument<"threads">}) attributes {quernel.function = #quernel.function<program>} {
  func.call @exp(%x, %y, %n, %n, %n) : (memref<?xf64>, memref<?xf64>, index, index, index) -> ()
  return
}
