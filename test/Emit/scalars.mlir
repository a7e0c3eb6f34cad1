// How scalar ops read: operators with as few parentheses as they need, and helpers with the same names in both languages.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -c %t.cpp -o %t.o
// RUN: %clang -c %t.cpp -o %t.o
// RUN: quernel-translate --to-cuda %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %if nvrtc %{ quernel-compile --target=sm_90 %t.cu -o %t.cubin %}

// CHECK-LABEL: void precedence(
func.func private @precedence(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.load %a[%c0] : memref<?xf64> loc("x")
  %y = memref.load %a[%c1] : memref<?xf64> loc("y")
  %z = memref.load %a[%c2] : memref<?xf64> loc("z")
  // CHECK: const double x = a[0];
  // CHECK: const double y = a[1];
  // CHECK: const double z = a[2];
  %s = arith.addf %x, %y : f64
  %p = arith.mulf %s, %z : f64
  // CHECK: out[0] = (x + y) * z;
  memref.store %p, %out[%c0] : memref<?xf64>
  %q = arith.subf %y, %z : f64
  %d = arith.subf %x, %q : f64
  // CHECK: out[1] = x - (y - z);
  memref.store %d, %out[%c1] : memref<?xf64>
  %n = arith.negf %z : f64
  %r = arith.divf %n, %y : f64
  %t = arith.divf %r, %x : f64
  // CHECK: out[2] = -z / y / x;
  memref.store %t, %out[%c2] : memref<?xf64>
  %less = arith.cmpf olt, %x, %y : f64
  %nan = arith.cmpf uno, %z, %z : f64
  %both = arith.andi %less, %nan : i1
  %c = arith.select %both, %x, %z : f64
  // CHECK: out[0] = x < y && isnan(z) ? x : z;
  memref.store %c, %out[%c0] : memref<?xf64>
  %m = arith.maximumf %x, %y : f64
  %f = math.floor %m : f64
  // CHECK: out[1] = floor(maximum(x, y));
  memref.store %f, %out[%c1] : memref<?xf64>
  return
}

// CHECK-LABEL: void literals(
func.func private @literals(%out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}, %single: memref<?xf32> {quernel.argument = #quernel.argument<"single">}, %whole: memref<?xi64> {quernel.argument = #quernel.argument<"whole">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // CHECK: out[0] = 0.1;
  %tenth = arith.constant 0.1 : f64
  memref.store %tenth, %out[%c0] : memref<?xf64>
  // CHECK: out[0] = 1e+22;
  %big = arith.constant 1.0e22 : f64
  memref.store %big, %out[%c0] : memref<?xf64>
  // CHECK: out[0] = 3.0;
  %three = arith.constant 3.0 : f64
  memref.store %three, %out[%c0] : memref<?xf64>
  // CHECK: out[0] = -0.0;
  %zero = arith.constant -0.0 : f64
  memref.store %zero, %out[%c0] : memref<?xf64>
  // CHECK: out[0] = 5e-324;
  %least = arith.constant 0x0000000000000001 : f64
  memref.store %least, %out[%c0] : memref<?xf64>
  // CHECK: single[0] = 0.1f;
  %short = arith.constant 0.1 : f32
  memref.store %short, %single[%c0] : memref<?xf32>
  // CHECK: whole[0] = (-9223372036854775807 - 1);
  %min = arith.constant -9223372036854775808 : i64
  memref.store %min, %whole[%c0] : memref<?xi64>
  // CHECK: whole[0] = -5;
  %five = arith.constant -5 : i64
  memref.store %five, %whole[%c0] : memref<?xi64>
  return
}

// Overflow of the user's integers wraps around; of indices and under nsw it doesn't happen.
// CHECK-LABEL: void integers(
func.func private @integers(%a: memref<?xi64> {quernel.argument = #quernel.argument<"a">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %m1 = arith.constant -1 : index
  %x = memref.load %a[%c0] : memref<?xi64> loc("x")
  // CHECK: a[0] = wrap_add(wrap_mul(x, 3), x);
  %p = arith.muli %x, %c3 : i64
  %s = arith.addi %p, %x : i64
  memref.store %s, %a[%c0] : memref<?xi64>
  // CHECK: a[0] = x * 3 + x;
  %p2 = arith.muli %x, %c3 overflow<nsw> : i64
  %s2 = arith.addi %p2, %x overflow<nsw> : i64
  memref.store %s2, %a[%c0] : memref<?xi64>
  // CHECK: a[n - 1] = (int64_t)((uint64_t)(x & 3) << (uint64_t)3) | x;
  %last = arith.addi %n, %m1 : index
  %and = arith.andi %x, %c3 : i64
  %shift = arith.shli %and, %c3 : i64
  %or = arith.ori %shift, %x : i64
  memref.store %or, %a[%last] : memref<?xi64>
  return
}

// A bare integer is an `int` in C++: one of two that a choice is made of, and what is shifted, show their type.
// CHECK-LABEL: void typed_literals(
func.func private @typed_literals(%k: memref<?xi1> {quernel.argument = #quernel.argument<"k", readonly>}, %whole: memref<?xi64> {quernel.argument = #quernel.argument<"whole">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %b = memref.load %k[%c0] : memref<?xi1> loc("b")
  %x = memref.load %whole[%c0] : memref<?xi64> loc("x")
  %choice = arith.select %b, %one, %minus : i64
  %doubled = arith.muli %choice, %x : i64
  // CHECK: whole[0] = wrap_mul(b ? (int64_t)1 : -1, x);
  memref.store %doubled, %whole[%c0] : memref<?xi64>
  %other = arith.select %b, %one, %x : i64
  // CHECK: whole[0] = b ? 1 : x;
  memref.store %other, %whole[%c0] : memref<?xi64>
  %shifted = arith.shrsi %one, %x : i64
  // CHECK: whole[0] = (int64_t)1 >> x;
  memref.store %shifted, %whole[%c0] : memref<?xi64>
  return
}

// A chain of choices: each is a variable that isn't const, so that Clang doesn't follow both sides of each to the first one.
// CHECK-LABEL: void choices(
func.func private @choices(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<?xf64> loc("x")
  %y = memref.load %a[%c1] : memref<?xf64> loc("y")
  %less = arith.cmpf olt, %x, %y : f64
  // CHECK: {{^ *}}double chosen = x < y ? x : y;
  %first = arith.select %less, %x, %y : f64
  %more = arith.cmpf ogt, %x, %first : f64
  // CHECK: {{^ *}}double chosen1 = x > chosen ? y : chosen;
  %second = arith.select %more, %y, %first : f64
  memref.store %second, %out[%c0] : memref<?xf64>
  memref.store %second, %out[%c1] : memref<?xf64>
  return
}
