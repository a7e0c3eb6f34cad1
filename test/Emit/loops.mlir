// Loops, branches and what they carry.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so
// RUN: %python %S/Inputs/loops.py %t.so
// RUN: quernel-compile --library=%libomp %t.cpp -o %t.so
// RUN: %python %S/Inputs/loops.py %t.so

// Two variables that take each other's values need a third one.
// CHECK-LABEL: static void swap(
// CHECK:       double [[A:.*]] = array[0];
// CHECK-NEXT:  double [[B:.*]] = array[1];
// CHECK-NEXT:  for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:    const double [[NEXT:.*]] = [[A]];
// CHECK-NEXT:    [[A]] = [[B]];
// CHECK-NEXT:    [[B]] = [[NEXT]];
// CHECK-NEXT:  }
// CHECK-NEXT:  array[0] = [[A]];
// CHECK-NEXT:  array[1] = [[B]];
func.func private @swap(%array: memref<?xf64> {quernel.argument = #quernel.argument<"array">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %array[%c0] : memref<?xf64>
  %y = memref.load %array[%c1] : memref<?xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f64, f64) {
    scf.yield %b, %a : f64, f64
  }
  memref.store %r#0, %array[%c0] : memref<?xf64>
  memref.store %r#1, %array[%c1] : memref<?xf64>
  return
}

// Where one follows the other, one new value is enough.
// CHECK-LABEL: static void fibonacci(
// CHECK:       for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:    array[i] = [[B:.*]];
// CHECK-NEXT:    const int64_t [[NEXT:.*]] = wrap_add([[A:.*]], [[B]]);
// CHECK-NEXT:    [[A]] = [[B]];
// CHECK-NEXT:    [[B]] = [[NEXT]];
func.func private @fibonacci(%array: memref<?xi64> {quernel.argument = #quernel.argument<"array">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %one) -> (i64, i64) {
    %next = arith.addi %a, %b : i64
    memref.store %b, %array[%i] : memref<?xi64>
    scf.yield %b, %next : i64, i64
  }
  return
}

