// Every text with which indexing by arrays, scans and library routines are refused.
// RUN: quernel-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<4xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{needs one index array for each of its axes}}
  %0 = quernel.gather %x, %i {axes = array<i64>} : (tensor<4xf64>, tensor<2xi64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{axes must ascend and be axes of the array}}
  %0 = quernel.gather %x, %i {axes = array<i64: 1>} : (tensor<4xf64>, tensor<2xi64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %i: tensor<2xi32>) {
  // expected-error @below {{indices must be int64}}
  %0 = quernel.gather %x, %i {axes = array<i64: 0>} : (tensor<4xf64>, tensor<2xi32>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4x4xf64>, %i: tensor<2xi64>, %j: tensor<3xi64>) {
  // expected-error @below {{indices need one shape}}
  %0 = quernel.gather %x, %i, %j {axes = array<i64: 0, 1>} : (tensor<4x4xf64>, tensor<2xi64>, tensor<3xi64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %v: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{value needs the dtype of the base}}
  %0 = quernel.scatter %x, %v, %i {axes = array<i64: 0>, kind = "set"} : (tensor<4xf64>, tensor<2xf32>, tensor<2xi64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %v: tensor<3xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{value has shape (3,), the indices select (2,)}}
  %0 = quernel.scatter %x, %v, %i {axes = array<i64: 0>, kind = "set"} : (tensor<4xf64>, tensor<3xf64>, tensor<2xi64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %v: tensor<2xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{no scatter 'mean' of this dtype}}
  %0 = quernel.scatter %x, %v, %i {axes = array<i64: 0>, kind = "mean"} : (tensor<4xf64>, tensor<2xf64>, tensor<2xi64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %m: tensor<4xi64>) {
  // expected-error @below {{mask must be bool}}
  %0 = quernel.compress %x, %m {size = affine_map<() -> (2)>} : (tensor<4xf64>, tensor<4xi64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %m: tensor<3xi1>) {
  // expected-error @below {{mask of shape (3,) doesn't match array of shape (4,)}}
  %0 = quernel.compress %x, %m {size = affine_map<() -> (2)>} : (tensor<4xf64>, tensor<3xi1>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %m: tensor<4xi1>) {
  // expected-error @below {{needs exactly one size}}
  %0 = quernel.compress %x, %m {size = affine_map<() -> (2, 2)>} : (tensor<4xf64>, tensor<4xi1>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{no scan 'any' of this dtype}}
  %0 = quernel.scan %x {kind = "any", axis = 0} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{axis 1 is out of bounds for array of dimension 1}}
  %0 = quernel.scan %x {kind = "sum", axis = 1} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @below {{needs arrays of at least two dimensions}}
  %0 = quernel.routine %x {kind = "inv", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x3xf64>) {
  // expected-error @below {{last 2 dimensions of the array must be square}}
  %0 = quernel.routine %x {kind = "inv", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x3xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @f(%x: tensor<4x4xf64>) {
  // expected-error @below {{unknown routine 'schur'}}
  %0 = quernel.routine %x {kind = "schur", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x4xf64>) {
  // expected-error @below {{'solve' takes 2 arrays}}
  %0 = quernel.routine %x {kind = "solve", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x4xi64>) {
  // expected-error @below {{dtype isn't supported by this operation}}
  %0 = quernel.routine %x {kind = "inv", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x4xi64>) -> tensor<4x4xi64>
  return
}

// -----

func.func @f(%x: tensor<4x4xf64>, %b: tensor<4xf64>) {
  // expected-error @below {{'solve' needs inputs of one batch}}
  %0 = quernel.routine %x, %b {kind = "solve", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x4xf64>, %b: tensor<3x1xf64>) {
  // expected-error @below {{'solve' needs inputs whose axes are equally long}}
  %0 = quernel.routine %x, %b {kind = "solve", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4x4xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return
}

// -----

func.func @f(%x: tensor<?x4xf64>) {
  // expected-error @below {{needs matrices of known sizes}}
  %0 = quernel.routine %x {kind = "svdvals", axis = 0, sizes = affine_map<() -> ()>} : (tensor<?x4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x3xf64>) {
  // expected-error @below {{axis 2 is out of bounds for array of dimension 2}}
  %0 = quernel.routine %x {kind = "sort", axis = 2, sizes = affine_map<() -> ()>} : (tensor<4x3xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @f(%x: tensor<f64>) {
  // expected-error @below {{needs arrays of at least one dimension}}
  %0 = quernel.routine %x {kind = "sort", axis = 0, sizes = affine_map<() -> ()>} : (tensor<f64>) -> tensor<f64>
  return
}

// -----

func.func @positions_of_floats(%x: tensor<4x3xf64>, %k: tensor<2xf64>) {
  // expected-error @below {{'partition' needs an input of another dtype beside the first one}}
  %0 = quernel.routine %x, %k {kind = "partition", axis = 1, sizes = affine_map<() -> ()>} : (tensor<4x3xf64>, tensor<2xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @a_transform_of_integers(%x: tensor<4xi64>, %s: tensor<f64>) {
  // expected-error @below {{dtype isn't supported by this operation}}
  %0 = quernel.routine %x, %s {kind = "fft", axis = 0, sizes = affine_map<() -> (4)>} : (tensor<4xi64>, tensor<f64>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @a_transform_of_no_size(%x: tensor<4xf64>, %s: tensor<f64>) {
  // expected-error @below {{needs a size for each axis that only outputs have}}
  %0 = quernel.routine %x, %s {kind = "rfft_n_even", axis = 0, sizes = affine_map<() -> ()>} : (tensor<4xf64>, tensor<f64>) -> tensor<3xcomplex<f64>>
  return
}

// -----

func.func @too_many_sizes(%x: tensor<4xf64>, %s: tensor<f64>) {
  // expected-error @below {{has more sizes than axes that only outputs have}}
  %0 = quernel.routine %x, %s {kind = "rfft_n_even", axis = 0, sizes = affine_map<() -> (3, 3)>} : (tensor<4xf64>, tensor<f64>) -> tensor<3xcomplex<f64>>
  return
}

// -----

func.func @other_batches(%x: tensor<2x4x4xf64>, %b: tensor<3x4x1xf64>) {
  // expected-error @below {{'solve' needs inputs of one batch}}
  %0:2 = quernel.routine %x, %b {kind = "solve", axis = 1, sizes = affine_map<() -> ()>} : (tensor<2x4x4xf64>, tensor<3x4x1xf64>) -> (tensor<2x4x1xf64>, tensor<i64>)
  return
}
