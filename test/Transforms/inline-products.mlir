// Small products become multiply and sum; large ones stay for BLAS.
// RUN: quernel-opt %s --quernel-inline-products --canonicalize --mlir-print-local-scope | FileCheck %s

// A short inner size and few columns.
// CHECK-LABEL: @few_columns(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<()[s0] -> (s0, 4, 1)>} : (tensor<?x4xf64>) -> tensor<?x4x1xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reshape %[[A2]] {shape = affine_map<() -> (1, 4, 2)>} : (tensor<4x2xf64>) -> tensor<1x4x2xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.multiply %[[V0]], %[[V1]] : (tensor<?x4x1xf64>, tensor<1x4x2xf64>) -> tensor<?x4x2xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 1>, kind = "sum"} : (tensor<?x4x2xf64>) -> tensor<?x2xf64>
// CHECK-NEXT: return %[[V3]] : tensor<?x2xf64>
func.func @few_columns(%n0: index, %a: tensor<?x4xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 4)>>}, %b: tensor<4x2xf64>) -> tensor<?x2xf64> {
  %0 = quernel.matmul %a, %b : (tensor<?x4xf64>, tensor<4x2xf64>) -> tensor<?x2xf64>
  return %0 : tensor<?x2xf64>
}

// CHECK-LABEL: @vectors(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.multiply %[[A0]], %[[A1]] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reduce %[[V0]] {axes = array<i64: 0>, kind = "sum"} : (tensor<3xf64>) -> tensor<f64>
// CHECK-NEXT: return %[[V1]] : tensor<f64>
func.func @vectors(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %0 = quernel.matmul %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// A vector on the left is a row.
// CHECK-LABEL: @row(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A0]] {shape = affine_map<() -> (3, 1)>} : (tensor<3xf64>) -> tensor<3x1xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.multiply %[[V0]], %[[A1]] : (tensor<3x1xf64>, tensor<3x50xf64>) -> tensor<3x50xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.reduce %[[V1]] {axes = array<i64: 0>, kind = "sum"} : (tensor<3x50xf64>) -> tensor<50xf64>
// CHECK-NEXT: return %[[V2]] : tensor<50xf64>
func.func @row(%a: tensor<3xf64>, %b: tensor<3x50xf64>) -> tensor<50xf64> {
  %0 = quernel.matmul %a, %b : (tensor<3xf64>, tensor<3x50xf64>) -> tensor<50xf64>
  return %0 : tensor<50xf64>
}

// BLAS has no integers.
// CHECK-LABEL: @integers(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A0]] {shape = affine_map<() -> (100, 50, 1)>} : (tensor<100x50xi64>) -> tensor<100x50x1xi64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<() -> (1, 50, 60)>} : (tensor<50x60xi64>) -> tensor<1x50x60xi64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.multiply %[[V0]], %[[V1]] : (tensor<100x50x1xi64>, tensor<1x50x60xi64>) -> tensor<100x50x60xi64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 1>, kind = "sum"} : (tensor<100x50x60xi64>) -> tensor<100x60xi64>
// CHECK-NEXT: return %[[V3]] : tensor<100x60xi64>
func.func @integers(%a: tensor<100x50xi64>, %b: tensor<50x60xi64>) -> tensor<100x60xi64> {
  %0 = quernel.matmul %a, %b : (tensor<100x50xi64>, tensor<50x60xi64>) -> tensor<100x60xi64>
  return %0 : tensor<100x60xi64>
}

// Sums of bools are disjunctions.
// CHECK-LABEL: @bools(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A0]] {shape = affine_map<() -> (3, 2, 1)>} : (tensor<3x2xi1>) -> tensor<3x2x1xi1>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<() -> (1, 2, 3)>} : (tensor<2x3xi1>) -> tensor<1x2x3xi1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.multiply %[[V0]], %[[V1]] : (tensor<3x2x1xi1>, tensor<1x2x3xi1>) -> tensor<3x2x3xi1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 1>, kind = "any"} : (tensor<3x2x3xi1>) -> tensor<3x3xi1>
// CHECK-NEXT: return %[[V3]] : tensor<3x3xi1>
func.func @bools(%a: tensor<3x2xi1>, %b: tensor<2x3xi1>) -> tensor<3x3xi1> {
  %0 = quernel.matmul %a, %b : (tensor<3x2xi1>, tensor<2x3xi1>) -> tensor<3x3xi1>
  return %0 : tensor<3x3xi1>
}

// CHECK-LABEL: @large(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.matmul %[[A0]], %[[A1]] : (tensor<100x50xf64>, tensor<50x60xf64>) -> tensor<100x60xf64>
// CHECK-NEXT: return %[[V0]] : tensor<100x60xf64>
func.func @large(%a: tensor<100x50xf64>, %b: tensor<50x60xf64>) -> tensor<100x60xf64> {
  %0 = quernel.matmul %a, %b : (tensor<100x50xf64>, tensor<50x60xf64>) -> tensor<100x60xf64>
  return %0 : tensor<100x60xf64>
}

// A short inner size alone isn't enough.
// CHECK-LABEL: @wide(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.matmul %[[A0]], %[[A1]] : (tensor<100x5xf64>, tensor<5x60xf64>) -> tensor<100x60xf64>
// CHECK-NEXT: return %[[V0]] : tensor<100x60xf64>
func.func @wide(%a: tensor<100x5xf64>, %b: tensor<5x60xf64>) -> tensor<100x60xf64> {
  %0 = quernel.matmul %a, %b : (tensor<100x5xf64>, tensor<5x60xf64>) -> tensor<100x60xf64>
  return %0 : tensor<100x60xf64>
}

// Batch axes stay: the library's call goes along them.
// CHECK-LABEL: @batches(
// CHECK: quernel.matmul %{{.*}}, %{{.*}} : (tensor<7x6x100x50xf64>, tensor<6x50x60xf64>) -> tensor<7x6x100x60xf64>
func.func @batches(%a: tensor<7x6x100x50xf64>, %b: tensor<6x50x60xf64>) -> tensor<7x6x100x60xf64> {
  %0 = quernel.matmul %a, %b : (tensor<7x6x100x50xf64>, tensor<6x50x60xf64>) -> tensor<7x6x100x60xf64>
  return %0 : tensor<7x6x100x60xf64>
}

// The library's product of batches by a vector would be one by one.
// CHECK-LABEL: @batch_by_vector(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<() -> (1, 50)>} : (tensor<50xf64>) -> tensor<1x50xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.multiply %[[A0]], %[[V0]] : (tensor<7x6x100x50xf64>, tensor<1x50xf64>) -> tensor<7x6x100x50xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.reduce %[[V1]] {axes = array<i64: 3>, kind = "sum"} : (tensor<7x6x100x50xf64>) -> tensor<7x6x100xf64>
// CHECK-NEXT: return %[[V2]] : tensor<7x6x100xf64>
func.func @batch_by_vector(%a: tensor<7x6x100x50xf64>, %b: tensor<50xf64>) -> tensor<7x6x100xf64> {
  %0 = quernel.matmul %a, %b : (tensor<7x6x100x50xf64>, tensor<50xf64>) -> tensor<7x6x100xf64>
  return %0 : tensor<7x6x100xf64>
}

// Shapes are known by value: what replaces a product isn't mistaken for what was there before.
// CHECK-LABEL: @chain(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = quernel.reshape %[[A0]] {shape = affine_map<() -> (3, 2, 1)>} : (tensor<3x2xf64>) -> tensor<3x2x1xf64>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<() -> (1, 2, 3)>} : (tensor<2x3xf64>) -> tensor<1x2x3xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = quernel.multiply %[[V0]], %[[V1]] : (tensor<3x2x1xf64>, tensor<1x2x3xf64>) -> tensor<3x2x3xf64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = quernel.reduce %[[V2]] {axes = array<i64: 1>, kind = "sum"} : (tensor<3x2x3xf64>) -> tensor<3x3xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = quernel.reshape %[[V3]] {shape = affine_map<() -> (3, 3, 1)>} : (tensor<3x3xf64>) -> tensor<3x3x1xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = quernel.reshape %[[A0]] {shape = affine_map<() -> (1, 3, 2)>} : (tensor<3x2xf64>) -> tensor<1x3x2xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = quernel.multiply %[[V4]], %[[V5]] : (tensor<3x3x1xf64>, tensor<1x3x2xf64>) -> tensor<3x3x2xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = quernel.reduce %[[V6]] {axes = array<i64: 1>, kind = "sum"} : (tensor<3x3x2xf64>) -> tensor<3x2xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = quernel.reshape %[[V7]] {shape = affine_map<() -> (3, 2, 1)>} : (tensor<3x2xf64>) -> tensor<3x2x1xf64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = quernel.reshape %[[A1]] {shape = affine_map<() -> (1, 2, 3)>} : (tensor<2x3xf64>) -> tensor<1x2x3xf64>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = quernel.multiply %[[V8]], %[[V9]] : (tensor<3x2x1xf64>, tensor<1x2x3xf64>) -> tensor<3x2x3xf64>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = quernel.reduce %[[V10]] {axes = array<i64: 1>, kind = "sum"} : (tensor<3x2x3xf64>) -> tensor<3x3xf64>
// CHECK-NEXT: return %[[V11]] : tensor<3x3xf64>
func.func @chain(%a: tensor<3x2xf64>, %b: tensor<2x3xf64>) -> tensor<3x3xf64> {
  %0 = quernel.matmul %a, %b : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<3x3xf64>
  %1 = quernel.matmul %0, %a : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %2 = quernel.matmul %1, %b : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<3x3xf64>
  return %2 : tensor<3x3xf64>
}

// Two products of one large matrix go through it once; an exchange of its axes is the other side.
// CHECK-LABEL: @shared(
// CHECK-NOT: quernel.matmul
// CHECK: return
func.func @shared(%a: tensor<2000x1100xf64>, %x: tensor<1100xf64>, %y: tensor<2000xf64>) -> (tensor<2000xf64>, tensor<1100xf64>) {
  %t = quernel.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2000x1100xf64>) -> tensor<1100x2000xf64>
  %0 = quernel.matmul %a, %x : (tensor<2000x1100xf64>, tensor<1100xf64>) -> tensor<2000xf64>
  %1 = quernel.matmul %t, %y : (tensor<1100x2000xf64>, tensor<2000xf64>) -> tensor<1100xf64>
  return %0, %1 : tensor<2000xf64>, tensor<1100xf64>
}

// The second one needs all of the first.
// CHECK-LABEL: @one_after_the_other(
// CHECK-COUNT-2: quernel.matmul
func.func @one_after_the_other(%a: tensor<2000x2000xf64>, %x: tensor<2000xf64>) -> tensor<2000xf64> {
  %0 = quernel.matmul %a, %x : (tensor<2000x2000xf64>, tensor<2000xf64>) -> tensor<2000xf64>
  %1 = quernel.matmul %a, %0 : (tensor<2000x2000xf64>, tensor<2000xf64>) -> tensor<2000xf64>
  return %1 : tensor<2000xf64>
}

// A matrix that is computed for one product is never stored.
// CHECK-LABEL: @computed(
// CHECK-NOT: quernel.matmul
// CHECK: return
func.func @computed(%a: tensor<200x300xf64>, %x: tensor<300xf64>, %s: tensor<f64>) -> tensor<200xf64> {
  %0 = quernel.multiply %a, %s : (tensor<200x300xf64>, tensor<f64>) -> tensor<200x300xf64>
  %1 = quernel.matmul %0, %x : (tensor<200x300xf64>, tensor<300xf64>) -> tensor<200xf64>
  return %1 : tensor<200xf64>
}
