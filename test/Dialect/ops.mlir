// Round trips of the operations that aren't ufuncs.
// RUN: quernel-opt %s | quernel-opt | FileCheck %s

// CHECK-DAG: #[[TWO:.*]] = affine_map<()[s0] -> (s0, 2)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<()[s0] -> (2, s0)>
// CHECK-DAG: #[[LESS:.*]] = affine_map<()[s0] -> (s0 - 1)>

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<?x2xf64>, %c: tensor<2xi1>) {
  // CHECK: quernel.cast %{{.*}} {dtype = i64} : (tensor<?x2xf64>) -> tensor<?x2xi64>
  %0 = quernel.cast %x {dtype = i64} : (tensor<?x2xf64>) -> tensor<?x2xi64>
  // CHECK: quernel.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2xi1>, tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %1 = quernel.where %c, %x, %x : (tensor<2xi1>, tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<40x?x2xf64>, %b: tensor<40x2xi1>, %i: tensor<3x2xi64>, %v: tensor<3x2xf64>) {
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0, 2>, kind = "sum"} : (tensor<40x?x2xf64>) -> tensor<?xf64>
  %0 = quernel.reduce %x {kind = "sum", axes = array<i64: 0, 2>} : (tensor<40x?x2xf64>) -> tensor<?xf64>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "prod"}
  %1 = quernel.reduce %x {kind = "prod", axes = array<i64: 0>} : (tensor<40x?x2xf64>) -> tensor<?x2xf64>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "min"}
  %2 = quernel.reduce %b {kind = "min", axes = array<i64: 0>} : (tensor<40x2xi1>) -> tensor<2xi1>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, kind = "max"}
  %3 = quernel.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<40x?x2xf64>) -> tensor<?x2xf64>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 1>, kind = "any"} : (tensor<40x2xi1>) -> tensor<40xi1>
  %4 = quernel.reduce %b {kind = "any", axes = array<i64: 1>} : (tensor<40x2xi1>) -> tensor<40xi1>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0, 1>, kind = "all"} : (tensor<40x2xi1>) -> tensor<i1>
  %5 = quernel.reduce %b {kind = "all", axes = array<i64: 0, 1>} : (tensor<40x2xi1>) -> tensor<i1>
  // CHECK: quernel.reduce %{{.*}} {axes = array<i64: 0>, chunk = 16 : i64, kind = "sum"} : (tensor<40x?x2xf64>) -> tensor<3x?x2xf64>
  %6 = quernel.reduce %x {kind = "sum", axes = array<i64: 0>, chunk = 16 : i64} : (tensor<40x?x2xf64>) -> tensor<3x?x2xf64>
  // CHECK: quernel.argreduce %{{.*}} {axis = 0 : i64, kind = "argmin"} : (tensor<40x?x2xf64>) -> (tensor<?x2xf64>, tensor<?x2xi64>)
  %7:2 = quernel.argreduce %x {kind = "argmin", axis = 0 : i64} : (tensor<40x?x2xf64>) -> (tensor<?x2xf64>, tensor<?x2xi64>)
  // CHECK: quernel.argreduce %{{.*}} {axis = 0 : i64, chunk = 8 : i64, kind = "argmax"} : (tensor<40x?x2xf64>) -> (tensor<5x?x2xf64>, tensor<5x?x2xi64>)
  %8:2 = quernel.argreduce %x {kind = "argmax", axis = 0 : i64, chunk = 8 : i64} : (tensor<40x?x2xf64>) -> (tensor<5x?x2xf64>, tensor<5x?x2xi64>)
  // CHECK: quernel.argreduce %{{.*}}, %{{.*}} {axis = 0 : i64, kind = "argmax"} : (tensor<3x2xf64>, tensor<3x2xi64>) -> (tensor<2xf64>, tensor<2xi64>)
  %9:2 = quernel.argreduce %v, %i {kind = "argmax", axis = 0 : i64} : (tensor<3x2xf64>, tensor<3x2xi64>) -> (tensor<2xf64>, tensor<2xi64>)
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%n0: index, %x: tensor<?x2xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 2)>>}, %v: tensor<?xf64>) {
  // CHECK: quernel.reshape %{{.*}} {shape = #[[SWAPPED]]} : (tensor<?x2xf64>) -> tensor<2x?xf64>
  %0 = quernel.reshape %x {shape = affine_map<()[s0] -> (2, s0)>} : (tensor<?x2xf64>) -> tensor<2x?xf64>
  // CHECK: quernel.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<?x2xf64>) -> tensor<2x?xf64>
  %1 = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x2xf64>) -> tensor<2x?xf64>
  // CHECK: quernel.broadcast_to %{{.*}} {shape = #[[SWAPPED]]} : (tensor<?xf64>) -> tensor<2x?xf64>
  %2 = quernel.broadcast_to %v {shape = affine_map<()[s0] -> (2, s0)>} : (tensor<?xf64>) -> tensor<2x?xf64>
  // CHECK: quernel.slice %{{.*}} {offsets = #[[LESS]], sizes = #{{.*}}, strides = #{{.*}}} : (tensor<?xf64>) -> tensor<?xf64>
  %3 = quernel.slice %v {offsets = affine_map<()[s0] -> (s0 - 1)>, sizes = affine_map<()[s0] -> (s0)>,
                         strides = affine_map<() -> (-1)>} : (tensor<?xf64>) -> tensor<?xf64>
  // CHECK: quernel.concatenate %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<?x2xf64>, tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %4 = quernel.concatenate %x, %x, %x {axis = 0 : i64} : (tensor<?x2xf64>, tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  return
}

