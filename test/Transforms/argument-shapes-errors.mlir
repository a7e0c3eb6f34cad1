// Passes that compute with sizes refuse arguments whose sizes nothing names.
// RUN: quernel-opt %s --quernel-inline-small-matmul --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-split-reductions --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-form-kernels --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-bind-buffers --verify-diagnostics --split-input-file

// expected-error @below {{argument 1 needs its sizes in 'quernel.shape'}}
func.func @nameless(%n0: index, %x: tensor<?x2xf64>) -> tensor<?x2xf64> {
  return %x : tensor<?x2xf64>
}

// -----

// expected-error @below {{argument 1 has another rank than its 'quernel.shape'}}
func.func @rank(%n0: index, %x: tensor<?x2xf64> {quernel.shape = affine_map<()[s0] -> (s0)>}) -> tensor<?x2xf64> {
  return %x : tensor<?x2xf64>
}
