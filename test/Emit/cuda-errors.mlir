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

func.func private @kernel(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @qn_matmul_f64(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}
func.func @calls(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  func.call @kernel(%x) : (memref<?xf64>) -> ()
  // expected-error@+1 {{'func.call' op is `matmul`, which a library computes, which CUDA targets don't have}}
  func.call @qn_matmul_f64(%x) : (memref<?xf64>) -> ()
  return
}

// -----

func.func private @scaled_1(memref<?xf64>) attributes {quernel.function = #quernel.function<user>}
func.func @user(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'func.call' op is `scaled_1`, a function in C++, which CUDA targets don't have}}
  func.call @scaled_1(%x) : (memref<?xf64>) -> ()
  return
}

// -----

func.func @loops(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' op is a loop of the program's own, which CUDA targets don't have}}
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// -----

func.func @branches(%x: memref<?xf64>, %c: i1) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'scf.if' op is a branch of the program's own, which CUDA targets don't have}}
  scf.if %c {
  }
  return
}

// -----

func.func @numbers(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.load' op is a number that is computed between kernels, which CUDA targets don't have}}
  %0 = memref.load %x[%c0] : memref<?xf64>
  return
}

// -----

func.func private @checks(%x: memref<?xf64>, %c: i1) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'quernel.check' op is a check, which CUDA targets don't have}}
  quernel.check %c {exception = "IndexError", message = "no"} : i1
  return
}

// -----

func.func private @halves(%x: memref<?xf16>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.load' op is a number of 16 bits, which CUDA targets don't have}}
  %0 = memref.load %x[%c0] : memref<?xf16>
  memref.store %0, %x[%c0] : memref<?xf16>
  return
}

// -----

func.func private @bfloats(%x: memref<?xbf16>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.load' op is a number of 16 bits, which CUDA targets don't have}}
  %0 = memref.load %x[%c0] : memref<?xbf16>
  memref.store %0, %x[%c0] : memref<?xbf16>
  return
}