// CHECK-LABEL: func.func @creation
func.func @creation(%n0: index, %v: tensor<f64>) {
  // CHECK: quernel.full %{{.*}} {shape = #[[TWO]]} : (tensor<f64>) -> tensor<?x2xf64>
  %0 = quernel.full %v {shape = affine_map<()[s0] -> (s0, 2)>} : (tensor<f64>) -> tensor<?x2xf64>
  // CHECK: quernel.iota {axis = 0 : i64, dtype = i64, shape = #[[TWO]]} : () -> tensor<?x2xi64>
  %1 = quernel.iota {shape = affine_map<()[s0] -> (s0, 2)>, axis = 0 : i64, dtype = i64} : () -> tensor<?x2xi64>
  // CHECK: quernel.dim {dim = #[[LESS]]} : () -> tensor<i64>
  %2 = quernel.dim {dim = affine_map<()[s0] -> (s0 - 1)>} : () -> tensor<i64>
  // CHECK: quernel.constant {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %3 = quernel.constant {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @products_and_stores
func.func @products_and_stores(%a: tensor<5x3x4xf64>, %b: tensor<4xf64>, %x: tensor<9xf64>, %v: tensor<1xf64>) {
  // CHECK: quernel.matmul %{{.*}}, %{{.*}} : (tensor<5x3x4xf64>, tensor<4xf64>) -> tensor<5x3xf64>
  %0 = quernel.matmul %a, %b : (tensor<5x3x4xf64>, tensor<4xf64>) -> tensor<5x3xf64>
  // CHECK: quernel.update_slice %{{.*}}, %{{.*}} {offsets = #{{.*}}, sizes = #{{.*}}, strides = #{{.*}}} : (tensor<9xf64>, tensor<1xf64>) -> tensor<9xf64>
  %1 = quernel.update_slice %x, %v {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (4)>,
                                    strides = affine_map<() -> (2)>} : (tensor<9xf64>, tensor<1xf64>) -> tensor<9xf64>
  return
}

// CHECK-LABEL: func.func @calls_of_users
func.func @calls_of_users(%n0: index, %a: tensor<f64>, %x: tensor<?xf64>, %y: tensor<?xf64>) {
  // CHECK: quernel.user_call %{{.*}}, %{{.*}}, %{{.*}} {callee = "f_1", dtypes = [f32], ranks = array<i64: 1>, shapes = #[[LESS]], sizes = #{{.*}}, written = 1 : i64} : (tensor<f64>, tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf32>)
  %0, %1 = quernel.user_call %a, %x, %y {callee = "f_1", written = 1 : i64, sizes = affine_map<()[s0] -> (s0)>, ranks = array<i64: 1>,
                                         shapes = affine_map<()[s0] -> (s0 - 1)>, dtypes = [f32]} : (tensor<f64>, tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf32>)
  return
}
