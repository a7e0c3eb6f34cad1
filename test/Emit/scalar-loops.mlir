// A compiler may not vectorise loops that store narrowed numbers: Clang 22 writes behind what it narrows under a mask.
// RUN: quernel-translate --to-cpp %s | FileCheck %s

// CHECK-LABEL: void narrows(
// CHECK: SCALAR_LOOP
// CHECK-NEXT: for (
func.func private @narrows(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %y: memref<?xi8>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf64>
    %b = arith.fptosi %a : f64 to i8
    memref.store %b, %y[%i] : memref<?xi8>
  }
  return
}

// CHECK-LABEL: void cuts(
// CHECK: SCALAR_LOOP
func.func private @cuts(%x: memref<?xi64> {quernel.argument = #quernel.argument<readonly>}, %y: memref<?xi32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xi64>
    %b = arith.trunci %a : i64 to i32
    memref.store %b, %y[%i] : memref<?xi32>
  }
  return
}

// CHECK-LABEL: void keeps(
// CHECK-NOT: SCALAR_LOOP
func.func private @keeps(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %y[%i] : memref<?xf64>
  }
  return
}

// A kernel's loop may be put in the place of its call.
// CHECK-LABEL: calls(
// CHECK: SCALAR_LOOP
// CHECK-NEXT: for (
func.func @calls(%x: memref<?xf64>, %y: memref<?xi8>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @narrows(%x, %y, %n) : (memref<?xf64>, memref<?xi8>, index) -> ()
  }
  return
}
