// One case for every text with which a rule refuses an operation.
// RUN: quernel-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2xf64>, %y: tensor<4x3xf64>) {
  // expected-error @below {{operands could not be broadcast together with shapes (2,) (4,3)}}
  %0 = quernel.add %x, %y : (tensor<2xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @f(%x: tensor<?x2xf64>, %y: tensor<?x3xf64>) {
  // expected-error @below {{operands could not be broadcast together with shapes (?,2) (?,3)}}
  %0 = quernel.add %x, %y : (tensor<?x2xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>, %y: tensor<2xf32>) {
  // expected-error @below {{operands need one dtype}}
  %0 = quernel.add %x, %y : (tensor<2xf64>, tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xi64>) {
  // expected-error @below {{dtype isn't supported by this operation}}
  %0 = quernel.exp %x : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{dtype isn't supported by this operation}}
  %0 = quernel.negative %x : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{dtype isn't supported by this operation}}
  %0 = quernel.invert %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{has result type 'tensor<3xf64>', but its rule gives 'tensor<2xf64>'}}
  %0 = quernel.exp %x : (tensor<2xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{has result type 'tensor<2xf64>', but its rule gives 'tensor<2xi1>'}}
  %0 = quernel.isnan %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<?xf64>) {
  // expected-error @below {{has result type 'tensor<?x?xf64>', but its rule gives 'tensor<?xf64>'}}
  %0 = quernel.exp %x : (tensor<?xf64>) -> tensor<?x?xf64>
  return
}

// -----

func.func @f(%c: tensor<2xf64>, %x: tensor<2xf64>) {
  // expected-error @below {{condition must be bool}}
  %0 = quernel.where %c, %x, %x : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%c: tensor<2xi1>, %x: tensor<2xf64>, %y: tensor<2xi64>) {
  // expected-error @below {{both branches need one dtype}}
  %0 = quernel.where %c, %x, %y : (tensor<2xi1>, tensor<2xf64>, tensor<2xi64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%c: tensor<3xi1>, %x: tensor<2xf64>) {
  // expected-error @below {{operands could not be broadcast together with shapes (3,) (2,)}}
  %0 = quernel.where %c, %x, %x : (tensor<3xi1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{no reduction 'mean' of this dtype}}
  %0 = quernel.reduce %x {kind = "mean", axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{no reduction 'any' of this dtype}}
  %0 = quernel.reduce %x {kind = "any", axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{no reduction 'sum' of this dtype}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<2xi1>) -> tensor<i1>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{needs an axis to reduce}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64>} : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{axis 2 is out of bounds for array of dimension 2}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 2>} : (tensor<2x3xf64>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{axis -1 is out of bounds for array of dimension 1}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: -1>} : (tensor<2xf64>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{duplicate value in 'axis'}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 1, 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{chunk must be positive}}
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>, chunk = 0 : i64} : (tensor<2xf64>) -> tensor<1xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{chunk must be positive}}
  %0:2 = quernel.argreduce %x {kind = "argmin", axis = 0 : i64, chunk = -4 : i64} : (tensor<2xf64>) -> (tensor<1xf64>, tensor<1xi64>)
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{unknown search 'min'}}
  %0:2 = quernel.argreduce %x {kind = "min", axis = 0 : i64} : (tensor<2xf64>) -> (tensor<f64>, tensor<i64>)
  return
}

// -----

func.func @f(%x: tensor<f64>) {
  // expected-error @below {{axis 0 is out of bounds for array of dimension 0}}
  %0:2 = quernel.argreduce %x {kind = "argmin", axis = 0 : i64} : (tensor<f64>) -> (tensor<f64>, tensor<i64>)
  return
}

// -----

func.func @f(%x: tensor<2xf64>, %p: tensor<2xi32>) {
  // expected-error @below {{payload must be int64}}
  %0:2 = quernel.argreduce %x, %p {kind = "argmin", axis = 0 : i64} : (tensor<2xf64>, tensor<2xi32>) -> (tensor<f64>, tensor<i64>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{cannot reshape array of shape (2,3) into shape (4,2)}}
  %0 = quernel.reshape %x {shape = affine_map<() -> (4, 2)>} : (tensor<2x3xf64>) -> tensor<4x2xf64>
  return
}

// -----

