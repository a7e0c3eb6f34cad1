// The k-means step as the lowering hands it over: eight points at a time, then the rest one by one.
// RUN: quernel-translate --to-cpp %s -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %gcc -shared -fPIC %t.cpp -o %t.gcc.so
// RUN: %clang -shared -fPIC %t.cpp -o %t.clang.so
// RUN: quernel-compile %t.cpp --library=%libomp -o %t.so
// RUN: %python %S/Inputs/kmeans.py %t.gcc.so
// RUN: %python %S/Inputs/kmeans.py %t.clang.so
// RUN: %python %S/Inputs/kmeans.py %t.so

// CHECK:      typedef double f64x8 __attribute__((vector_size(64)));
// CHECK-NEXT: typedef int64_t i64x8 __attribute__((vector_size(64)));

// CHECK:      template <> inline f64x8 strided<f64x8, 2>(const double *p) {
// CHECK-NEXT:   return __builtin_shufflevector(load<f64x8>(p), load<f64x8>(p + 7), 0, 2, 4, 6, 9, 11, 13, 15);

// CHECK:      // kmeans.py:6: return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)
// CHECK-NEXT: {{\[\[gnu::noinline\]\]}} static void kmeans_argmin_range(const double *__restrict X, const int64_t *__restrict means, int64_t *__restrict out, int64_t begin, int64_t end) {
// CHECK-NEXT:   for (int64_t i = begin; i < end; i += 8) {
// CHECK-NEXT:     const int64_t [[AT:.*]] = i * 2;
// CHECK-NEXT:     f64x8 best = splat<f64x8>(__builtin_inf());
// CHECK-NEXT:     i64x8 best_at{};
// CHECK-NEXT:     for (int64_t j = 0; j < 4; ++j) {
// CHECK-NEXT:       f64x8 sum{};
// CHECK-NEXT:       for (int64_t k = 0; k < 2; ++k) {
// CHECK-NEXT:         const f64x8 d = strided<f64x8, 2>(X + [[AT]] + k) - (double)means[j * 2 + k];
// CHECK-NEXT:         sum += d * d;
// CHECK-NEXT:       }
// CHECK-NEXT:       const f64x8 norm = sqrt(sum);
// CHECK-NEXT:       const i64x8 test = norm < best;
// CHECK-NEXT:       best = test ? norm : best;
// CHECK-NEXT:       best_at = test ? splat<i64x8>(j) : best_at;
// CHECK-NEXT:     }
// CHECK-NEXT:     store_nontemporal(out + i, best_at);
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK:      static int32_t kmeans_argmin(const double *__restrict X, const int64_t *__restrict means, int64_t *__restrict out, int64_t n0, const qn_context *context) {
// CHECK-NEXT:   const int64_t at = n0 / 8 * 8;
// CHECK-NEXT:   if (int32_t code = parallel_for(0, at, 8, 4096, context, [&](int64_t begin, int64_t end) {
// CHECK-NEXT:         kmeans_argmin_range(X, means, out, begin, end);
// CHECK-NEXT:         return 0;
// CHECK-NEXT:       }))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   ROLLED
// CHECK-NEXT:   for (int64_t i = at; i < n0; ++i) {
// CHECK:              const double d = X[i * 2 + k] - (double)means[j * 2 + k];
// CHECK-NEXT:         sum += d * d;
// CHECK:          const bool test = norm < best;
// CHECK-NEXT:     best = test ? norm : best;
// CHECK-NEXT:     best_at = test ? j : best_at;
// CHECK-NEXT:   }
// CHECK-NEXT:   out[i] = best_at;

// CHECK:      extern "C" int32_t kmeans(const qn_context *context, void *const *buffers, const int64_t *sizes) {
// CHECK-NEXT:   const int64_t n0 = sizes[0];
// CHECK-NEXT:   const double *X = (const double *)buffers[0];
// CHECK-NEXT:   const int64_t *means = (const int64_t *)buffers[1];
// CHECK-NEXT:   int64_t *out = (int64_t *)buffers[2];
// CHECK-NEXT:   if (int32_t code = kmeans_argmin(X, means, out, n0, context))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   return 0;
// CHECK-NEXT: }

// CHECK:      extern "C" void kmeans_shapes(const int64_t *symbols, int64_t *dims) {
// CHECK-NEXT:   const int64_t n = symbols[0];
// CHECK-NEXT:   dims[0] = n;

module {
  func.func private @kmeans_argmin(
      %X: memref<?xf64> {quernel.argument = #quernel.argument<"X", readonly>},
      %means: memref<?xi64> {quernel.argument = #quernel.argument<"means", readonly>},
      %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}, %n0: index {quernel.argument = #quernel.argument<"n0">})
      attributes {quernel.function = #quernel.function<kernel, lines = ["kmeans.py:6"], source = ["return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)"]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf64>
    %inf = arith.constant dense<0x7FF0000000000000> : vector<8xf64>
    %first = arith.constant dense<0> : vector<8xi64>
    %all = arith.constant dense<true> : vector<8xi1>
    %stride2 = arith.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xindex>
    %blocks = arith.divsi %n0, %c8 : index
    %whole = arith.muli %blocks, %c8 : index
    scf.parallel (%i) = (%c0) to (%whole) step (%c8) {
      %base = arith.muli %i, %c2 : index
      %r:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%best = %inf, %index = %first) -> (vector<8xf64>, vector<8xi64>) {
        %d = scf.for %c = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (vector<8xf64>) {
          %at = arith.addi %base, %c : index
          %x = vector.gather %X[%at] [%stride2], %all, %zero : memref<?xf64>, vector<8xindex>, vector<8xi1>, vector<8xf64> into vector<8xf64>
          %m0 = arith.muli %j, %c2 : index
          %m1 = arith.addi %m0, %c : index
          %mi = memref.load %means[%m1] : memref<?xi64>
          %mf = arith.sitofp %mi : i64 to f64
          %m = vector.broadcast %mf : f64 to vector<8xf64>
          %diff = arith.subf %x, %m : vector<8xf64> loc("d")
          %square = arith.mulf %diff, %diff : vector<8xf64>
          %next = arith.addf %sum, %square : vector<8xf64>
          scf.yield %next : vector<8xf64>
        }
        %norm = math.sqrt %d : vector<8xf64> loc("norm")
        %less = arith.cmpf olt, %norm, %best : vector<8xf64>
        %nb = arith.select %less, %norm, %best : vector<8xi1>, vector<8xf64>
        %ji = arith.index_cast %j : index to i64
        %jv = vector.broadcast %ji : i64 to vector<8xi64>
        %ni = arith.select %less, %jv, %index : vector<8xi1>, vector<8xi64>
        scf.yield %nb, %ni : vector<8xf64>, vector<8xi64>
      }
      vector.store %r#1, %out[%i] {nontemporal = true} : memref<?xi64>, vector<8xi64>
    } {quernel.schedule = #quernel.schedule<grain = 4096>}
    %s_inf = arith.constant 0x7FF0000000000000 : f64
    %s_zero = arith.constant 0.0 : f64
    %s_first = arith.constant 0 : i64
    scf.for %i = %whole to %n0 step %c1 {
      %r:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%best = %s_inf, %index = %s_first) -> (f64, i64) {
        %d = scf.for %c = %c0 to %c2 step %c1 iter_args(%sum = %s_zero) -> (f64) {
          %b0 = arith.muli %i, %c2 : index
          %at = arith.addi %b0, %c : index
          %x = memref.load %X[%at] : memref<?xf64>
          %m0 = arith.muli %j, %c2 : index
          %m1 = arith.addi %m0, %c : index
          %mi = memref.load %means[%m1] : memref<?xi64>
          %m = arith.sitofp %mi : i64 to f64
          %diff = arith.subf %x, %m : f64 loc("d")
          %square = arith.mulf %diff, %diff : f64
          %next = arith.addf %sum, %square : f64
          scf.yield %next : f64
        }
        %norm = math.sqrt %d : f64 loc("norm")
        %less = arith.cmpf olt, %norm, %best : f64
        %nb = arith.select %less, %norm, %best : f64
        %ji = arith.index_cast %j : index to i64
        %ni = arith.select %less, %ji, %index : i64
        scf.yield %nb, %ni : f64, i64
      }
      memref.store %r#1, %out[%i] : memref<?xi64>
    }
    return
  }

  func.func @kmeans(%n0: index {quernel.argument = #quernel.argument<"n0">}, %X: memref<?xf64> {quernel.argument = #quernel.argument<"X">},
                    %means: memref<?xi64> {quernel.argument = #quernel.argument<"means">}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">})
      attributes {quernel.function = #quernel.function<program>} {
    func.call @kmeans_argmin(%X, %means, %out, %n0) : (memref<?xf64>, memref<?xi64>, memref<?xi64>, index) -> ()
    return
  }

  func.func @kmeans_shapes(%n0: index) -> index attributes {quernel.function = #quernel.function<shapes>} {
    return %n0 : index
  }
}
