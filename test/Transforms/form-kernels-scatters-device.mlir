// A device has atomic updates of integers, which need neither blocks nor tables. Floats have them as on a CPU.
// RUN: quernel-opt %s --quernel-target-gpu --quernel-form-kernels --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[BASE:.*]]: tensor<100xi64> {{.*}}, %[[V:.*]]: tensor<40000xi64> {{.*}}, %[[AT:.*]]: tensor<40000xi64>
// CHECK-NOT: alloc_tensor
// CHECK: %[[DONE:.*]] = scf.for %[[I:.*]] = %c0 to %c40000 step %c1 iter_args(%[[SOFAR:.*]] = %[[BASE]])
// CHECK-NOT: scf.for
// CHECK: tensor.extract %[[AT]][%[[I]]]
// CHECK: tensor.insert %{{.*}} into %[[SOFAR]]
// CHECK: return %[[DONE]]
func.func @integers(%base: tensor<100xi64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (100)>>},
                    %v: tensor<40000xi64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (40000)>>},
                    %at: tensor<40000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (40000)>>})
    -> tensor<100xi64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<100xi64>, tensor<40000xi64>, tensor<40000xi64>) -> tensor<100xi64>
  return %r : tensor<100xi64>
}

// CHECK-LABEL: func.func @floats(
// CHECK: bufferization.alloc_tensor() : tensor<8x100xf64>
func.func @floats(%base: tensor<100xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (100)>>},
                  %v: tensor<40000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (40000)>>},
                  %at: tensor<40000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (40000)>>})
    -> tensor<100xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<100xf64>, tensor<40000xf64>, tensor<40000xi64>) -> tensor<100xf64>
  return %r : tensor<100xf64>
}
