// Every text with which the operations of loops and branches are refused.
// RUN: quernel-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<f64>) {
  // expected-error @below {{takes an index or an int64 scalar, not 'tensor<f64>'}}
  quernel.symbol %x {number = 0 : i64} : tensor<f64>
  return
}

// -----

func.func @f(%x: index) {
  // expected-error @below {{needs a number that isn't negative}}
  quernel.symbol %x {number = -1 : i64} : index
  return
}

// -----

func.func @f() {
  // expected-error @below {{needs exactly one size}}
  %0 = quernel.size {dim = affine_map<() -> (1, 2)>} : index
  return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{takes a bool scalar as its condition, not 'tensor<2xi1>'}}
  quernel.check %x {exception = "ValueError", message = "no"} : tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<i1>, %v: tensor<f64>) {
  // expected-error @below {{takes int64 scalars as values, not 'tensor<f64>'}}
  quernel.check %x, %v {exception = "ValueError", message = "no"} : tensor<i1>, tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{shape (3,) contradicts the array's (2,)}}
  %0 = quernel.assume_shape %x {shape = affine_map<() -> (3)>} : (tensor<2xf64>) -> tensor<3xf64>
  return
}
