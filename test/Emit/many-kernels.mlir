// Kernels of a program that has many stay functions of their own.
// RUN: quernel-translate --to-cpp %s | FileCheck %s

// CHECK: {{^}}{{\[\[gnu::noinline\]\]}} static void k1(
// CHECK: {{^}}{{\[\[gnu::noinline\]\]}} static void k9(
func.func private @k1(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k2(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k3(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k4(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k5(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k6(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k7(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k8(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}

func.func private @k9(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  memref.store %one, %x[%c0] : memref<?xf64>
  return
}
