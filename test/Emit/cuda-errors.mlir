// RUN: quernel-translate --to-cuda --split-input-file --verify-diagnostics %s

// expected-error@+1 {{'func.func' op is no kernel}}
func.func @plain() {
  return
}

// -----

func.func private @vectors(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'vector.load' op has a vector type, which CUDA kernels cannot have}}
  %v = vector.load %x[%c0] : memref<?xf64>, vector<2xf64>
  %e = vector.extract %v[0] : f64 from vector<2xf64>
  memref.store %e, %x[%c0] : memref<?xf64>
  // expected-error@+1 {{'vector.store' op needs a memref of rank 1, and vectors}}
  vector.store %v, %x[%c0] : memref<?xf64>, vector<2xf64>
  return
}

// -----

func.func private @callee(%x: f64) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @caller(%x: f64) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'func.call' op cannot be called from a CUDA kernel}}
  func.call @callee(%x) : (f64) -> ()
  return
}

// -----

func.func private @takes(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %t = memref.alloc() : memref<2xf64> // expected-error {{'memref.alloc' op can stand in a program alone}}
  return
}

// -----

func.func @shares(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' op can stand in a kernel alone}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
  }
  return
}

// -----

func.func private @no_function(%x: memref<?xf64>, %v: f64) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.atomic_rmw' op has no atomic function}}
  %0 = memref.atomic_rmw mulf %v, %x[%c0] : (f64, memref<?xf64>) -> f64
  return
}

// -----

func.func private @four_axes(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' op has reductions, or more induction variables than it may have}}
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c0, %c0) to (%n, %n, %n, %n) step (%c1, %c1, %c1, %c1) {
  }
  return
}
