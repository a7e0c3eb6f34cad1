// The k-means step: one kernel, one parallel loop, vectors of eight, no memory of its own.
// RUN: quernel-opt %s --quernel-to-loops -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=NOT < %t.mlir
// RUN: quernel-translate --to-cpp %t.mlir | FileCheck %s --check-prefix=CPP
// RUN: quernel-opt %s --quernel-to-gpu-loops | FileCheck %s --check-prefix=GPU
// RUN: quernel-opt %s --quernel-to-gpu-loops | quernel-translate --to-cuda | FileCheck %s --check-prefix=CUDA

// NOT-NOT: memref.alloc
// NOT-COUNT-1: quernel.function<kernel
// NOT-COUNT-1: scf.parallel
// NOT-NOT: {{scf.parallel|memref.alloc|memref.store|quernel.function<kernel}}

// CHECK-LABEL: func.func private @kmeans_argmin(
// CHECK-SAME: %[[X:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<"X", readonly>}, %[[MEANS:.*]]: memref<?xi64> {quernel.argument = #quernel.argument<"means", readonly>}, %[[OUT:.*]]: memref<?xi64> {quernel.argument = #quernel.argument<"out">})
// CHECK-SAME: ops = ["cast", "subtract", "multiply", "sum", "sqrt", "argmin"]
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[PAIRS:.*]] = arith.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xindex>
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%c2000) step (%c8) {
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[I]], %[[C2]]
// CHECK-NEXT: %[[BEST:.*]]:2 = scf.for %[[J:.*]] = %c0 to %c4 step %c1 {{.*}} -> (vector<8xf64>, vector<8xi64>) {
// CHECK: scf.for %[[K:.*]] = %c0 to %c2 step %c1 {{.*}} -> (vector<8xf64>) {
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[K]]
// CHECK-NEXT: vector.gather %[[X]][%[[AT]]] [%[[PAIRS]]]
// CHECK: memref.load %[[MEANS]]
// CHECK: math.sqrt {{.*}} : vector<8xf64>
// CHECK: vector.store %[[BEST]]#1, %[[OUT]][%[[I]]]
// CHECK-LABEL: func.func @kmeans(
// CHECK-NEXT: call @kmeans_argmin(
// CHECK-NEXT: return

// CPP: static void kmeans_argmin_range(const double *__restrict X, const int64_t *__restrict means, int64_t *__restrict out, int64_t begin, int64_t end) {
// CPP-NEXT: for (int64_t i = begin; i < end; i += 8) {
// CPP: for (int64_t j = 0; j < 4; ++j) {
// CPP: for (int64_t k = 0; k < 2; ++k) {
// CPP-NEXT: const f64x8 [[D:.*]] = strided<f64x8, 2>(X + {{.*}}) - (double)means[{{.*}}];
// CPP-NEXT: sum += [[D]] * [[D]];
// CPP: sqrt(sum)
// CPP: store(out + i,
// CPP: parallel_for(0, 2000, 8, {{[0-9]+}}, context,
// CPP: extern "C" int32_t kmeans(const qn_context *context, void *const *buffers, const int64_t *sizes) {
// CPP-NEXT: const double *X = (const double *)buffers[0];
// CPP-NEXT: const int64_t *means = (const int64_t *)buffers[1];
// CPP-NEXT: int64_t *out = (int64_t *)buffers[2];
// CPP-NEXT: if (int32_t code = kmeans_argmin(X, means, out, context))
// CPP-NEXT: return code;
// CPP-NEXT: return 0;

// GPU-LABEL: func.func private @kmeans_argmin(
// GPU-NOT: vector
// GPU: %[[WHOLE:.*]] = quernel.pack_turns %c2000 by 2 of
// GPU: scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[WHOLE]]) step (%c2{{.*}}) {
// GPU-COUNT-2: quernel.copy_pack 2 of
// GPU: scf.for
// GPU: scf.for
// GPU: scf.for
// GPU: quernel.copy_pack 2 of
// GPU: scf.parallel (%[[I:.*]]) = (%[[WHOLE]]) to (%c2000) step (%c1{{.*}}) {
// GPU: scf.for
// GPU: scf.for
// GPU: memref.store {{.*}}[%[[I]]] : memref<?xi64>
// GPU-NOT: vector

// CUDA: __global__ {{.*}}kmeans_argmin(const double *__restrict__ X, const int64_t *__restrict__ means, int64_t *__restrict__ out

func.func @kmeans(%X: tensor<2000x2xf64> {quernel.argument = #quernel.argument<"X", shape = affine_map<() -> (2000, 2)>>},
   %means: tensor<4x2xi64> {quernel.argument = #quernel.argument<"means", shape = affine_map<() -> (4, 2)>>}) -> tensor<2000xi64> {
  %m = quernel.reshape %means {shape = affine_map<() -> (4, 1, 2)>} : (tensor<4x2xi64>) -> tensor<4x1x2xi64>
  %c = quernel.cast %m {dtype = f64} : (tensor<4x1x2xi64>) -> tensor<4x1x2xf64>
  %d = quernel.subtract %X, %c : (tensor<2000x2xf64>, tensor<4x1x2xf64>) -> tensor<4x2000x2xf64>
  %q = quernel.multiply %d, %d : (tensor<4x2000x2xf64>, tensor<4x2000x2xf64>) -> tensor<4x2000x2xf64>
  %s = quernel.reduce %q {kind = "sum", axes = array<i64: 2>} : (tensor<4x2000x2xf64>) -> tensor<4x2000xf64>
  %r = quernel.sqrt %s : (tensor<4x2000xf64>) -> tensor<4x2000xf64>
  %v, %i = quernel.argreduce %r {kind = "argmin", axis = 0 : i64} : (tensor<4x2000xf64>) -> (tensor<2000xf64>, tensor<2000xi64>)
  return %i : tensor<2000xi64>
}
