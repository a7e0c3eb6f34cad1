// Every text with which calls of the user's own functions are refused.
// RUN: quernel-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{writes 2 of 1 arrays}}
  %0 = quernel.user_call %x {callee = "f_1", written = 2 : i64, sizes = affine_map<() -> ()>, ranks = array<i64>, shapes = affine_map<() -> ()>, dtypes = []} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{needs a dtype for each rank}}
  %0 = quernel.user_call %x {callee = "f_1", written = 0 : i64, sizes = affine_map<() -> ()>, ranks = array<i64: 1>, shapes = affine_map<() -> (4)>, dtypes = []} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{has a rank without as many sizes}}
  %0 = quernel.user_call %x {callee = "f_1", written = 0 : i64, sizes = affine_map<() -> ()>, ranks = array<i64: 2>, shapes = affine_map<() -> (4)>, dtypes = [f64]} : (tensor<4xf64>) -> tensor<4x4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{has more sizes than its results have axes}}
  %0 = quernel.user_call %x {callee = "f_1", written = 0 : i64, sizes = affine_map<() -> ()>, ranks = array<i64: 1>, shapes = affine_map<() -> (4, 4)>, dtypes = [f64]} : (tensor<4xf64>) -> tensor<4xf64>
  return
}
