// Kernels that go through the rows of one large array follow each other and have the number of a sweep.
// RUN: quernel-opt %s -pass-pipeline='builtin.module(func.func(quernel-split-reductions,quernel-form-kernels))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Two kernels ask for the rows of the exponentials: these are stored once, by the sweep that reads them. The sum of the
// pieces' sums is no part of it, so it comes behind.
// CHECK-LABEL: @sums(
// CHECK: %[[E:.+]] = linalg.generic
// CHECK: tensor<2000x100xf64> loc(fused<#quernel.statement<name = "sums_exp", ops = ["exp"], sweep = 0 : i64{{.*}}>>
// CHECK: %[[P:.+]] = linalg.generic
// CHECK: tensor.extract %[[E]]
// CHECK: tensor<32x100xf64> loc(fused<#quernel.statement<name = "sums_sum", ops = ["sum"], sweep = 0 : i64{{.*}}>>
// CHECK: linalg.generic
// CHECK: tensor.extract %[[E]]
// CHECK: tensor<2000xf64> loc(fused<#quernel.statement<name = "sums_sum", ops = ["sum"], sweep = 0 : i64{{.*}}>>
// CHECK: linalg.generic
// CHECK: tensor.extract %[[P]]
// CHECK: tensor<100xf64> loc(fused<#quernel.statement<name = "sums_sum", ops = ["sum"]>>
func.func @sums(%x: tensor<2000x100xf64>) -> (tensor<100xf64>, tensor<2000xf64>) {
  %e = quernel.exp %x : (tensor<2000x100xf64>) -> tensor<2000x100xf64>
  %c = quernel.reduce %e {kind = "sum", axes = array<i64: 0>} : (tensor<2000x100xf64>) -> tensor<100xf64>
  %r = quernel.reduce %e {kind = "sum", axes = array<i64: 1>} : (tensor<2000x100xf64>) -> tensor<2000xf64>
  return %c, %r : tensor<100xf64>, tensor<2000xf64>
}

// What is added costs next to nothing: the argument's rows are what is shared.
// CHECK-LABEL: @of_an_argument(
// CHECK-NOT: tensor<2000x100xf64> loc(fused
// CHECK: tensor<32x100xf64> loc(fused<{{.*}}sweep = 0
// CHECK: tensor<2000xf64> loc(fused<{{.*}}sweep = 0
func.func @of_an_argument(%x: tensor<2000x100xf64>, %one: tensor<f64>) -> (tensor<100xf64>, tensor<2000xf64>) {
  %e = quernel.add %x, %one : (tensor<2000x100xf64>, tensor<f64>) -> tensor<2000x100xf64>
  %c = quernel.reduce %e {kind = "sum", axes = array<i64: 0>} : (tensor<2000x100xf64>) -> tensor<100xf64>
  %r = quernel.reduce %e {kind = "sum", axes = array<i64: 1>} : (tensor<2000x100xf64>) -> tensor<2000xf64>
  return %c, %r : tensor<100xf64>, tensor<2000xf64>
}

// The rows' sums need the sums of all columns, which the sweep doesn't have before its end.
// CHECK-LABEL: @one_after_another(
// CHECK-NOT: sweep =
func.func @one_after_another(%x: tensor<2000x100xf64>) -> (tensor<100xf64>, tensor<2000xf64>) {
  %c = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<2000x100xf64>) -> tensor<100xf64>
  %d = quernel.subtract %x, %c : (tensor<2000x100xf64>, tensor<100xf64>) -> tensor<2000x100xf64>
  %r = quernel.reduce %d {kind = "sum", axes = array<i64: 1>} : (tensor<2000x100xf64>) -> tensor<2000xf64>
  return %c, %r : tensor<100xf64>, tensor<2000xf64>
}

// Other rows, short rows and small arrays are nobody's sweep.
// CHECK-LABEL: @others(
// CHECK-NOT: sweep =
func.func @others(%x: tensor<2000x2000xf64>, %y: tensor<100000x4xf64>, %z: tensor<100x100xf64>) -> (tensor<2000xf64>, tensor<2000xf64>, tensor<4xf64>, tensor<100000xf64>, tensor<100xf64>, tensor<100xf64>) {
  %t = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2000x2000xf64>) -> tensor<2000x2000xf64>
  %a = quernel.reduce %x {kind = "sum", axes = array<i64: 1>} : (tensor<2000x2000xf64>) -> tensor<2000xf64>
  %b = quernel.reduce %t {kind = "max", axes = array<i64: 1>} : (tensor<2000x2000xf64>) -> tensor<2000xf64>
  %c = quernel.reduce %y {kind = "sum", axes = array<i64: 0>} : (tensor<100000x4xf64>) -> tensor<4xf64>
  %d = quernel.reduce %y {kind = "sum", axes = array<i64: 1>} : (tensor<100000x4xf64>) -> tensor<100000xf64>
  %e = quernel.reduce %z {kind = "sum", axes = array<i64: 0>} : (tensor<100x100xf64>) -> tensor<100xf64>
  %f = quernel.reduce %z {kind = "sum", axes = array<i64: 1>} : (tensor<100x100xf64>) -> tensor<100xf64>
  return %a, %b, %c, %d, %e, %f : tensor<2000xf64>, tensor<2000xf64>, tensor<4xf64>, tensor<100000xf64>, tensor<100xf64>, tensor<100xf64>
}
