// RUN: quernel-translate --to-cpp --split-input-file --verify-diagnostics %s

// expected-error@+1 {{'memref.global' op has to be a constant array of rank 1}}
memref.global "private" @variable : memref<2xf64> = dense<1.0>

// -----

// expected-error@+1 {{'func.func' op is no kernel, no program and no shapes function}}
func.func @plain() {
  return
}

// -----

// expected-error@+1 {{'func.func' op is a kernel with results or branches}}
func.func private @result(%x: f64) -> f64 attributes {quernel.function = #quernel.function<kernel>} {
  return %x : f64
}

// -----

// expected-error@+1 {{'func.func' op has an argument that is neither a number nor a plain array of rank 1}}
func.func private @square(%x: memref<4x4xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has an argument that is neither a number nor a plain array of rank 1}}
func.func @half(%x: memref<?xf80>) attributes {quernel.function = #quernel.function<program>} {
  func.call @read(%x) : (memref<?xf80>) -> ()
  return
}
// expected-error@+1 {{'func.func' op has an argument that is neither a number nor a plain array of rank 1}}
func.func private @read(%x: memref<?xf80>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}

// -----

func.func private @half(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf64>
  // expected-error@+1 {{'arith.truncf' op has a type that cannot be printed}}
  %h = arith.truncf %v : f64 to tf32
  %w = arith.extf %h : tf32 to f64
  memref.store %w, %x[%c0] : memref<?xf64>
  return
}

// -----

func.func private @bits(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf64>
  // expected-error@+1 {{'arith.truncf' op computes with a bfloat16, which is bits alone here}}
  %h = arith.truncf %v : f64 to bf16
  %b = arith.bitcast %h : bf16 to i16
  %w = arith.sitofp %b : i16 to f64
  memref.store %w, %x[%c0] : memref<?xf64>
  return
}

// -----

func.func private @three(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'vector.load' op has a vector type that is not of rank 1 with a power of two of printable elements}}
  %v = vector.load %x[%c0] : memref<?xf64>, vector<3xf64>
  vector.store %v, %x[%c0] : memref<?xf64>, vector<3xf64>
  return
}

// -----

func.func private @grid(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' op has reductions, or more induction variables than it may have}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
  }
  return
}

// -----

func.func private @held(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'memref.alloc' op can stand in a program alone}}
  %x = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

func.func private @rank(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'memref.alloca' op needs a constant size and rank 1}}
  %scratch = memref.alloca(%n) : memref<?xf64>
  return
}

// -----

func.func private @power(%x: memref<?xf64>, %n: i32) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf64>
  // expected-error@+1 {{'math.fpowi' op cannot be printed}}
  %p = math.fpowi %v, %n : f64, i32
  memref.store %p, %x[%c0] : memref<?xf64>
  return
}

// -----

func.func private @booleans(%x: memref<?xi1>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<?xi1>
  // expected-error@+1 {{'arith.addi' op is not printed on booleans}}
  %s = arith.addi %a, %a : i1
  memref.store %s, %x[%c0] : memref<?xi1>
  // expected-error@+1 {{'arith.cmpi' op orders booleans}}
  %l = arith.cmpi slt, %a, %s : i1
  memref.store %l, %x[%c0] : memref<?xi1>
  return
}

// -----

func.func private @masks(%x: memref<?xi1>, %f: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<?xi1>, vector<4xi1>
  // expected-error@+1 {{'arith.cmpi' op compares masks}}
  %e = arith.cmpi eq, %a, %a : vector<4xi1>
  vector.store %e, %x[%c0] : memref<?xi1>, vector<4xi1>
  %b = vector.extract %a[0] : i1 from vector<4xi1>
  // expected-error@+1 {{'vector.insert' op needs one constant index, and no booleans}}
  %i = vector.insert %b, %a[1] : i1 into vector<4xi1>
  vector.store %i, %x[%c0] : memref<?xi1>, vector<4xi1>
  // expected-error@+1 {{'vector.from_elements' op is made of booleans}}
  %g = vector.from_elements %b, %b : vector<2xi1>
  vector.store %g, %x[%c0] : memref<?xi1>, vector<2xi1>
  // expected-error@+1 {{'vector.interleave' op interleaves booleans}}
  %j = vector.interleave %a, %a : vector<4xi1> -> vector<8xi1>
  vector.store %j, %x[%c0] : memref<?xi1>, vector<8xi1>
  %at = vector.step : vector<4xindex>
  // expected-error@+1 {{'vector.gather' op gathers booleans}}
  %h = vector.gather %x[%c0] [%at], %a, %a : memref<?xi1>, vector<4xindex>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  vector.store %h, %x[%c0] : memref<?xi1>, vector<4xi1>
  // expected-error@+1 {{'vector.scatter' op needs a memref of rank 1, and vectors of numbers}}
  vector.scatter %x[%c0] [%at], %a, %a : memref<?xi1>, vector<4xindex>, vector<4xi1>, vector<4xi1>
  return
}

