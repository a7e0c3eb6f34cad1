// Routines of LAPACK: each operand's axes, of rows, of columns, and of the lesser of both.
// RUN: quernel-opt %s --quernel-form-kernels | FileCheck %s

// CHECK-DAG: #[[MATRIX:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[U:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[VALUES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[VH:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d0)>
// CHECK-LABEL: func.func @svd(
// CHECK: linalg.generic {indexing_maps = [#[[MATRIX]], #[[U]], #[[VALUES]], #[[VH]], #[[ONE:.*]]]
// CHECK-SAME: library_call = "qn_svd_c128"
// CHECK-SAME: outs(%{{.*}} : tensor<2x5x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>, tensor<1xi64>)
func.func @svd(%x: tensor<2x5x3xcomplex<f64>>) -> (tensor<2x5x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>) {
  %u, %s, %vh, %failure = quernel.routine %x {kind = "svd", axis = 1, sizes = affine_map<() -> ()>} : (tensor<2x5x3xcomplex<f64>>) -> (tensor<2x5x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>, tensor<i64>)
  return %u, %s, %vh : tensor<2x5x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>
}

// CHECK-LABEL: func.func @complete(
// CHECK: linalg.generic {indexing_maps = [#[[WHOLE]], #[[ROWS]], #[[WHOLE]], #{{.*}}]
// CHECK-SAME: library_call = "qn_qr_complete_f32"
func.func @complete(%x: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>) {
  %q, %r, %failure = quernel.routine %x {kind = "qr_complete", axis = 0, sizes = affine_map<() -> ()>} : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<i64>)
  return %q, %r : tensor<5x5xf32>, tensor<5x3xf32>
}
