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
