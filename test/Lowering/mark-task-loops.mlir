// Which loops have turns that threads share although they call libraries or keep arrays.
// RUN: quernel-opt %s --quernel-mark-task-loops --mlir-print-local-scope | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Each turn multiplies its own matrices.
// CHECK-LABEL: @products(
// CHECK: } {quernel.schedule = #quernel.schedule<tasks>}
func.func @products(%A: memref<40x64x64xf64>, %C: memref<40x64x64xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    %in = memref.subview %A[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<40x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    %out = memref.subview %C[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<40x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"}
        ins(%in, %in : memref<64x64xf64, strided<[64, 1], offset: ?>>, memref<64x64xf64, strided<[64, 1], offset: ?>>)
        outs(%out : memref<64x64xf64, strided<[64, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      linalg.yield %z : f64
    }
  }
  return
}

// Here a turn reads the result of the one before.
// CHECK-LABEL: @chain(
// CHECK-NOT: tasks
func.func @chain(%C: memref<41x64x64xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    %next = arith.addi %i, %c1 : index
    %in = memref.subview %C[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<41x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    %out = memref.subview %C[%next, 0, 0] [1, 64, 64] [1, 1, 1] : memref<41x64x64xf64> to memref<64x64xf64, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], library_call = "qn_matmul_f64"}
        ins(%in, %in : memref<64x64xf64, strided<[64, 1], offset: ?>>, memref<64x64xf64, strided<[64, 1], offset: ?>>)
        outs(%out : memref<64x64xf64, strided<[64, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      linalg.yield %z : f64
    }
  }
  return
}

// An array of 32 KiB of the turn's own. Where a turn may fail, others must not have stored to an argument, but may have to a
// result.
// CHECK-LABEL: @own(
// CHECK: } {quernel.schedule = #quernel.schedule<tasks>}
// CHECK: quernel.check
// CHECK-NOT: tasks
// CHECK: quernel.check
// CHECK: } {quernel.schedule = #quernel.schedule<tasks>}
func.func @own(%A: memref<40x64x64xf64>, %s: memref<40xf64>, %r: memref<40xf64> {quernel.argument = #quernel.argument<"out", output = tensor<40xf64>>}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    %T = memref.alloc() : memref<64x64xf64>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%T : memref<64x64xf64>) {
    ^bb0(%o: f64):
      %j = linalg.index 0 : index
      %k = linalg.index 1 : index
      %0 = memref.load %A[%i, %k, %j] : memref<40x64x64xf64>
      %1 = math.sin %0 : f64
      linalg.yield %1 : f64
    }
    %2 = memref.load %T[%c1, %c0] : memref<64x64xf64>
    memref.store %2, %s[%i] : memref<40xf64>
  }
  scf.for %i = %c0 to %c40 step %c1 {
    %T = memref.alloc() : memref<64x64xf64>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%T : memref<64x64xf64>) {
    ^bb0(%o: f64):
      %j = linalg.index 0 : index
      %k = linalg.index 1 : index
      %0 = memref.load %A[%i, %k, %j] : memref<40x64x64xf64>
      %1 = math.sin %0 : f64
      linalg.yield %1 : f64
    }
    %2 = memref.load %T[%c1, %c0] : memref<64x64xf64>
    %3 = arith.cmpf ogt, %2, %2 : f64
    quernel.check %3, %i {exception = "ValueError", message = "turn {0}"} : i1, index
    memref.store %2, %s[%i] : memref<40xf64>
  }
  scf.for %i = %c0 to %c40 step %c1 {
    %T = memref.alloc() : memref<64x64xf64>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%T : memref<64x64xf64>) {
    ^bb0(%o: f64):
      %j = linalg.index 0 : index
      %k = linalg.index 1 : index
      %0 = memref.load %A[%i, %k, %j] : memref<40x64x64xf64>
      %1 = math.sin %0 : f64
      linalg.yield %1 : f64
    }
    %2 = memref.load %T[%c1, %c0] : memref<64x64xf64>
    %3 = arith.cmpf ogt, %2, %2 : f64
    quernel.check %3, %i {exception = "ValueError", message = "turn {0}"} : i1, index
    memref.store %2, %r[%i] : memref<40xf64>
  }
  return
}