// A load stays where it is if a store may come between it and its use.
// CHECK-LABEL: static void reverse(
// CHECK:       const double [[FIRST:.*]] = array[i];
// CHECK-NEXT:  array[i] = array[n - 1 - i];
// CHECK-NEXT:  array[n - 1 - i] = [[FIRST]];
func.func private @reverse(%array: memref<?xf64> {quernel.argument = #quernel.argument<"array">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.divsi %n, %c2 : index
  scf.for %i = %c0 to %half step %c1 {
    %x = memref.load %array[%i] : memref<?xf64>
    %m0 = arith.subi %n, %c1 : index
    %j0 = arith.subi %m0, %i : index
    %y = memref.load %array[%j0] : memref<?xf64>
    memref.store %y, %array[%i] : memref<?xf64>
    %m1 = arith.subi %n, %c1 : index
    %j1 = arith.subi %m1, %i : index
    memref.store %x, %array[%j1] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: static void branch(
// CHECK:       double clipped;
// CHECK-NEXT:  if (x > 1.0) {
// CHECK-NEXT:    clipped = 1.0;
// CHECK-NEXT:  } else {
// CHECK-NEXT:    clipped = x * 0.5;
// CHECK-NEXT:  }
// CHECK-NEXT:  array[i] = clipped;
// CHECK-NEXT:  if (i == 0) {
// CHECK-NEXT:    array[i] = 7.0;
// CHECK-NEXT:  }
func.func private @branch(%array: memref<?xf64> {quernel.argument = #quernel.argument<"array">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %seven = arith.constant 7.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %array[%i] : memref<?xf64> loc("x")
    %big = arith.cmpf ogt, %x, %one : f64
    %r = scf.if %big -> f64 {
      scf.yield %one : f64
    } else {
      %h = arith.mulf %x, %half : f64
      scf.yield %h : f64
    } loc("clipped")
    memref.store %r, %array[%i] : memref<?xf64>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %seven, %array[%i] : memref<?xf64>
    }
  }
  return
}

// Parallel sweeps in a sequential loop: Jacobi's method. Both keep the pointers and sizes that they need.
// CHECK-LABEL: {{.*}}static void jacobi_range(
// CHECK-SAME:    double *__restrict a, double *__restrict b, int64_t n, int64_t begin, int64_t end) {
// CHECK-NEXT:  for (int64_t j = begin; j < end; ++j) {
// CHECK-NEXT:    b[j] = (a[j - 1] + a[j + 1]) / (double)n;
// CHECK:       {{.*}}static void jacobi_range1(
// CHECK-SAME:    double *__restrict a, double *__restrict b, int64_t begin, int64_t end) {
// CHECK-NEXT:  for (int64_t j = begin; j < end; ++j) {
// CHECK-NEXT:    a[j] = b[j];
// CHECK:       static int32_t jacobi(double *__restrict a, double *__restrict b, int64_t n, int64_t steps, const qn_context *context) {
// CHECK:       for (int64_t i = 0; i < steps; ++i) {
// CHECK-NEXT:    if (int32_t code = parallel_for(1, n - 1, 1, 100, context, [&](int64_t begin, int64_t end) {
// CHECK-NEXT:          jacobi_range(a, b, n, begin, end);
// CHECK-NEXT:          return 0;
// CHECK-NEXT:        }))
// CHECK-NEXT:      return code;
// CHECK-NEXT:    if (int32_t code = parallel_for(1, n - 1, 1, 100, context, [&](int64_t begin, int64_t end) {
// CHECK-NEXT:          jacobi_range1(a, b, begin, end);
// CHECK-NEXT:          return 0;
// CHECK-NEXT:        }))
// CHECK-NEXT:      return code;
// CHECK-NEXT:  }
func.func private @jacobi(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a">}, %b: memref<?xf64> {quernel.argument = #quernel.argument<"b">}, %n: index {quernel.argument = #quernel.argument<"n">}, %steps: index {quernel.argument = #quernel.argument<"steps">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  scf.for %t = %c0 to %steps step %c1 {
    %last = arith.addi %n, %m1 : index
    scf.parallel (%i) = (%c1) to (%last) step (%c1) {
      %left = arith.addi %i, %m1 : index
      %right = arith.addi %i, %c1 : index
      %x = memref.load %a[%left] : memref<?xf64>
      %y = memref.load %a[%right] : memref<?xf64>
      %s = arith.addf %x, %y : f64
      %ni = arith.index_cast %n : index to i64
      %nf = arith.sitofp %ni : i64 to f64
      %q = arith.divf %s, %nf : f64
      memref.store %q, %b[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<grain = 100>}
    %last2 = arith.addi %n, %m1 : index
    scf.parallel (%i) = (%c1) to (%last2) step (%c1) {
      %x = memref.load %b[%i] : memref<?xf64>
      memref.store %x, %a[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<grain = 100>}
  }
  return
}

// A sequential loop in a parallel one; a parallel one inside that runs in its thread. A short one starts no threads.
// CHECK-LABEL: {{.*}}static void rows_range(
// CHECK:       for (int64_t i = begin; i < end; ++i) {
// CHECK-NEXT:    double sum = 0.0;
// CHECK-NEXT:    for (int64_t j = 0; j < 16; ++j) {
// CHECK-NEXT:      sum += a[i * 16 + j];
// CHECK-NEXT:    }
// CHECK-NEXT:    for (int64_t j = 0; j < 16; ++j) {
// CHECK-NEXT:      a[i * 16 + j] = sum;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK:       static int32_t rows(
// CHECK:       parallel_for(0, n, 1, 1, context,
// CHECK:       for (int64_t i = 0; i < 4; ++i) {
// CHECK-NEXT:    a[i] = 0.0;
func.func private @rows(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %total = scf.for %j = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> f64 {
      %row = arith.muli %i, %c16 : index
      %at = arith.addi %row, %j : index
      %x = memref.load %a[%at] : memref<?xf64>
      %next = arith.addf %sum, %x : f64
      scf.yield %next : f64
    }
    scf.parallel (%j) = (%c0) to (%c16) step (%c1) {
      %row = arith.muli %i, %c16 : index
      %at = arith.addi %row, %j : index
      memref.store %total, %a[%at] : memref<?xf64>
    }
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %zero, %a[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<grain = 1000>}
  return
}

func.func @program(%n: index, %steps: index, %f: memref<?xi64>, %r: memref<?xf64>, %s: memref<?xf64>, %b: memref<?xf64>, %j: memref<?xf64>, %k: memref<?xf64>, %rows: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  func.call @fibonacci(%f, %n) : (memref<?xi64>, index) -> ()
  func.call @reverse(%r, %n) : (memref<?xf64>, index) -> ()
  func.call @swap(%s, %steps) : (memref<?xf64>, index) -> ()
  func.call @branch(%b, %n) : (memref<?xf64>, index) -> ()
  func.call @jacobi(%j, %k, %n, %steps) : (memref<?xf64>, memref<?xf64>, index, index) -> ()
  func.call @rows(%rows, %n) : (memref<?xf64>, index) -> ()
  return
}
