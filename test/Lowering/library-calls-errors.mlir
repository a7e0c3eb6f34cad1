// RUN: quernel-opt %s --quernel-library-calls --verify-diagnostics --split-input-file

func.func private @allocate() -> memref<4x4xf64>

func.func @unknown_root(%o: memref<4x4xf64>) {
  %a = func.call @allocate() : () -> memref<4x4xf64>
  // expected-error @below {{needs operands in arguments or allocations}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"} ins(%a, %a : memref<4x4xf64>, memref<4x4xf64>) outs(%o : memref<4x4xf64>) attrs = {quernel.axes = #quernel.axes<"ikj">} {
  ^bb0(%in: f64, %in_0: f64, %acc: f64):
    %0 = arith.mulf %in, %in_0 : f64
    linalg.yield %0 : f64
  }
  return
}

// -----

func.func @no_axes(%o: memref<4x4xf64>) {
  // expected-error @below {{needs the name of a routine, and says what its axes are}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], library_call = "qn_inv_f64"} outs(%o : memref<4x4xf64>) {
  ^bb0(%acc: f64):
    linalg.yield %acc : f64
  }
  return
}
