// Programs: arguments of every kind, temporaries that are released whatever happens, calls of the library.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so
// RUN: %python %S/Inputs/programs.py %t.so
// RUN: quernel-compile --library=%libomp %t.cpp -o %t.so
// RUN: %python %S/Inputs/programs.py %t.so

// CHECK: struct qn_context {
// CHECK-NEXT: int32_t threads;
// CHECK-NEXT: void *(*alloc)(int64_t bytes);
// CHECK-NEXT: void (*release)(void *memory);
// CHECK-NEXT: int32_t (*fail)(

// CHECK: alignas(64) static const double table[3] = {0.5, -1.0, __builtin_inf()};
memref.global "private" constant @table : memref<3xf64> = dense<[0.5, -1.0, 0x7FF0000000000000]>

func.func private @qn_matmul_f64(memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}

func.func private @scale(%from: memref<?xf64> {quernel.argument = #quernel.argument<"from", readonly>}, %factors: memref<?xf64> {quernel.argument = #quernel.argument<"factors", readonly>}, %to: memref<?xf64> {quernel.argument = #quernel.argument<"to">}, %by: f64 {quernel.argument = #quernel.argument<"by">}, %flag: i1 {quernel.argument = #quernel.argument<"flag">}, %n: index {quernel.argument = #quernel.argument<"n">}, %stride: index {quernel.argument = #quernel.argument<"stride">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = memref.load %factors[%c0] : memref<?xf64>
  %one = arith.constant 1.0 : f64
  %factor = arith.select %flag, %f, %one : f64
  scf.for %i = %c0 to %n step %c1 {
    %at = arith.muli %i, %stride : index
    %x = memref.load %from[%at] : memref<?xf64>
    %y = arith.mulf %x, %by : f64
    %z = arith.mulf %y, %factor : f64
    memref.store %z, %to[%i] : memref<?xf64>
  }
  return
}

// CHECK:      extern "C" int32_t program(const qn_context *context, void *const *buffers, const int64_t *sizes) {
// CHECK-NEXT:   const int64_t n = sizes[0];
// CHECK-NEXT:   const int64_t stride = sizes[1];
// CHECK-NEXT:   const double *X = (const double *)buffers[0];
// CHECK-NEXT:   const double by = *(const double *)buffers[1];
// CHECK-NEXT:   const bool flag = *(const bool *)buffers[2];
// CHECK-NEXT:   double *out = (double *)buffers[4];
// CHECK-NEXT:   Temporary<double> scaled(context, n);
// CHECK-NEXT:   if (!scaled)
// CHECK-NEXT:     return 1;
// CHECK-NEXT:   scale(X, table, scaled, by, flag, n, stride);
// CHECK-NEXT:   Temporary<double> outer(context, n * n);
// CHECK-NEXT:   if (!outer)
// CHECK-NEXT:     return 1;
// CHECK-NEXT:   if (int32_t code = call(context, 0 /* matmul */, 1 /* f64 */, {1, n, 1, n}, {0, 1, 1, 0, 1, 1, 0, n, 1}, scaled, scaled, outer))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   scaled.release();
// CHECK-NEXT:   scale(outer, table, out, by, flag, n * n, 1);
// CHECK-NEXT:   return 0;
func.func @program(%n: index {quernel.argument = #quernel.argument<"n">}, %stride: index {quernel.argument = #quernel.argument<"stride">}, %X: memref<?xf64> {quernel.argument = #quernel.argument<"X">}, %by: f64 {quernel.argument = #quernel.argument<"by">}, %flag: i1 {quernel.argument = #quernel.argument<"flag">}, %unused: memref<?xi64>, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %constant = memref.get_global @table : memref<3xf64>
  %table = memref.cast %constant : memref<3xf64> to memref<?xf64>
  %scaled = memref.alloc(%n) : memref<?xf64> loc("scaled")
  func.call @scale(%X, %table, %scaled, %by, %flag, %n, %stride) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, f64, i1, index, index) -> ()
  %size = arith.muli %n, %n : index
  %outer = memref.alloc(%size) : memref<?xf64> loc("outer")
  func.call @qn_matmul_f64(%scaled, %scaled, %outer, %c0, %c0, %c0, %c0, %c1, %c1, %c0, %c1, %c1, %c0, %n, %c1, %c1, %n, %c1, %n) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  memref.dealloc %scaled : memref<?xf64>
  %size2 = arith.muli %n, %n : index
  func.call @scale(%outer, %table, %out, %by, %flag, %size2, %c1) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, f64, i1, index, index) -> ()
  memref.dealloc %outer : memref<?xf64>
  return
}

