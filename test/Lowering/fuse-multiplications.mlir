// RUN: quernel-opt %s --quernel-fuse-multiplications | FileCheck %s

// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[X:.*]]: f64, %[[Y:.*]]: f64, %[[Z:.*]]: f64
// CHECK-NEXT: %[[R:.*]] = math.fma %[[X]], %[[Y]], %[[Z]] : f64
// CHECK-NEXT: return %[[R]]
func.func @fused(%x: f64, %y: f64, %z: f64) -> f64 {
  %p = arith.mulf %x, %y fastmath<contract> : f64
  %s = arith.addf %p, %z fastmath<contract> : f64
  return %s : f64
}

// Each has to allow it.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: math.fma
// CHECK: return
func.func @apart(%x: f64, %y: f64, %z: f64) -> (f64, f64) {
  %p = arith.mulf %x, %y : f64
  %s = arith.addf %p, %z fastmath<contract> : f64
  %q = arith.mulf %x, %z fastmath<contract> : f64
  %t = arith.addf %q, %y : f64
  return %s, %t : f64, f64
}
