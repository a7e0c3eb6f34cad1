// Passes that compute with sizes refuse arguments whose sizes nothing names.
// RUN: quernel-opt %s --quernel-inline-products --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-split-reductions --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-form-kernels --verify-diagnostics --split-input-file
// RUN: quernel-opt %s --quernel-bind-buffers --verify-diagnostics --split-input-file

// expected-error @below {{argument 1 needs a shape for its sizes}}
func.func @nameless(%n0: index, %x: tensor<?x2xf64>) -> tensor<?x2xf64> {
  return %x : tensor<?x2xf64>
}
