// Updates of parts of arrays share no loop: what several of them ask for is stored where it costs enough.
// RUN: quernel-opt %s --quernel-form-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @costly(
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
func.func @costly(%x: tensor<90x90xf64>, %y: tensor<99x99xf64>, %z: tensor<99x99xf64>) -> (tensor<99x99xf64>, tensor<99x99xf64>) {
  %0 = quernel.divide %x, %x : (tensor<90x90xf64>, tensor<90x90xf64>) -> tensor<90x90xf64>
  %1 = quernel.tanh %0 : (tensor<90x90xf64>) -> tensor<90x90xf64>
  %2 = quernel.negative %1 : (tensor<90x90xf64>) -> tensor<90x90xf64>
  %3 = quernel.update_slice %y, %1 {offsets = affine_map<() -> (3, 0)>, sizes = affine_map<() -> (90, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<90x90xf64>) -> tensor<99x99xf64>
  %4 = quernel.update_slice %z, %2 {offsets = affine_map<() -> (0, 3)>, sizes = affine_map<() -> (90, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<90x90xf64>) -> tensor<99x99xf64>
  return %3, %4 : tensor<99x99xf64>, tensor<99x99xf64>
}

// What costs less than it takes to store and load it is computed for each.
// CHECK-LABEL: @cheap(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @cheap(%x: tensor<90x90xf64>, %y: tensor<99x99xf64>, %z: tensor<99x99xf64>) -> (tensor<99x99xf64>, tensor<99x99xf64>) {
  %0 = quernel.divide %x, %x : (tensor<90x90xf64>, tensor<90x90xf64>) -> tensor<90x90xf64>
  %1 = quernel.negative %0 : (tensor<90x90xf64>) -> tensor<90x90xf64>
  %2 = quernel.update_slice %y, %0 {offsets = affine_map<() -> (3, 0)>, sizes = affine_map<() -> (90, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<90x90xf64>) -> tensor<99x99xf64>
  %3 = quernel.update_slice %z, %1 {offsets = affine_map<() -> (0, 3)>, sizes = affine_map<() -> (90, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<90x90xf64>) -> tensor<99x99xf64>
  return %2, %3 : tensor<99x99xf64>, tensor<99x99xf64>
}

// Two updates that ask for a few of its elements don't make it worth to store all.
// CHECK-LABEL: @borders(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @borders(%x: tensor<90x90xf64>, %y: tensor<99x99xf64>) -> tensor<99x99xf64> {
  %0 = quernel.divide %x, %x : (tensor<90x90xf64>, tensor<90x90xf64>) -> tensor<90x90xf64>
  %1 = quernel.tanh %0 : (tensor<90x90xf64>) -> tensor<90x90xf64>
  %2 = quernel.slice %1 {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<() -> (1, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<90x90xf64>) -> tensor<1x90xf64>
  %3 = quernel.slice %1 {offsets = affine_map<() -> (89, 0)>, sizes = affine_map<() -> (1, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<90x90xf64>) -> tensor<1x90xf64>
  %4 = quernel.update_slice %y, %2 {offsets = affine_map<() -> (0, 0)>, sizes = affine_map<() -> (1, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<1x90xf64>) -> tensor<99x99xf64>
  %5 = quernel.update_slice %4, %3 {offsets = affine_map<() -> (98, 0)>, sizes = affine_map<() -> (1, 90)>, strides = affine_map<() -> (1, 1)>} : (tensor<99x99xf64>, tensor<1x90xf64>) -> tensor<99x99xf64>
  return %5 : tensor<99x99xf64>
}
