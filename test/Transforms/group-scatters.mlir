// RUN: quernel-opt %s --quernel-group-scatters | FileCheck %s

// What is computed from the first one alone moves with it, over a check.

// CHECK-LABEL: func.func @over_a_check(
// CHECK-NOT: quernel.scatter
// CHECK: quernel.check
// CHECK: %[[A:.*]] = quernel.scatter %arg0, %arg2
// CHECK-NEXT: %[[B:.*]] = quernel.scatter %arg1, %arg2
// CHECK-NEXT: quernel.negative %[[A]]
func.func @over_a_check(%a: tensor<5xf64>, %b: tensor<5xf64>, %v: tensor<9xf64>, %at: tensor<9xi64>, %ok: tensor<i1>)
    -> (tensor<5xf64>, tensor<5xf64>) {
  %0 = quernel.scatter %a, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %1 = quernel.negative %0 : (tensor<5xf64>) -> tensor<5xf64>
  quernel.check %ok {exception = "ValueError", message = "no"} : tensor<i1>
  %2 = quernel.scatter %b, %v, %at {axes = array<i64: 0>, kind = "max"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  return %1, %2 : tensor<5xf64>, tensor<5xf64>
}

// A check that shows what has been written by then holds it.

// CHECK-LABEL: func.func @shown(
// CHECK: quernel.scatter %arg0
// CHECK-NEXT: quernel.check
// CHECK-NEXT: quernel.scatter %arg1
func.func @shown(%a: tensor<5xf64>, %b: tensor<5xf64>, %v: tensor<9xf64>, %at: tensor<9xi64>, %ok: tensor<i1>)
    -> (tensor<5xf64>, tensor<5xf64>) {
  %0 = quernel.scatter %a, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  quernel.check %ok state %0 {exception = "ValueError", message = "no"} : tensor<i1> state tensor<5xf64>
  %1 = quernel.scatter %b, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  return %0, %1 : tensor<5xf64>, tensor<5xf64>
}

// So does what writes to an array that it reads. Those that replace elements are a group of their own, and one that needs
// another's result isn't its sibling.

// CHECK-LABEL: func.func @stays(
// CHECK: quernel.scatter %arg0
// CHECK-NEXT: quernel.update_slice %arg2
// CHECK-NEXT: %[[OLD:.*]] = quernel.negative
// CHECK-NEXT: %[[SET:.*]] = quernel.scatter %arg1, {{.*}} kind = "set"
// CHECK-NEXT: quernel.scatter %arg0, %[[OLD]], {{.*}} kind = "set"
// CHECK-NEXT: quernel.negative
// CHECK-NEXT: %[[SUM:.*]] = quernel.scatter %[[SET]], {{.*}} kind = "sum"
// CHECK-NEXT: quernel.scatter %[[SUM]], {{.*}} kind = "sum"
func.func @stays(%a: tensor<5xf64>, %b: tensor<5xf64>, %v: tensor<9xf64>, %at: tensor<9xi64>, %one: tensor<1xf64>)
    -> (tensor<9xf64>, tensor<5xf64>, tensor<5xf64>) {
  %0 = quernel.scatter %a, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %1 = quernel.update_slice %v, %one {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<1xf64>) -> tensor<9xf64>
  %2 = quernel.scatter %b, %1, %at {axes = array<i64: 0>, kind = "set"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %3 = quernel.negative %1 : (tensor<9xf64>) -> tensor<9xf64>
  %4 = quernel.scatter %a, %3, %at {axes = array<i64: 0>, kind = "set"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %5 = quernel.negative %4 : (tensor<5xf64>) -> tensor<5xf64>
  %6 = quernel.scatter %2, %1, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %7 = quernel.scatter %6, %3, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  return %1, %5, %7 : tensor<9xf64>, tensor<5xf64>, tensor<5xf64>
}