// -----

func.func private @always(%x: memref<?xf64>, %y: memref<?xi1>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf64>
  // expected-error@+1 {{'arith.cmpf' op should have been folded}}
  %t = arith.cmpf true, %v, %v : f64
  memref.store %t, %y[%c0] : memref<?xi1>
  return
}

// -----

func.func private @ranks(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<2xf64>
  %scratch = memref.alloca() : memref<4xf64>
  // expected-error@+1 {{'memref.alloca' op needs a constant size and rank 1}}
  %m = memref.alloca() : memref<4x4xf64>
  // expected-error@+1 {{'memref.load' op needs a memref of rank 1}}
  %v = memref.load %m[%c0, %c0] : memref<4x4xf64>
  memref.store %v, %scratch[%c0] : memref<4xf64>
  // expected-error@+1 {{'memref.store' op needs a memref of rank 1}}
  memref.store %zero, %m[%c0, %c0] : memref<4x4xf64>
  // expected-error@+1 {{'vector.load' op needs a memref of rank 1}}
  %l = vector.load %m[%c0, %c0] : memref<4x4xf64>, vector<2xf64>
  vector.store %l, %scratch[%c0] : memref<4xf64>, vector<2xf64>
  // expected-error@+1 {{'vector.store' op needs a memref of rank 1, and vectors}}
  vector.store %zeros, %m[%c0, %c0] : memref<4x4xf64>, vector<2xf64>
  return
}

// -----

func.func private @spread(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf64>, vector<1xf64>
  // expected-error@+1 {{'vector.broadcast' op spreads a vector, not a scalar}}
  %b = vector.broadcast %v : vector<1xf64> to vector<4xf64>
  vector.store %b, %x[%c0] : memref<?xf64>, vector<4xf64>
  return
}

// -----

func.func private @callee(%x: f64) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @caller(%x: f64) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'func.call' op calls what cannot be called from here}}
  func.call @callee(%x) : (f64) -> ()
  return
}

// -----

func.func private @nothing()
func.func private @qn_invert(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}
func.func private @scaled_1(memref<?xf64>) attributes {quernel.function = #quernel.function<user>}
func.func @program(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'func.call' op calls what is neither a kernel nor in the library}}
  func.call @nothing() : () -> ()
  // expected-error@+1 {{'func.call' op calls a library function that the runtime doesn't have}}
  func.call @qn_invert(%x) : (memref<?xf64>) -> ()
  // expected-error@+1 {{'func.call' op calls a function of the user's without the pointers and offsets that it needs}}
  func.call @scaled_1(%x) : (memref<?xf64>) -> ()
  // expected-error@+1 {{'memref.alloc' op needs rank 1 and elements that can be printed}}
  %s = memref.alloc() : memref<2x2xf64>
  // expected-error@+1 {{'memref.dealloc' op releases what is not a temporary of its block}}
  memref.dealloc %x : memref<?xf64>
  return
}

// -----

module {
  // expected-error@+1 {{'builtin.module' op cannot be printed}}
  module {
  }
}

// -----

func.func @gives_an_argument_away(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %out: memref<?xi64> {quernel.argument = #quernel.argument<"out">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  // expected-error@+2 {{gives away what is not a temporary}}
  // expected-error@+1 {{cannot be printed}}
  %address = quernel.address %x : memref<?xf64>
  memref.store %address, %out[%c0] : memref<?xi64>
  return
}

// -----

func.func @reads(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'quernel.read' op can stand in a program for a device alone}}
  %e = quernel.read %x[%c0] : memref<?xf64>
  return
}

// -----

func.func private @lanes(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  // expected-error@+1 {{'quernel.join_lanes' op can stand in a kernel of a device alone}}
  quernel.join_lanes of 16
  return
}

// -----

func.func private @atomic(%x: memref<?xi64>, %v: i64) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.atomic_rmw' op can stand in a kernel of a device alone}}
  %0 = memref.atomic_rmw addi %v, %x[%c0] : (i64, memref<?xi64>) -> i64
  return
}

// -----

func.func private @packs(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %pack = memref.alloca() : memref<4xf32>
  // expected-error@+1 {{'quernel.copy_pack' op can stand in a kernel of a device alone}}
  quernel.copy_pack 4 of %x[%n] to %pack[%n] : memref<?xf32> to memref<4xf32>
  return
}
