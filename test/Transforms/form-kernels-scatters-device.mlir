// A device has atomic updates of integers, which need neither blocks nor tables. For floats each thread has a table.
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

// Tables begin with what changes nothing, each thread takes every 78th update, and the tables are added up, those of
// each group first, of which there is one here.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[BASE:.*]]: tensor<100xf64> {{.*}}, %[[V:.*]]: tensor<40000xf64> {{.*}}, %[[AT:.*]]: tensor<40000xi64>
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<78x100xf64>
// CHECK: %[[EMPTY:.*]] = scf.for %{{.*}} = %c0 to %c78 step %c1 iter_args(%{{.*}} = %[[MEMORY]])
// CHECK: tensor.insert %cst
// CHECK: %[[TABLES:.*]] = scf.for %[[THREAD:.*]] = %c0 to %c78 step %c1 iter_args(%{{.*}} = %[[EMPTY]])
// CHECK: %[[LEFT:.*]] = arith.subi %c40000, %[[THREAD]]
// CHECK: %[[TURNS:.*]] = arith.ceildivsi %[[LEFT]], %c78
// CHECK: scf.for %[[TURN:.*]] = %c0 to %[[TURNS]] step %c1
// CHECK: %[[FIRST:.*]] = arith.muli %[[TURN]], %c78
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK: tensor.extract %[[AT]][%[[ROW]]]
// CHECK: tensor.extract %[[V]][%[[ROW]]]
// CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
// CHECK: %[[SUMS:.*]] = scf.for %[[PLACE:.*]] = %c0 to %c100 step %c1 iter_args(%[[ALL:.*]] = %[[TABLES]])
// CHECK: %[[FIRST:.*]] = tensor.extract %[[ALL]][%c0, %[[PLACE]]]
// CHECK: scf.for %[[TABLE:.*]] = %c1 to %c78 step %c1 iter_args(%{{.*}} = %[[FIRST]]) -> (f64)
// CHECK: tensor.extract %[[ALL]][%[[TABLE]], %[[PLACE]]]
// CHECK: tensor.insert %{{.*}} into %[[ALL]][%c0, %[[PLACE]]]
// CHECK: %[[DONE:.*]] = scf.for %[[PLACE:.*]] = %c0 to %c100 step %c1 iter_args(%[[SOFAR:.*]] = %[[BASE]])
// CHECK: tensor.extract %[[SOFAR]][%[[PLACE]]]
// CHECK: tensor.extract %[[SUMS]]
// CHECK: tensor.insert
// CHECK: return %[[DONE]]
func.func @floats(%base: tensor<100xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (100)>>},
                  %v: tensor<40000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (40000)>>},
                  %at: tensor<40000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (40000)>>})
    -> tensor<100xf64> {
  %r = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<100xf64>, tensor<40000xf64>, tensor<40000xi64>) -> tensor<100xf64>
  return %r : tensor<100xf64>
}
