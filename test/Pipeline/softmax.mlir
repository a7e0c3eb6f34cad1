// A softmax over rows is one kernel: maximum and sum of a row run once for the row, in lanes; the exponentials lie in
// the result's row until they are divided.
// RUN: quernel-opt %s --quernel-to-loops | FileCheck %s
// RUN: quernel-opt %s --quernel-to-loops | FileCheck %s --check-prefix=NOT

// NOT-NOT: memref.alloc
// NOT-COUNT-1: quernel.function<kernel
// NOT-NOT: {{memref.alloc|quernel.function<kernel}}

// CHECK-LABEL: func.func private @softmax_divide(
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%{{.*}}) step (%c1) {
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[I]], %c300
// The maximum: whole vectors, halves onto halves, then what is left.
// CHECK-NEXT: scf.for {{.*}} = %c0 to %c288 step %c32 {{.*}} -> (vector<32xf64>) {
// CHECK: arith.maximumf {{.*}} : vector<32xf64>
// CHECK: arith.maximumf {{.*}} : vector<2xf64>
// CHECK: %[[MAX:.*]] = scf.for {{.*}} = %c288 to %c300 step %c1 {{.*}} -> (f64) {
// The sum: blocks of eight vectors with a compensated total.
// CHECK: scf.for {{.*}} = %c0 to %c256 step %c128 {{.*}} -> (vector<16xf64>, vector<16xf64>) {
// CHECK: scf.for {{.*}} step %c16 {{.*}} -> (vector<16xf64>) {
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<16xf64>
// CHECK: vector.store %[[EXP]], %[[OUT:.*]][
// CHECK: scf.for {{.*}} = %c256 to %c288 step %c16
// CHECK: %[[REST:.*]] = scf.for {{.*}} = %c288 to %c300 step %c1
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[REST]] : f64
// The row itself.
// CHECK: vector.broadcast %[[SUM]] : f64 to vector<8xf64>
// CHECK: scf.for {{.*}} = %c0 to %c296 step %c8 {
// CHECK-NOT: math.exp
// CHECK: %[[KEPT:.*]] = vector.load %[[OUT]][
// CHECK: arith.divf %[[KEPT]], {{.*}} : vector<8xf64>
// CHECK-NEXT: vector.store
// CHECK: scf.for {{.*}} = %c296 to %c300 step %c1 {
// CHECK: memref.store

func.func @softmax(%n0: index {quernel.argument = #quernel.argument<"n0">}, %x: tensor<?x300xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0, 300)>>}) -> tensor<?x300xf64> {
  %m = quernel.reduce %x {kind = "max", axes = array<i64: 1>} : (tensor<?x300xf64>) -> tensor<?xf64>
  %m1 = quernel.reshape %m {shape = affine_map<()[s0] -> (s0, 1)>} : (tensor<?xf64>) -> tensor<?x1xf64>
  %d = quernel.subtract %x, %m1 : (tensor<?x300xf64>, tensor<?x1xf64>) -> tensor<?x300xf64>
  %e = quernel.exp %d : (tensor<?x300xf64>) -> tensor<?x300xf64>
  %s = quernel.reduce %e {kind = "sum", axes = array<i64: 1>} : (tensor<?x300xf64>) -> tensor<?xf64>
  %s1 = quernel.reshape %s {shape = affine_map<()[s0] -> (s0, 1)>} : (tensor<?xf64>) -> tensor<?x1xf64>
  %r = quernel.divide %e, %s1 : (tensor<?x300xf64>, tensor<?x1xf64>) -> tensor<?x300xf64>
  return %r : tensor<?x300xf64>
}