// A routine of LAPACK gets pointers with offsets, and where it says whether it has failed; what the runtime can't do ends the program.
// CHECK:      extern "C" int32_t invert(
// CHECK:        Temporary<double> inverse(context, at);
// CHECK-NEXT:   if (!inverse)
// CHECK-NEXT:     return 1;
// CHECK:        if (int32_t code = call(context, 2 /* inv */, 1 /* f64 */, {1, n, n, 1}, {0, n, 1, 0, 1, n}, X + n, inverse, failure))
// CHECK-NEXT:     return fail(context, 16, code);
func.func private @qn_inv_f64(memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, memref<?xf64>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @invert(%n: index {quernel.argument = #quernel.argument<"n">}, %X: memref<?xf64> {quernel.argument = #quernel.argument<"X">}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %true = arith.constant true
  %size = arith.muli %n, %n : index
  %inverse = memref.alloc(%size) : memref<?xf64> loc("inverse")
  %failure = memref.alloc(%c1) : memref<?xi64> loc("failure")
  func.call @qn_inv_f64(%X, %inverse, %failure, %n, %c0, %c0, %c0, %n, %c1, %c0, %c1, %n, %c1, %n, %n, %c1) : (memref<?xf64>, memref<?xf64>, memref<?xi64>, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  memref.dealloc %failure : memref<?xi64>
  func.call @scale(%inverse, %inverse, %out, %one, %true, %size, %c1) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, f64, i1, index, index) -> ()
  memref.dealloc %inverse : memref<?xf64>
  return
}

// Complex elements are pairs of numbers, but offsets and strides count elements.
// CHECK:      extern "C" int32_t complex_product(
// CHECK:        if (int32_t code = call(context, 0 /* matmul */, 3 /* c128 */, {1, n, n, n}, {0, n, 1, 0, n, 1, 0, n, 1}, X + (n + 1) * 2, X, out))
// CHECK-NEXT:     return code;
func.func private @qn_matmul_c128(memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @complex_product(%n: index {quernel.argument = #quernel.argument<"n">}, %X: memref<?xf64> {quernel.argument = #quernel.argument<"X">}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %offset = arith.addi %n, %c1 : index
  func.call @qn_matmul_c128(%X, %X, %out, %offset, %c0, %c0, %c0, %n, %c1, %c0, %n, %c1, %c0, %n, %c1, %c1, %n, %n, %n) : (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  return
}

// CHECK:      extern "C" void program_shapes(const int64_t *symbols, int64_t *dims) {
// CHECK-NEXT:   const int64_t n0 = symbols[0];
// CHECK-NEXT:   dims[0] = n0 - 1;
// CHECK-NEXT:   dims[1] = 2 * n0;
func.func @program_shapes(%n0: index {quernel.argument = #quernel.argument<"n0">}, %n1: index) -> (index, index) attributes {quernel.function = #quernel.function<shapes>} {
  %m1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %a = arith.addi %n0, %m1 : index
  %b = arith.muli %c2, %n0 : index
  return %a, %b : index, index
}

// What the caller takes over is kept until nothing fails any more.
// CHECK-LABEL: int32_t given(
// CHECK:        Temporary<double> memory(context, n);
// CHECK:        const int64_t address = (int64_t)memory.data;
// CHECK-NEXT:   out[0] = address;
// CHECK-NEXT:   memory.hand_over();
// CHECK-NEXT:   return 0;
func.func @given(%n: index {quernel.argument = #quernel.argument<"n", symbol>}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %memory = memref.alloc(%n) : memref<?xf64> loc("memory")
  quernel.allocated %memory(%n) {dtype = "float64"} : memref<?xf64>
  %address = quernel.address %memory : memref<?xf64>
  memref.store %address, %out[%c0] : memref<?xi64>
  return
}
