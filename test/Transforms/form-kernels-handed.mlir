// Arrays whose memory the caller takes over.
// RUN: quernel-opt %s --split-input-file --verify-diagnostics --quernel-form-kernels --cse | FileCheck %s

// The copy becomes the array itself, where nothing else has its memory.
// CHECK-LABEL: @counted(
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: %[[ADDRESS:.*]] = quernel.address %[[OWN]] : tensor<?xf64>
// CHECK: return %[[ADDRESS]] : i64
func.func @counted(%n: tensor<i64> {quernel.argument = #quernel.argument<scalar>}) -> tensor<i64> {
  quernel.symbol %n {number = 0 : i64} : tensor<i64>
  %one = quernel.constant {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %a = quernel.full %one {shape = affine_map<()[s0] -> (s0)>} : (tensor<f64>) -> tensor<?xf64>
  %r = quernel.hand_over %a : (tensor<?xf64>) -> tensor<i64>
  return %r : tensor<i64>
}

// -----

func.func @in_a_branch(%x: tensor<4xf64>, %c: i1) {
  scf.if %c {
    // expected-error@+1 {{stands in a loop or branch, which may not come to it, or more than once}}
    %r = quernel.hand_over %x : (tensor<4xf64>) -> tensor<i64>
  }
  return
}

// -----

func.func @in_a_loop(%x: memref<4xf64>, %c: i1) {
  scf.if %c {
    // expected-error@+1 {{stands in a loop or branch, which may not come to it, or more than once}}
    %r = quernel.address %x : memref<4xf64>
  }
  return
}

// -----

func.func @without_axes(%x: tensor<f64>) -> tensor<i64> {
  // expected-error@+1 {{needs one array with axes}}
  %r = quernel.hand_over %x : (tensor<f64>) -> tensor<i64>
  return %r : tensor<i64>
}
