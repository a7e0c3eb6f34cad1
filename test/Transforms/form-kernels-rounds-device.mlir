// A device carries out updates in rounds, where there are too many places for tables: threads claim places.
// RUN: quernel-opt %s --quernel-target-gpu --quernel-form-kernels --canonicalize | FileCheck %s

// Where nothing is combined the last update of a place counts: one round, whose claims are the updates' numbers.
// CHECK-LABEL: func.func @set(
// CHECK-SAME: %[[BASE:.*]]: tensor<5000xf64> {{.*}}, %[[V:.*]]: tensor<2000xf64> {{.*}}, %[[AT:.*]]: tensor<2000xi64>
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<5000xi64>
// CHECK: %[[FREE:.*]] = scf.for %{{.*}} = %c0 to %c5000 step %c1 iter_args(%{{.*}} = %[[MEMORY]])
// CHECK: tensor.insert %c-1
// CHECK: %[[CLAIMS:.*]] = scf.for %[[I:.*]] = %c0 to %c2000 step %c1 iter_args(%[[SOFAR:.*]] = %[[FREE]])
// CHECK: %[[PLACE:.*]] = arith.minui
// CHECK: %[[CLAIM:.*]] = tensor.extract %[[SOFAR]][%[[PLACE]]]
// CHECK: %[[MOST:.*]] = arith.maxsi %[[CLAIM]], %{{.*}} : i64
// CHECK: tensor.insert %[[MOST]] into %[[SOFAR]][%[[PLACE]]]
// CHECK: %[[DONE:.*]] = scf.for %[[I:.*]] = %c0 to %c2000 step %c1 iter_args(%[[SOFAR:.*]] = %[[BASE]])
// CHECK: %[[KEY:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[CLAIM:.*]] = tensor.extract %[[CLAIMS]]
// CHECK: %[[OWN:.*]] = arith.cmpi eq, %[[CLAIM]], %[[KEY]]
// CHECK: scf.if %[[OWN]]
// CHECK: tensor.extract %[[V]][%[[I]]]
// CHECK: tensor.insert %{{.*}} into %[[SOFAR]]
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK: return %[[DONE]]
func.func @set(%base: tensor<5000xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (5000)>>},
               %v: tensor<2000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (2000)>>},
               %at: tensor<2000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (2000)>>})
    -> tensor<5000xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "set"} : (tensor<5000xf64>, tensor<2000xf64>, tensor<2000xi64>) -> tensor<5000xf64>
  return %r : tensor<5000xf64>
}

// Sums: rounds, in which an update that is done claims nothing, and then what waits still.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[BASE:.*]]: tensor<5000xf64>
// CHECK: %[[ROUNDS:.*]]:3 = scf.for %[[ROUND:.*]] = %c0 to %c16 step %c1 iter_args(%{{.*}} = %[[BASE]], %[[DONE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<5000xf64>, tensor<2000xi1>, tensor<5000xi64>)
// CHECK: scf.for %[[I:.*]] = %c0 to %c2000
// CHECK: arith.subi %{{.*}}, %[[I]]
// CHECK: %[[IS_DONE:.*]] = tensor.extract %[[DONE]][%[[I]]]
// CHECK: arith.select %[[IS_DONE]], %c-1
// CHECK: arith.maxsi
// CHECK: scf.for %[[I:.*]] = %c0 to %c2000
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: tensor.insert %true
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK: %[[WAITING:.*]] = scf.for %{{.*}} = %c0 to %c2000 step %c1 iter_args({{.*}}) -> (i64)
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[WAITING]]
// CHECK: scf.if %[[ANY]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK: arith.addf
func.func @sum(%base: tensor<5000xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (5000)>>},
               %v: tensor<2000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (2000)>>},
               %at: tensor<2000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (2000)>>})
    -> tensor<5000xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5000xf64>, tensor<2000xf64>, tensor<2000xi64>) -> tensor<5000xf64>
  return %r : tensor<5000xf64>
}

// Few updates, or too many places for each, are carried out one after the other.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @few(%base: tensor<5000xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (5000)>>},
               %v: tensor<1023xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (1023)>>},
               %at: tensor<1023xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (1023)>>})
    -> tensor<5000xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "set"} : (tensor<5000xf64>, tensor<1023xf64>, tensor<1023xi64>) -> tensor<5000xf64>
  return %r : tensor<5000xf64>
}

// CHECK-LABEL: func.func @far(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @far(%base: tensor<900000xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (900000)>>},
               %v: tensor<2000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (2000)>>},
               %at: tensor<2000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (2000)>>})
    -> tensor<900000xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "set"} : (tensor<900000xf64>, tensor<2000xf64>, tensor<2000xi64>) -> tensor<900000xf64>
  return %r : tensor<900000xf64>
}

// Where only the run knows the sizes it compares them: tables, rounds, or one after the other.
// CHECK-LABEL: func.func @unknown(
// CHECK: scf.if
// CHECK: bufferization.alloc_tensor(%{{.*}}) : tensor<?x?xf64>
// CHECK: } else {
// CHECK: scf.if
// CHECK: bufferization.alloc_tensor(%{{.*}}) : tensor<?xi64>
// CHECK: arith.maxsi
// CHECK: } else {
// CHECK: arith.addf
// CHECK: return
func.func @unknown(%n: index, %m: index, %base: tensor<?xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<()[s0, s1] -> (s0)>>},
                   %v: tensor<?xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<()[s0, s1] -> (s1)>>},
                   %at: tensor<?xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<()[s0, s1] -> (s1)>>})
    -> tensor<?xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<?xf64>, tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
