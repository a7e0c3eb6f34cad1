// Views that change nothing disappear, views of views become one view.
// RUN: quernel-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @same_dtype(
// CHECK-SAME: %[[X:.*]]: tensor<?xf64>
// CHECK-NEXT: return %[[X]]
func.func @same_dtype(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = quernel.cast %x {dtype = f64} : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func.func @other_dtype(
// CHECK: quernel.cast
func.func @other_dtype(%x: tensor<?xf64>) -> tensor<?xf32> {
  %0 = quernel.cast %x {dtype = f32} : (tensor<?xf64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @cast_to_less_known_size(
// CHECK: quernel.cast
func.func @cast_to_less_known_size(%x: tensor<3xf64>) -> tensor<?xf64> {
  %0 = quernel.cast %x {dtype = f64} : (tensor<3xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func.func @bytes_there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<?xf64>
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @bytes_there_and_back(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = quernel.bitcast %x {dtype = ui64} : (tensor<?xf64>) -> tensor<?xui64>
  %1 = quernel.bitcast %0 {dtype = f64} : (tensor<?xui64>) -> tensor<?xf64>
  %2 = quernel.bitcast %x {dtype = f64} : (tensor<?xf64>) -> tensor<?xf64>
  return %1, %2 : tensor<?xf64>, tensor<?xf64>
}

// CHECK-LABEL: func.func @bytes_of_three_dtypes(
// CHECK-COUNT-2: quernel.bitcast
func.func @bytes_of_three_dtypes(%x: tensor<?xf64>) -> tensor<?xui64> {
  %0 = quernel.bitcast %x {dtype = i64} : (tensor<?xf64>) -> tensor<?xi64>
  %1 = quernel.bitcast %0 {dtype = ui64} : (tensor<?xi64>) -> tensor<?xui64>
  return %1 : tensor<?xui64>
}

// CHECK-LABEL: func.func @same_shape(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf64>
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @same_shape(%x: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %0 = quernel.reshape %x {shape = affine_map<() -> (2, 3)>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %1 = quernel.broadcast_to %x {shape = affine_map<() -> (2, 3)>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0, %1 : tensor<2x3xf64>, tensor<2x3xf64>
}

// Equal types with sizes that aren't known don't say that the shapes are equal.
// CHECK-LABEL: func.func @unknown_sizes(
// CHECK-DAG: quernel.reshape
// CHECK-DAG: quernel.slice
func.func @unknown_sizes(%n0: index, %n1: index, %x: tensor<?x?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0, s1] -> (s0, s1)>>}) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = quernel.reshape %x {shape = affine_map<()[s0, s1] -> (s1, s0)>} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = quernel.slice %x {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<()[s0, s1] -> (s0 - 1, s1)>,
                         strides = affine_map<() -> (1, 1)>} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0, %1 : tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK-LABEL: func.func @reshape_twice(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf64>
// CHECK-NEXT: %[[R:.*]] = quernel.reshape %[[X]] {shape = #{{.*}}} : (tensor<2x3xf64>) -> tensor<3x2xf64>
// CHECK-NEXT: return %[[R]]
func.func @reshape_twice(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %0 = quernel.reshape %x {shape = affine_map<() -> (6)>} : (tensor<2x3xf64>) -> tensor<6xf64>
  %1 = quernel.reshape %0 {shape = affine_map<() -> (3, 2)>} : (tensor<6xf64>) -> tensor<3x2xf64>
  return %1 : tensor<3x2xf64>
}

// CHECK-LABEL: func.func @reshape_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf64>
// CHECK-NEXT: return %[[X]]
func.func @reshape_and_back(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = quernel.reshape %x {shape = affine_map<() -> (6)>} : (tensor<2x3xf64>) -> tensor<6xf64>
  %1 = quernel.reshape %0 {shape = affine_map<() -> (2, 3)>} : (tensor<6xf64>) -> tensor<2x3xf64>
  return %1 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @transpose_twice(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf64>
// CHECK-NEXT: %[[T:.*]] = quernel.transpose %[[X]] {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf64>) -> tensor<3x4x2xf64>
// CHECK-NEXT: return %[[T]]
func.func @transpose_twice(%x: tensor<2x3x4xf64>) -> tensor<3x4x2xf64> {
  %0 = quernel.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf64>) -> tensor<4x3x2xf64>
  %1 = quernel.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf64>) -> tensor<3x4x2xf64>
  return %1 : tensor<3x4x2xf64>
}

// CHECK-LABEL: func.func @transpose_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf64>
// CHECK-NEXT: return %[[X]]
func.func @transpose_and_back(%x: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %0 = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x3xf64>) -> tensor<3x?xf64>
  %1 = quernel.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x?xf64>) -> tensor<?x3xf64>
  return %1 : tensor<?x3xf64>
}

// A square matrix keeps its type when it is transposed, but not its elements.
// CHECK-LABEL: func.func @transpose_square(
// CHECK: quernel.transpose
func.func @transpose_square(%x: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %0 = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}

// CHECK-LABEL: func.func @whole_slice(
// CHECK-SAME: %[[X:.*]]: tensor<5xf64>
// CHECK-NEXT: return %[[X]]
func.func @whole_slice(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = quernel.slice %x {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (5)>, strides = affine_map<() -> (1)>} : (tensor<5xf64>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}

// CHECK-LABEL: func.func @reversed(
// CHECK: quernel.slice
func.func @reversed(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = quernel.slice %x {offsets = affine_map<() -> (4)>, sizes = affine_map<() -> (5)>, strides = affine_map<() -> (-1)>} : (tensor<5xf64>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}

// Constants of equal value become one.
// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: %[[C:.*]] = quernel.constant
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @constants() -> (tensor<2xi64>, tensor<2xi64>) {
  %0 = quernel.constant {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %1 = quernel.constant {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

// A divisor that NumPy never warns of tells nothing.
// CHECK-LABEL: func.func @divisors(
// CHECK-DAG: %[[ONES:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[THREES:.*]] = arith.constant dense<3> : vector<4xi64>
// CHECK: %[[A:.*]] = quernel.divisor %[[ONES]], %{{.*}} : (i64, i64) -> i64
// CHECK: %[[B:.*]] = quernel.divisor %[[ZERO]] : (i64) -> i64
// CHECK: return %[[A]], %[[B]], %[[ONES]], %[[THREES]]
func.func @divisors(%x: i64, %v: vector<4xi64>) -> (i64, i64, i64, vector<4xi64>) {
  %ones = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %threes = arith.constant dense<3> : vector<4xi64>
  %0 = quernel.divisor %ones, %x : (i64, i64) -> i64
  %1 = quernel.divisor %zero : (i64) -> i64
  %2 = quernel.divisor %ones : (i64) -> i64
  %3 = quernel.divisor %threes, %v : (vector<4xi64>, vector<4xi64>) -> vector<4xi64>
  return %0, %1, %2, %3 : i64, i64, i64, vector<4xi64>
}
