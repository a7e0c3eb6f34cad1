// RUN: quernel-opt %s -quernel-split-complex -split-input-file -verify-diagnostics

func.func private @operand(%z: complex<f64>) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error @+1 {{has complex operands and no form on their parts}}
  %length = complex.abs %z : complex<f64>
  return
}

// -----

func.func private @result(%x: i64) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error @+1 {{has a complex result and no form on its parts}}
  %z = builtin.unrealized_conversion_cast %x : i64 to complex<f64>
  return
}
