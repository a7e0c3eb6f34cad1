// The sum of a million: 62 pieces in parallel, then the sum of the pieces.
// RUN: quernel-opt %s --quernel-to-loops | FileCheck %s
// RUN: quernel-opt %s --quernel-to-gpu-loops | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func private @sum_sum(
// CHECK-SAME: {quernel.argument = #quernel.argument<"x", readonly>}, %{{.*}} {quernel.argument = #quernel.argument<"tmp0">})
// CHECK: scf.parallel (%[[PIECE:.*]]) = (%c0) to (%c62) step (%c1) {
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[PIECE]], %c16384
// CHECK-NEXT: %[[END:.*]] = arith.addi %[[FIRST]], %c16384
// CHECK-NEXT: arith.minsi %[[END]], %c1000000
// CHECK: -> (vector<16xf64>, vector<16xf64>)
// CHECK-LABEL: func.func private @sum_sum_0(
// CHECK-SAME: {quernel.argument = #quernel.argument<"tmp0", readonly>}, %{{.*}} {quernel.argument = #quernel.argument<"out">})
// CHECK-NOT: scf.parallel
// CHECK-LABEL: func.func @sum(
// CHECK: %[[T:.*]] = memref.alloc() : memref<62xf64>
// CHECK: call @sum_sum(
// CHECK-NEXT: call @sum_sum_0(
// CHECK-NEXT: memref.dealloc %[[T]]

// GPU-LABEL: func.func private @sum_sum(
// GPU: scf.parallel (%{{.*}}) = (%c0) to (%c62) step (%c1) {
// GPU-NOT: vector

func.func @sum(%x: tensor<1000000xf64> {quernel.argument = #quernel.argument<"x">}) -> tensor<f64> {
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000000xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}
