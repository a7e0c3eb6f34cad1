// Unsigned and complex element types: what ufuncs take and give.
// RUN: quernel-opt %s | quernel-opt | FileCheck %s

// CHECK-LABEL: func.func @unsigned
func.func @unsigned(%x: tensor<?x3xui8>, %y: tensor<3xui8>) {
  // CHECK: quernel.floor_divide {{.*}} : (tensor<?x3xui8>, tensor<3xui8>) -> tensor<?x3xui8>
  %divide = quernel.floor_divide %x, %y : (tensor<?x3xui8>, tensor<3xui8>) -> tensor<?x3xui8>
  // CHECK: quernel.less {{.*}} -> tensor<?x3xi1>
  %less = quernel.less %x, %y : (tensor<?x3xui8>, tensor<3xui8>) -> tensor<?x3xi1>
  // CHECK: quernel.cast {{.*}}{dtype = ui64} : (tensor<?x3xui8>) -> tensor<?x3xui64>
  %cast = quernel.cast %x {dtype = ui64} : (tensor<?x3xui8>) -> tensor<?x3xui64>
  return
}

// CHECK-LABEL: func.func @complex
func.func @complex(%z: tensor<?x3xcomplex<f64>>, %x: tensor<3xf32>) {
  // CHECK: quernel.multiply {{.*}} -> tensor<?x3xcomplex<f64>>
  %product = quernel.multiply %z, %z : (tensor<?x3xcomplex<f64>>, tensor<?x3xcomplex<f64>>) -> tensor<?x3xcomplex<f64>>
  // CHECK: quernel.absolute {{.*}} : (tensor<?x3xcomplex<f64>>) -> tensor<?x3xf64>
  %length = quernel.absolute %z : (tensor<?x3xcomplex<f64>>) -> tensor<?x3xf64>
  // CHECK: quernel.absolute {{.*}} : (tensor<3xf32>) -> tensor<3xf32>
  %size = quernel.absolute %x : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: quernel.imag {{.*}} -> tensor<?x3xf64>
  %imag = quernel.imag %z : (tensor<?x3xcomplex<f64>>) -> tensor<?x3xf64>
  // CHECK: quernel.complex {{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
  %joined = quernel.complex %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
  // CHECK: quernel.equal {{.*}} -> tensor<?x3xi1>
  %equal = quernel.equal %z, %z : (tensor<?x3xcomplex<f64>>, tensor<?x3xcomplex<f64>>) -> tensor<?x3xi1>
  // CHECK: quernel.reduce {{.*}} -> tensor<?xcomplex<f64>>
  %sum = quernel.reduce %z {kind = "sum", axes = array<i64: 1>} : (tensor<?x3xcomplex<f64>>) -> tensor<?xcomplex<f64>>
  return
}
