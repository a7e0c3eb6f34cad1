// Vectors: accesses of every kind, masks of every width, scalars beside vectors.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.so
// RUN: %python %S/Inputs/vectors.py %t.so
// RUN: %clang -shared -fPIC %t.cpp -o %t.so
// RUN: %python %S/Inputs/vectors.py %t.so
// RUN: quernel-compile %t.cpp -o %t.so
// RUN: %python %S/Inputs/vectors.py %t.so

// CHECK: inline f64x4 strided<f64x4, -1>(const double *p) {
// CHECK-NEXT: return __builtin_shufflevector(load<f64x4>(p - 3), load<f64x4>(p - 3), 3, 2, 1, 0);

// CHECK-LABEL: static void access(
func.func private @access(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a", readonly>}, %out: memref<?xf64> {quernel.argument = #quernel.argument<"out">}, %which: memref<?xi64> {quernel.argument = #quernel.argument<"which">}, %stride: index {quernel.argument = #quernel.argument<"stride">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c24 = arith.constant 24 : index
  %c3 = arith.constant 3 : index
  %all = arith.constant dense<true> : vector<4xi1>
  %none = arith.constant dense<0.0> : vector<4xf64>
  %even = arith.constant dense<[0, 2, 4, 6]> : vector<4xindex>
  %back = arith.constant dense<[0, -1, -2, -3]> : vector<4xindex>
  %third = arith.constant dense<[1, 4, 7, 10]> : vector<4xindex>
  %odd = arith.constant dense<[3, 1, 0, 2]> : vector<4xindex>
  // CHECK: store(out, strided<f64x4, 2>(a));
  %x0 = vector.gather %a[%c0] [%even], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %x0, %out[%c0] : memref<?xf64>, vector<4xf64>
  // CHECK: store(out + 4, strided<f64x4, -1>(a + 3));
  %x1 = vector.gather %a[%c3] [%back], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %x1, %out[%c4] : memref<?xf64>, vector<4xf64>
  // CHECK: store(out + 8, strided<f64x4, 3>(a + 1));
  %x2 = vector.gather %a[%c0] [%third], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %x2, %out[%c8] : memref<?xf64>, vector<4xf64>
  // CHECK: store(out + 12, strided<f64x4>(a, stride));
  %step = vector.step : vector<4xindex>
  %by = vector.broadcast %stride : index to vector<4xindex>
  %at = arith.muli %step, %by : vector<4xindex>
  %x3 = vector.gather %a[%c0] [%at], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %x3, %out[%c12] : memref<?xf64>, vector<4xf64>
  // CHECK: store(out + 16, gather<f64x4>(a, i64x4{3, 1, 0, 2}));
  %x4 = vector.gather %a[%c0] [%odd], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %x4, %out[%c16] : memref<?xf64>, vector<4xf64>
  // CHECK: store_strided(out + 20, 2, strided<f64x4, 2>(a + 1));
  %c1 = arith.constant 1 : index
  %x5 = vector.gather %a[%c1] [%even], %all, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.scatter %out[%c20] [%even], %all, %x5 : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64>
  // CHECK: const i64x4 chosen = load<i64x4>(which);
  // CHECK: store(out + 28, gather_where<f64x4>(a, chosen, chosen > 1, f64x4{}));
  %w = vector.load %which[%c0] : memref<?xi64>, vector<4xi64> loc("chosen")
  %wi = arith.index_cast %w : vector<4xi64> to vector<4xindex>
  %one = arith.constant dense<1> : vector<4xi64>
  %some = arith.cmpi sgt, %w, %one : vector<4xi64>
  %x6 = vector.gather %a[%c0] [%wi], %some, %none : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  %c28 = arith.constant 28 : index
  vector.store %x6, %out[%c28] : memref<?xf64>, vector<4xf64>
  // CHECK: scatter(out + 32, chosen, load<f64x4>(a));
  %x7 = vector.load %a[%c0] : memref<?xf64>, vector<4xf64>
  %c32 = arith.constant 32 : index
  vector.scatter %out[%c32] [%wi], %all, %x7 : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64>
  return
}

