// Loops within a loop over what a vectorised one leaves over aren't unrolled, but for those of few iterations.
// RUN: quernel-translate --to-cpp %s | FileCheck %s

// CHECK-LABEL: static void rows_fill(
// CHECK: for (int64_t i = 0; i < 12; i += 4) {
// CHECK: ROLLED
// CHECK-NEXT: for (int64_t i = 12; i < 14; ++i) {
// CHECK-NEXT: ROLLED
// CHECK-NEXT: for (int64_t j = 0; j < 20; ++j) {
// CHECK-NOT: ROLLED
// CHECK: for (int64_t j = 0; j < 3; ++j) {
func.func private @rows_fill(%out: memref<14xf64> {llvm.noalias, llvm.writeonly}) attributes {quernel.function = #quernel.function<kernel>} {
  %zero = arith.constant 0.0 : f64
  %vector = arith.constant dense<0.0> : vector<4xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c14 = arith.constant 14 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c12 step %c4 {
    vector.store %vector, %out[%i] : memref<14xf64>, vector<4xf64>
  }
  scf.for %i = %c12 to %c14 step %c1 {
    scf.for %j = %c0 to %c20 step %c1 {
      memref.store %zero, %out[%i] : memref<14xf64>
    }
    scf.for %j = %c0 to %c3 step %c1 {
      memref.store %zero, %out[%i] : memref<14xf64>
    }
  }
  return
}
