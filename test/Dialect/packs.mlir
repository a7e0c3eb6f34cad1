// RUN: quernel-opt --split-input-file --verify-diagnostics %s

func.func @lanes(%x: memref<?xf32>, %n: index) {
  // expected-error@+1 {{'quernel.pack_turns' op needs packs of 2, 4, 8 or 16 elements, not 3}}
  %whole = quernel.pack_turns %n by 3 of %x at %n : memref<?xf32>
  return
}

// -----

func.func @nothing(%n: index) {
  // expected-error@+1 {{'quernel.pack_turns' op needs an array}}
  %whole = "quernel.pack_turns"(%n) <{lanes = 4 : i64}> : (index) -> index
  return
}

// -----

func.func @copied(%x: memref<?xf32>, %p: memref<32xf32>, %n: index) {
  // expected-error@+1 {{'quernel.copy_pack' op needs packs of 2, 4, 8 or 16 elements, not 32}}
  quernel.copy_pack 32 of %x[%n] to %p[%n] : memref<?xf32> to memref<32xf32>
  return
}

// -----

func.func @types(%x: memref<?xf32>, %p: memref<4xi32>, %n: index) {
  // expected-error@+1 {{'quernel.copy_pack' op copies elements to those of another type}}
  quernel.copy_pack 4 of %x[%n] to %p[%n] : memref<?xf32> to memref<4xi32>
  return
}

// -----

func.func @widths(%x: memref<?xf32>, %n: index) {
  // expected-error@+1 {{'quernel.pack_turns' op has 2 widths for 1 arrays}}
  %whole = quernel.pack_turns %n by 2 widths [2, 4] of %x at %n : memref<?xf32>
  return
}

// -----

func.func @odd_widths(%x: memref<?xf32>, %n: index) {
  // expected-error@+1 {{'quernel.pack_turns' op needs packs of 2, 4, 8 or 16 elements, not 6}}
  %whole = quernel.pack_turns %n by 2 widths [6] of %x at %n : memref<?xf32>
  return
}

// -----

// One turn makes a pack where it has several elements.
func.func @one_turn(%x: memref<?xf32>, %n: index) {
  %whole = quernel.pack_turns %n by 1 widths [4] of %x at %n : memref<?xf32>
  // expected-error@+1 {{'quernel.pack_turns' op needs packs of 2, 4, 8 or 16 elements, not 1}}
  %none = quernel.pack_turns %n by 1 of %x at %n : memref<?xf32>
  return
}
