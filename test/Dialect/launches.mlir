// RUN: quernel-opt --split-input-file --verify-diagnostics %s

func.func private @kernel(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func @threads(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op needs a block of 1 to 1024 threads, not 2048}}
  quernel.launch @kernel(%x) turns %n block 2048 : memref<?xf64>
  return
}

// -----

func.func private @kernel(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel, block = 128>} {
  return
}
func.func @bounds(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op has blocks of 256 threads for `kernel`, which takes 128}}
  quernel.launch @kernel(%x) turns %n block 256 : memref<?xf64>
  return
}

// -----

func.func private @kernel(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func @shared(%n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op needs 0 to 232448 bytes of shared memory, not 300000}}
  quernel.launch @kernel(%n) turns %n block 256 shared 300000 : index
  return
}

// -----

func.func private @kernel(%n: index) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func @four(%n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op needs the turns of one to three axes, not of 4}}
  quernel.launch @kernel(%n) turns %n, %n, %n, %n block 256 : index
  return
}

// -----

func.func private @kernel(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %zero, %x[%j] : memref<?xf64>
  }
  return
}
func.func @axes(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  quernel.launch @kernel(%x, %n) turns %n, %n block 256 : memref<?xf64>, index
  // expected-error@+1 {{'quernel.launch' op gives `kernel` turns of more axes than its loops have}}
  quernel.launch @kernel(%x, %n) turns %n, %n, %n block 256 : memref<?xf64>, index
  return
}

// -----

func.func private @kernel(%x: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func @types(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op gives arguments of other types than `kernel` takes}}
  quernel.launch @kernel(%x) turns %n block 256 : memref<?xf32>
  return
}

// -----

func.func @itself(%n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op launches `itself`, which is no kernel}}
  quernel.launch @itself() turns %n block 256
  return
}

// -----

func.func @lanes(%x: f64) {
  // expected-error@+1 {{'quernel.lane' op needs a power of two of lanes, at most 32, not 64}}
  %lane = quernel.lane of 64
  return
}

// -----

func.func @joined() {
  // expected-error@+1 {{'quernel.join_lanes' op needs a power of two of lanes, at most 32, not 12}}
  quernel.join_lanes of 12
  return
}

// -----

func.func @values(%x: f64) {
  // expected-error@+1 {{'quernel.lane_value' op asks for lane 16 of 16}}
  %v = quernel.lane_value %x at 16 of 16 : f64
  return
}

// -----

func.func @behind(%x: f64) {
  // expected-error@+1 {{'quernel.lane_behind' op asks for a lane 8 behind one of 8}}
  %v = quernel.lane_behind %x by 8 of 8 : f64
  return
}

// -----

func.func @teams() {
  // expected-error@+1 {{'quernel.worker' op needs a power of two of workers, with at most 1024 threads, not 64 of 32}}
  %worker, %workers = quernel.worker of 32 most 64
  return
}

// -----

func.func @odd_teams() {
  // expected-error@+1 {{'quernel.worker' op needs a power of two of workers, with at most 1024 threads, not 3 of 32}}
  %worker, %workers = quernel.worker of 32 most 3
  return
}

// -----

func.func @wide_workers() {
  // expected-error@+1 {{'quernel.worker' op needs a power of two of lanes, at most 32, not 64}}
  %worker, %workers = quernel.worker of 64 most 4
  return
}

// -----

func.func @waits(%some: i1) {
  scf.if %some {
    // expected-error@+1 {{'quernel.barrier' op stands in a branch, to which not all threads may come}}
    quernel.barrier
  }
  return
}

// -----

func.func private @f() attributes {quernel.function = #quernel.function<kernel>}
func.func @parts(%n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.launch' op has blocks of 256 threads, which workers of 48 don't make}}
  quernel.launch @f() turns %n block 256 worker 48
  return
}

// -----

func.func @repeated(%x: memref<?xf64>, %flag: memref<1xi1>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  // expected-error@+1 {{'quernel.repeat' op has quernel.read in a turn, which the device repeats without the program}}
  quernel.repeat %flag test {
    %e = quernel.read %x[%n] : memref<?xf64>
  } turn {
  } : memref<1xi1>
  return
}
