// RUN: quernel-opt %s --quernel-flatten-buffers --verify-diagnostics --split-input-file

func.func private @allocate() -> memref<4xf64>

func.func @unknown_root(%i: index) -> f64 {
  %a = func.call @allocate() : () -> memref<4xf64>
  %v = memref.transpose %a (i) -> (i) : memref<4xf64> to memref<4xf64, strided<[1]>>
  // expected-error @below {{reads or writes a buffer that isn't a view of an argument or an allocation}}
  %x = memref.load %v[%i] : memref<4xf64, strided<[1]>>
  return %x : f64
}

// -----

func.func private @allocate() -> memref<4xf64>

func.func @unknown_target(%i: index, %x: f64) {
  %a = func.call @allocate() : () -> memref<4xf64>
  // expected-error @below {{reads or writes a buffer that isn't a view of an argument or an allocation}}
  memref.store %x, %a[%i] : memref<4xf64>
  return
}

// -----

func.func @any_axis(%a: memref<4xf64>, %i: index) -> index {
  // expected-error @below {{needs a constant axis}}
  %d = memref.dim %a, %i : memref<4xf64>
  return %d : index
}
