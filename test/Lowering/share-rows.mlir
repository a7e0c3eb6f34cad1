// What threads that share a turn load or compute of a row in several loops lies in memory that they share.
// RUN: quernel-opt %s --quernel-share-rows --mlir-print-local-scope | FileCheck %s

// A softmax: the row is loaded once, and then the exponentials lie in its place.
// CHECK-LABEL: @softmax(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[OUT:[a-z0-9]+]]: memref<?xf32>
// CHECK: scf.parallel
// CHECK: %[[ROW:.+]] = memref.alloca() : memref<64xf32, 3>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[I:.+]] = %c0
// CHECK: %[[E:.+]] = memref.load %[[X]]
// CHECK-NEXT: memref.store %[[E]], %[[ROW]][%[[I]]]
// CHECK: arith.maximumf %{{.+}}, %[[E]]
// CHECK: scf.for %[[J:.+]] = %c0
// CHECK-NOT: %[[X]]
// CHECK: %[[AGAIN:.+]] = memref.load %[[ROW]][%[[J]]]
// CHECK: arith.subf %[[AGAIN]]
// CHECK: %[[EXP:.+]] = math.exp
// CHECK-NEXT: memref.store %[[EXP]], %[[ROW]][%[[J]]]
// CHECK: arith.addf %{{.+}}, %[[EXP]]
// CHECK: scf.for %[[K:.+]] = %c0
// CHECK-NOT: math.exp
// CHECK: %[[KEPT:.+]] = memref.load %[[ROW]][%[[K]]]
// CHECK-NEXT: arith.divf %[[KEPT]]
func.func private @softmax(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  scf.parallel (%r) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %r, %c64 : index
    %m = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %least) -> (f32) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf32>
      %1 = arith.maximumf %t, %0 : f32
      scf.yield %1 : f32
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [max]>}
    %s = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %zero) -> (f32) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf32>
      %1 = arith.subf %0, %m : f32
      %2 = math.exp %1 : f32
      %3 = arith.addf %t, %2 : f32
      scf.yield %3 : f32
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    scf.for %i = %c0 to %c64 step %c1 {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf32>
      %1 = arith.subf %0, %m : f32
      %2 = math.exp %1 : f32
      %3 = arith.divf %2, %s : f32
      memref.store %3, %out[%at] : memref<?xf32>
    } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  }
  return
}

// What is loaded and what is stored have each a row where lanes have no part of the row's end, which one of them stores.
// A difference is computed again.
// CHECK-LABEL: @rest(
// CHECK-COUNT-2: memref.alloca() : memref<70xf64, 3>
// CHECK-NOT: memref.alloca
// CHECK: arith.subf
// CHECK: arith.subf
func.func private @rest(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  %zero = arith.constant 0.0 : f64
  %m = scf.for %i = %c0 to %c70 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.addf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
  %s = scf.for %i = %c0 to %c70 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = math.exp %1 : f64
    %3 = arith.addf %t, %2 : f64
    scf.yield %3 : f64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
  scf.for %i = %c0 to %c70 step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = math.exp %1 : f64
    %3 = arith.subf %2, %1 : f64
    %4 = arith.divf %3, %s : f64
    memref.store %4, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  return
}

// Nothing is shared: of an array that the kernel stores to; that all turns load alike; where the sum would get vectors
// of other elements; in loops without lanes; or of rows that are too long or whose length isn't known.
// CHECK-LABEL: @nothing(
// CHECK-NOT: memref.alloca
// CHECK: return
func.func private @nothing(%x: memref<?xf64>, %y: memref<?xf32>, %w: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c19000 = arith.constant 19000 : index
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant 0.0 : f64
  scf.parallel (%r) = (%c0) to (%n) step (%c1) {
    %row = arith.muli %r, %c64 : index
    %a = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %zero) -> (f32) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %y[%at] : memref<?xf32>
      %1 = memref.load %w[%i] : memref<?xf64>
      %2 = memref.load %out[%at] : memref<?xf64>
      %3 = arith.truncf %1 : f64 to f32
      %4 = arith.truncf %2 : f64 to f32
      %5 = arith.addf %3, %4 : f32
      %6 = arith.addf %0, %5 : f32
      %7 = arith.addf %t, %6 : f32
      scf.yield %7 : f32
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %b = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %a) -> (f32) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %y[%at] : memref<?xf32>
      %1 = memref.load %w[%i] : memref<?xf64>
      %2 = arith.extf %0 : f32 to f64
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.truncf %3 : f64 to f32
      %5 = arith.addf %t, %4 : f32
      scf.yield %5 : f32
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %c = arith.extf %b : f32 to f64
    scf.for %i = %c0 to %c64 step %c1 {
      %at = arith.addi %row, %i : index
      memref.store %c, %out[%at] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
    %first = memref.load %x[%r] : memref<?xf64>
    %few = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %first) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    %again = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %few) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %long = scf.for %i = %c0 to %c19000 step %c1 iter_args(%t = %again) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %longer = scf.for %i = %c0 to %c19000 step %c1 iter_args(%t = %long) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %any = scf.for %i = %c0 to %n step %c1 iter_args(%t = %longer) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    %other = scf.for %i = %c0 to %n step %c1 iter_args(%t = %any) -> (f64) {
      %at = arith.addi %row, %i : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
    memref.store %other, %out[%r] : memref<?xf64>
  }
  return
}

// And where the kernel has more lanes than the sum, which all load what some of them store.
// CHECK-LABEL: @narrow(
// CHECK-COUNT-2: memref.alloca() : memref<256xf64, 3>
func.func private @narrow(%x: memref<?xf64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f64
  %m = scf.for %i = %c0 to %c256 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.maximumf %t, %0 : f64
    scf.yield %1 : f64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [max]>}
  %s = scf.for %i = %c0 to %c256 step %c1 iter_args(%t = %zero) -> (f64) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = math.exp %1 : f64
    %3 = arith.addf %t, %2 : f64
    scf.yield %3 : f64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum]>}
  scf.for %i = %c0 to %c256 step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = arith.subf %0, %m : f64
    %2 = math.exp %1 : f64
    %3 = arith.divf %2, %s : f64
    memref.store %3, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  return
}
