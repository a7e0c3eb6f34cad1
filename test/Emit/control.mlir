// Programs with loops and branches of their own: temporaries in every block, checks, and turns that ask whether to stop.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so
// RUN: %python %S/Inputs/control.py %t.so
// RUN: quernel-compile --library=%libomp %t.cpp -o %t.so
// RUN: %python %S/Inputs/control.py %t.so

// A kernel with a check gives a code; its threads end their parts.
// CHECK-LABEL: static int32_t pick_range(const qn_context *context, const double *__restrict X, const int64_t *__restrict at, double *__restrict out, int64_t n, int64_t begin, int64_t end) {
// CHECK-NEXT:   for (int64_t i = begin; i < end; ++i) {
// CHECK-NEXT:     const int64_t at_value = at[i];
// CHECK-NEXT:     if (!(at_value < n))
// CHECK-NEXT:       return fail(context, 16, at_value, n); // IndexError: index {0} is out of bounds for axis 0 with size {1}
// CHECK-NEXT:     out[i] = X[at_value];
// CHECK-NEXT:   }
// CHECK-NEXT:   return 0;
// CHECK-NEXT: }
// CHECK:      static int32_t pick(const double *__restrict X, const int64_t *__restrict at, double *__restrict out, int64_t n, int64_t m, const qn_context *context) {
// CHECK-NEXT:   if (int32_t code = parallel_for(0, m, 1, 2, context, [&](int64_t begin, int64_t end) {
// CHECK-NEXT:         return pick_range(context, X, at, out, n, begin, end);
// CHECK-NEXT:       }))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   return 0;
// CHECK-NEXT: }
func.func private @pick(%X: memref<?xf64> {quernel.argument = #quernel.argument<"X", readonly>}, %at: memref<?xi64> {quernel.argument = #quernel.argument<"at", readonly>}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}, %n: index {quernel.argument = #quernel.argument<"n">}, %m: index {quernel.argument = #quernel.argument<"m">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %k = memref.load %at[%i] : memref<?xi64>
    %j = arith.index_cast %k : i64 to index
    %ok = arith.cmpi slt, %j, %n : index
    quernel.check %ok, %j, %n {exception = "IndexError", message = "index {0} is out of bounds for axis 0 with size {1}"} : i1, index, index
    %x = memref.load %X[%j] : memref<?xf64>
    memref.store %x, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 2>}
  return
}

// A loop that calls kernels asks in every turn; its temporary lives for a turn.
// CHECK-LABEL: extern "C" int32_t steps(
// CHECK:        for (int64_t i = 0; i < steps1; ++i) {
// CHECK-NEXT:     if (int32_t code = context->poll())
// CHECK-NEXT:       return code;
// CHECK-NEXT:     Temporary<double> scratch(context, n);
// CHECK-NEXT:     if (!scratch)
// CHECK-NEXT:       return 1;
// CHECK-NEXT:     if (int32_t code = pick(X, at, scratch, n, n, context))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     if (int32_t code = pick(scratch, at, X, n, n, context))
// CHECK-NEXT:       return code;
// CHECK-NEXT:   }
// CHECK-NEXT:   return 0;
func.func @steps(%n: index {quernel.argument = #quernel.argument<"n">}, %steps: i64 {quernel.argument = #quernel.argument<"steps">}, %X: memref<?xf64> {quernel.argument = #quernel.argument<"X">}, %at: memref<?xi64> {quernel.argument = #quernel.argument<"at">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %steps : i64 to index
  scf.for %t = %c0 to %end step %c1 {
    %scratch = memref.alloc(%n) : memref<?xf64> loc("scratch")
    func.call @pick(%X, %at, %scratch, %n, %n) : (memref<?xf64>, memref<?xi64>, memref<?xf64>, index, index) -> ()
    func.call @pick(%scratch, %at, %X, %n, %n) : (memref<?xf64>, memref<?xi64>, memref<?xf64>, index, index) -> ()
    memref.dealloc %scratch : memref<?xf64>
  }
  return
}

// A while loop over numbers: the condition stands in its head.
// CHECK-LABEL: extern "C" int32_t collatz(
// CHECK:        uint64_t turns = 0;
// CHECK-NEXT:   int64_t k = start;
// CHECK-NEXT:   int64_t count = 0;
// CHECK-NEXT:   while (k != 1) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     int64_t next;
// CHECK-NEXT:     if (k % 2 == 0) {
// CHECK-NEXT:       next = k / 2;
// CHECK-NEXT:     } else {
// CHECK-NEXT:       next = wrap_add(wrap_mul(k, 3), 1);
// CHECK-NEXT:     }
// CHECK-NEXT:     k = next;
// CHECK-NEXT:     count = wrap_add(count, 1);
// CHECK-NEXT:   }
// CHECK-NEXT:   out[0] = count;
func.func @collatz(%start: i64 {quernel.argument = #quernel.argument<"start">}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %i3 = arith.constant 3 : i64
  %r:2 = scf.while (%k = %start, %count = %i0) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi ne, %k, %i1 : i64
    scf.condition(%go) %k, %count : i64, i64
  } do {
  ^bb0(%k: i64 loc("k"), %count: i64 loc("count")):
    %rest = arith.remsi %k, %i2 : i64
    %even = arith.cmpi eq, %rest, %i0 : i64
    %next = scf.if %even -> (i64) {
      %half = arith.divsi %k, %i2 : i64
      scf.yield %half : i64
    } else {
      %triple = arith.muli %k, %i3 : i64
      %more = arith.addi %triple, %i1 : i64
      scf.yield %more : i64
    } loc("next")
    %count1 = arith.addi %count, %i1 : i64
    scf.yield %next, %count1 : i64, i64
  }
  memref.store %r#1, %out[%c0] : memref<?xi64>
  return
}

// What the condition computes and hands on has a variable; the loop is left in its middle.
// CHECK-LABEL: extern "C" int32_t find(
// CHECK:        int64_t i = 0;
// CHECK-NEXT:   double found;
// CHECK-NEXT:   while (true) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 16))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     const double x = X[i];
// CHECK-NEXT:     found = x;
// CHECK-NEXT:     if (!(x < limit))
// CHECK-NEXT:       break;
// CHECK-NEXT:     i += 1;
// CHECK-NEXT:   }
// CHECK-NEXT:   if (!(found > 0.0))
// CHECK-NEXT:     return fail(context, 17); // ValueError: not positive
// CHECK-NEXT:   out[0] = found;
func.func @find(%X: memref<?xf64> {quernel.argument = #quernel.argument<"X">}, %limit: f64 {quernel.argument = #quernel.argument<"limit">}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %found, %at = scf.while (%i = %c0) : (index) -> (f64, index) {
    %x = memref.load %X[%i] : memref<?xf64>
    %go = arith.cmpf olt, %x, %limit : f64
    scf.condition(%go) %x, %i : f64, index
  } do {
  ^bb0(%x: f64, %i: index loc("i")):
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1 : index
  } loc("found")
  %ok = arith.cmpf ogt, %found, %zero : f64
  quernel.check %ok {exception = "ValueError", message = "not positive"} : i1
  memref.store %found, %out[%c0] : memref<?xf64>
  return
}
