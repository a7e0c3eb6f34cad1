// Kernels have signless integers, operations with the signs in their names, and the parts of complex numbers.
// RUN: quernel-opt %s --quernel-form-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>, %[[Y:.*]]: tensor<4xi8>
// CHECK-SAME: -> (tensor<4xi1>, tensor<4xf32>)
// CHECK: %[[A:.*]] = tensor.extract %[[X]][%{{.*}}] : tensor<4xi8>
// CHECK: arith.cmpi ult
// CHECK: arith.uitofp
// CHECK-NOT: ui8
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xf32>) {
  %less = quernel.less %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  %cast = quernel.cast %x {dtype = f32} : (tensor<4xui8>) -> tensor<4xf32>
  return %less, %cast : tensor<4xi1>, tensor<4xf32>
}

// CHECK-LABEL: func.func @least(
// CHECK: arith.constant -1 : i16
// CHECK: scf.for
// CHECK: arith.minui
// CHECK: reduce = [umin]
func.func @least(%x: tensor<40xui16>) -> tensor<ui16> {
  %least = quernel.reduce %x {kind = "min", axes = array<i64: 0>} : (tensor<40xui16>) -> tensor<ui16>
  return %least : tensor<ui16>
}

// What ignores NaN is one comparison: that with NaN is false.
// CHECK-LABEL: func.func @least_number(
// CHECK: scf.for {{.*}} iter_args(%[[LEAST:.*]] = %{{.*}}) -> (f64)
// CHECK: %[[X:.*]] = tensor.extract
// CHECK-NOT: arith.minimumf
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[LEAST]] : f64
// CHECK: arith.select %[[LESS]], %[[X]], %[[LEAST]] : f64
func.func @least_number(%x: tensor<40xf64>) -> tensor<f64> {
  %most = quernel.constant {value = dense<0x7FF0000000000000> : tensor<f64>} : () -> tensor<f64>
  %isnan = quernel.isnan %x : (tensor<40xf64>) -> tensor<40xi1>
  %number = quernel.where %isnan, %most, %x : (tensor<40xi1>, tensor<f64>, tensor<40xf64>) -> tensor<40xf64>
  %least = quernel.reduce %number {kind = "min", axes = array<i64: 0>} : (tensor<40xf64>) -> tensor<f64>
  return %least : tensor<f64>
}

// CHECK-LABEL: func.func @clipped(
// CHECK: arith.maxui
// CHECK: arith.minui
func.func @clipped(%x: tensor<4xui8>, %low: tensor<ui8>, %high: tensor<4xui8>) -> tensor<4xui8> {
  %clipped = quernel.clip %x, %low, %high : (tensor<4xui8>, tensor<ui8>, tensor<4xui8>) -> tensor<4xui8>
  return %clipped : tensor<4xui8>
}

// CHECK-LABEL: func.func @product(
// CHECK-DAG: %[[A:.*]] = complex.re %[[Z:.*]] : complex<f64>
// CHECK-DAG: %[[B:.*]] = complex.im %[[Z]] : complex<f64>
// CHECK-DAG: %[[C:.*]] = complex.re %[[W:.*]] : complex<f64>
// CHECK-DAG: %[[D:.*]] = complex.im %[[W]] : complex<f64>
// CHECK-DAG: %[[AC:.*]] = arith.mulf %[[A]], %[[C]] fastmath<contract>
// CHECK-DAG: %[[BD:.*]] = arith.mulf %[[B]], %[[D]] : f64
// CHECK-DAG: %[[MINUS:.*]] = arith.negf %[[BD]]
// CHECK-DAG: %[[RE:.*]] = arith.addf %[[AC]], %[[MINUS]] fastmath<contract>
// CHECK: complex.create %[[RE]], %{{.*}} : complex<f64>
func.func @product(%z: tensor<4xcomplex<f64>>, %w: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %product = quernel.multiply %z, %w : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  return %product : tensor<4xcomplex<f64>>
}

// float16 goes by float32; a double is rounded to odd there, so that it isn't rounded twice.
// Integers that float32 rounds are infinite either way.
// CHECK-LABEL: func.func @halves(
// CHECK: %[[NEAR:.*]] = arith.truncf %[[X:.*]] : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]] : f32 to f64
// CHECK-DAG: arith.cmpf olt, %[[BACK]], %[[X]]
// CHECK-DAG: arith.cmpf ogt, %[[BACK]], %[[X]]
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.truncf %[[ODD]] : f32 to f16
// CHECK: arith.sitofp %{{.*}} : i64 to f16
// CHECK: %[[SINGLE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptosi %[[SINGLE]] : f32 to i64
func.func @halves(%x: tensor<4xf64>, %n: tensor<5xi64>, %h: tensor<6xf16>) -> (tensor<4xf16>, tensor<5xf16>, tensor<6xi64>) {
  %0 = quernel.cast %x {dtype = f16} : (tensor<4xf64>) -> tensor<4xf16>
  %1 = quernel.cast %n {dtype = f16} : (tensor<5xi64>) -> tensor<5xf16>
  %2 = quernel.cast %h {dtype = i64} : (tensor<6xf16>) -> tensor<6xi64>
  return %0, %1, %2 : tensor<4xf16>, tensor<5xf16>, tensor<6xi64>
}

// bfloat16 is the upper half of a float32, rounded to even; NaN keeps its sign. A double is a float32 before.
// CHECK-LABEL: func.func @bfloats(
// CHECK: %[[SINGLE:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SINGLE]] : f32 to i32
// CHECK: %[[TOP:.*]] = arith.shrui %[[BITS]], %{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.andi %[[TOP]], %{{.*}} : i32
// CHECK-DAG: %[[NAN:.*]] = arith.ori %{{.*}}, %{{.*}} : i32
// CHECK-DAG: arith.cmpf uno, %[[SINGLE]], %[[SINGLE]] : f32
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i16 to i32
// CHECK: arith.shli %[[WIDE]], %{{.*}} : i32
// CHECK: arith.fptosi %{{.*}} : f32 to i64
func.func @bfloats(%x: tensor<4xf64>, %h: tensor<6xbf16>) -> (tensor<4xbf16>, tensor<6xi64>) {
  %0 = quernel.cast %x {dtype = bf16} : (tensor<4xf64>) -> tensor<4xbf16>
  %1 = quernel.cast %h {dtype = i64} : (tensor<6xbf16>) -> tensor<6xi64>
  return %0, %1 : tensor<4xbf16>, tensor<6xi64>
}