func.func @f(%x: tensor<0x3xf64>) {
  // expected-error @below {{cannot reshape array of shape (0,3) into shape (3,)}}
  %0 = quernel.reshape %x {shape = affine_map<() -> (3)>} : (tensor<0x3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{axes don't match array}}
  %0 = quernel.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{axes don't match array}}
  %0 = quernel.transpose %x {permutation = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{could not broadcast array of shape (2,) to shape (2,3)}}
  %0 = quernel.broadcast_to %x {shape = affine_map<() -> (2, 3)>} : (tensor<2xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{could not broadcast array of shape (2,3) to shape (3,)}}
  %0 = quernel.broadcast_to %x {shape = affine_map<() -> (3)>} : (tensor<2x3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{could not broadcast array of shape (3,) to shape (1,)}}
  %0 = quernel.broadcast_to %x {shape = affine_map<() -> (1)>} : (tensor<3xf64>) -> tensor<1xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{'strides' needs one entry for each of the 2 axes}}
  %0 = quernel.slice %x {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<() -> (1, 1)>, strides = affine_map<() -> (1)>} : (tensor<2x3xf64>) -> tensor<1x1xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>) {
  // expected-error @below {{region leaves an axis of size 9}}
  %0 = quernel.slice %x {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (5)>, strides = affine_map<() -> (2)>} : (tensor<9xf64>) -> tensor<5xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>) {
  // expected-error @below {{region leaves an axis of size 9}}
  %0 = quernel.slice %x {offsets = affine_map<() -> (3)>, sizes = affine_map<() -> (5)>, strides = affine_map<() -> (-1)>} : (tensor<9xf64>) -> tensor<5xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>) {
  // expected-error @below {{region leaves an axis of size 9}}
  %0 = quernel.slice %x {offsets = affine_map<() -> (9)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>) -> tensor<1xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>, %v: tensor<2xf64>) {
  // expected-error @below {{region leaves an axis of size 9}}
  %0 = quernel.update_slice %x, %v {offsets = affine_map<() -> (8)>, sizes = affine_map<() -> (2)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<2xf64>) -> tensor<9xf64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{need at least one array to concatenate}}
  %0 = "quernel.concatenate"() {axis = 0 : i64} : () -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{axis 1 is out of bounds for array of dimension 1}}
  %0 = quernel.concatenate %x, %x {axis = 1 : i64} : (tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>, %y: tensor<2xi64>) {
  // expected-error @below {{operands need one dtype}}
  %0 = quernel.concatenate %x, %y {axis = 0 : i64} : (tensor<2xf64>, tensor<2xi64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>, %y: tensor<2x1xf64>) {
  // expected-error @below {{all the input arrays must have same number of dimensions}}
  %0 = quernel.concatenate %x, %y {axis = 0 : i64} : (tensor<2xf64>, tensor<2x1xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf64>, %y: tensor<2x4xf64>) {
  // expected-error @below {{all the input array dimensions except for the concatenation axis must match exactly}}
  %0 = quernel.concatenate %x, %y {axis = 0 : i64} : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @f(%x: tensor<1xf64>) {
  // expected-error @below {{fill value must have no axes}}
  %0 = quernel.full %x {shape = affine_map<() -> (2)>} : (tensor<1xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{axis 1 is out of bounds for array of dimension 1}}
  %0 = quernel.iota {shape = affine_map<() -> (3)>, axis = 1 : i64, dtype = i64} : () -> tensor<3xi64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{needs exactly one size}}
  %0 = quernel.dim {dim = affine_map<() -> (3, 4)>} : () -> tensor<i64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{has result type 'tensor<2xi64>', but its rule gives 'tensor<3xi64>'}}
  %0 = quernel.constant {value = dense<1> : tensor<3xi64>} : () -> tensor<2xi64>
  return
}

// -----

func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x2xf32>) {
  // expected-error @below {{operands need one dtype}}
  %0 = quernel.matmul %a, %b : (tensor<2x3xf64>, tensor<3x2xf32>) -> tensor<2x2xf64>
  return
}

// -----

func.func @f(%a: tensor<f64>, %b: tensor<3xf64>) {
  // expected-error @below {{matmul: Input operand does not have enough dimensions}}
  %0 = quernel.matmul %a, %b : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) {
  // expected-error @below {{matmul: Input operand 1 has a mismatch in its core dimension 0}}
  %0 = quernel.matmul %a, %b : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @f(%a: tensor<4x2x3xf64>, %b: tensor<5x3x2xf64>) {
  // expected-error @below {{operands could not be broadcast together with shapes (4,) (5,)}}
  %0 = quernel.matmul %a, %b : (tensor<4x2x3xf64>, tensor<5x3x2xf64>) -> tensor<4x2x2xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>, %v: tensor<2xf32>) {
  // expected-error @below {{value needs the dtype of the base}}
  %0 = quernel.update_slice %x, %v {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (2)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<2xf32>) -> tensor<9xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>, %v: tensor<3xf64>) {
  // expected-error @below {{could not broadcast input array from shape (3,) into shape (2,)}}
  %0 = quernel.update_slice %x, %v {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (2)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<3xf64>) -> tensor<9xf64>
  return
}

// -----

func.func @f(%x: tensor<9xf64>, %v: tensor<3x2xf64>) {
  // expected-error @below {{could not broadcast input array from shape (3,2) into shape (2,)}}
  %0 = quernel.update_slice %x, %v {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (2)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<3x2xf64>) -> tensor<9xf64>
  return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{the bytes of float64 are none of int32}}
  %0 = quernel.bitcast %x {dtype = i32} : (tensor<2xf64>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2xi8>) {
  // expected-error @below {{the bytes of int8 are none of bool}}
  %0 = quernel.bitcast %x {dtype = i1} : (tensor<2xi8>) -> tensor<2xi1>
  return
}