// A mask is as wide as what was compared; it is converted where something else is chosen.
// CHECK-LABEL: static void masks(
func.func private @masks(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a">}, %b: memref<?xf32> {quernel.argument = #quernel.argument<"b">}, %flags: memref<?xi1> {quernel.argument = #quernel.argument<"flags">}, %count: memref<?xi32> {quernel.argument = #quernel.argument<"count">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 32 : index
  %step = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %true = arith.constant dense<true> : vector<8xi1>
  scf.for %i = %c0 to %n step %step {
    // CHECK:      const f64x8 x = load<f64x8>(a + i);
    // CHECK-NEXT: const f32x8 y = load<f32x8>(b + i);
    %x = vector.load %a[%i] : memref<?xf64>, vector<8xf64> loc("x")
    %y = vector.load %b[%i] : memref<?xf32>, vector<8xf32> loc("y")
    %f = vector.load %flags[%i] : memref<?xi1>, vector<8xi1> loc("f")
    // CHECK-NEXT: const i8x8 f = load_mask<i8x8>(flags + i);
    // CHECK-NEXT: const i64x8 negative = x < 0.0;
    %negative = arith.cmpf olt, %x, %zero : vector<8xf64> loc("negative")
    // CHECK-NEXT: store(b + i, __builtin_convertvector(negative, i32x8) ? y * 0.5f : y);
    %ny = arith.mulf %y, %half : vector<8xf32>
    %cy = arith.select %negative, %ny, %y : vector<8xi1>, vector<8xf32>
    vector.store %cy, %b[%i] : memref<?xf32>, vector<8xf32>
    // CHECK-NEXT: store(a + i, negative ? -x : 0.0);
    %nx = arith.negf %x : vector<8xf64>
    %cx = arith.select %negative, %nx, %zero : vector<8xi1>, vector<8xf64>
    vector.store %cx, %a[%i] : memref<?xf64>, vector<8xf64>
    // CHECK-NEXT: const i8x8 either = f | __builtin_convertvector(negative, i8x8);
    // CHECK-NEXT: store(count + i, -__builtin_convertvector(either, i32x8));
    %either = arith.ori %f, %negative : vector<8xi1> loc("either")
    %number = arith.extui %either : vector<8xi1> to vector<8xi32>
    vector.store %number, %count[%i] : memref<?xi32>, vector<8xi32>
    // CHECK-NEXT: store_mask(flags + i, ~either);
    %not = arith.xori %either, %true : vector<8xi1>
    vector.store %not, %flags[%i] : memref<?xi1>, vector<8xi1>
  }
  // A mask that a loop carries has one width, that of what is carried on.
  // CHECK:      i32x8 any{};
  // CHECK-NEXT: for (int64_t i = 0; i < 4; ++i) {
  // CHECK-NEXT:   any = any | (load<f32x8>(b + i * 8) > 0.5f);
  // CHECK:      store(count, -any);
  %c4 = arith.constant 4 : index
  %false = arith.constant dense<false> : vector<8xi1>
  %any = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %false) -> vector<8xi1> {
    %at = arith.muli %i, %step : index
    %y = vector.load %b[%at] : memref<?xf32>, vector<8xf32>
    %big = arith.cmpf ogt, %y, %half : vector<8xf32>
    %next = arith.ori %m, %big : vector<8xi1>
    scf.yield %next : vector<8xi1>
  } loc("any")
  %found = arith.extui %any : vector<8xi1> to vector<8xi32>
  vector.store %found, %count[%c0] : memref<?xi32>, vector<8xi32>
  return
}

// CHECK-LABEL: static void lanes_(
func.func private @lanes(%a: memref<?xf64> {quernel.argument = #quernel.argument<"a">}, %scale: f64 {quernel.argument = #quernel.argument<"scale">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %minus = arith.constant dense<-0.0> : vector<4xf64>
  %v = vector.broadcast %scale : f64 to vector<4xf64>
  // CHECK: f64x4 sum = splat<f64x4>(-0.0);
  // CHECK: sum += load<f64x4>(a + i * 4) * scale;
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %minus) -> vector<4xf64> {
    %at = arith.muli %i, %c4 : index
    %x = vector.load %a[%at] : memref<?xf64>, vector<4xf64>
    %p = arith.mulf %x, %v : vector<4xf64>
    %n = arith.addf %s, %p : vector<4xf64>
    scf.yield %n : vector<4xf64>
  }
  // CHECK: const f64x4 swapped = __builtin_shufflevector(sum, splat<f64x4>(scale), 1, 0, 4, 2);
  %swapped = vector.shuffle %sum, %v [1, 0, 4, 2] : vector<4xf64>, vector<4xf64> loc("swapped")
  // CHECK: store(a, insert<3>(swapped, sum[0] + swapped[1]));
  %e0 = vector.extract %sum[0] : f64 from vector<4xf64>
  %e1 = vector.extract %swapped[1] : f64 from vector<4xf64>
  %e = arith.addf %e0, %e1 : f64
  %i = vector.insert %e, %swapped [3] : f64 into vector<4xf64>
  vector.store %i, %a[%c0] : memref<?xf64>, vector<4xf64>
  // CHECK: store(a + 4, f64x4{scale, sum[3], scale, 2.0});
  %e3 = vector.extract %sum[3] : f64 from vector<4xf64>
  %two = arith.constant 2.0 : f64
  %f = vector.from_elements %scale, %e3, %scale, %two : vector<4xf64>
  vector.store %f, %a[%c4] : memref<?xf64>, vector<4xf64>
  // CHECK: store(a + 12, __builtin_shufflevector(load<f64x4>(a), load<f64x4>(a + 4), 0, 4, 1, 5, 2, 6, 3, 7));
  %c12 = arith.constant 12 : index
  %first = vector.load %a[%c0] : memref<?xf64>, vector<4xf64>
  %second = vector.load %a[%c4] : memref<?xf64>, vector<4xf64>
  %pairs = vector.interleave %first, %second : vector<4xf64> -> vector<8xf64>
  vector.store %pairs, %a[%c12] : memref<?xf64>, vector<8xf64>
  return
}

func.func @program(%stride: index, %a: memref<?xf64>, %which: memref<?xi64>, %x: memref<?xf64>, %y: memref<?xf32>, %flags: memref<?xi1>, %l: memref<?xf64>, %scale: f64, %out: memref<?xf64>, %count: memref<?xi32>) attributes {quernel.function = #quernel.function<program>} {
  func.call @access(%a, %out, %which, %stride) : (memref<?xf64>, memref<?xf64>, memref<?xi64>, index) -> ()
  func.call @masks(%x, %y, %flags, %count) : (memref<?xf64>, memref<?xf32>, memref<?xi1>, memref<?xi32>) -> ()
  func.call @lanes(%l, %scale) : (memref<?xf64>, f64) -> ()
  return
}
