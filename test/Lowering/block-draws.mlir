// Uniform random numbers are drawn by the turns that read them.
// RUN: quernel-opt %s --quernel-block-draws --cse --split-input-file | FileCheck %s

// A block of turns that each read two numbers, the second one behind the first.
// CHECK-LABEL: func.func @each(
// CHECK-SAME: %[[STATE:[a-z0-9]+]]: memref<?xi64>, %[[AFTER:[a-z0-9]+]]: memref<?xi64>, %[[OUT:[a-z0-9]+]]: memref<?xf64>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[X:.*]] = memref.alloc(%[[M:.*]])
// CHECK: %[[KEPT:.*]] = memref.alloca() : memref<6xi64>
// CHECK-COUNT-6: memref.store %{{.*}}, %[[KEPT]]
// CHECK: %[[BEFORE:.*]] = memref.cast %[[KEPT]]
// CHECK: call @qn_random_ahead_u64(%[[STATE]], %[[AFTER]], %[[X]],
// CHECK: scf.for %[[B:[a-z0-9]+]] = %c0 to %[[N]] step %c2048
// CHECK: %[[START:.*]] = arith.muli %[[B]], %c2
// CHECK: %[[ROOM:.*]] = arith.minsi %c4096{{.*}}, %[[M]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]], %[[START]]
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0
// CHECK: %[[COUNT:.*]] = arith.minsi %[[ROOM]], %[[SOME]]
// CHECK: %[[BLOCK:.*]] = memref.alloc(%[[ROOM]])
// CHECK-NEXT: quernel.allocated %[[BLOCK]](%[[ROOM]])
// CHECK: func.call @qn_random_part_u64(%[[BEFORE]], %[[X]], %{{.*}}, %[[BLOCK]], {{.*}}%c1, %[[M]], %[[COUNT]], %c6)
// CHECK: %[[END:.*]] = arith.addi %[[B]], %c2048
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]], %[[N]]
// CHECK: scf.parallel (%{{.*}}) = (%[[B]]) to (%[[LAST]])
// CHECK: %[[PLACE:.*]] = arith.subi %{{.*}}, %[[START]]
// CHECK: memref.load %[[BLOCK]][%[[PLACE]]]
// CHECK: memref.load %[[BLOCK]]
// CHECK-NOT: memref.load %[[X]]
// CHECK: memref.dealloc %[[BLOCK]]
// CHECK: #quernel.schedule<tasks
// CHECK: memref.dealloc %[[X]]
func.func private @qn_random_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @each(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %m = arith.muli %n, %c2 : index
  %x = memref.alloc(%m) : memref<?xf64>
  quernel.allocated %x(%n, %c2) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %m, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %first = arith.muli %i, %c2 : index
    %a = memref.load %x[%first] : memref<?xf64>
    %second = arith.addi %first, %c1 : index
    %b = memref.load %x[%second] : memref<?xf64>
    %sum = arith.addf %a, %b : f64
    memref.store %sum, %out[%i] : memref<?xf64>
    scf.reduce
  }
  memref.dealloc %x : memref<?xf64>
  return
}

// -----

// A turn that adds up many numbers is a task of its own.
// CHECK-LABEL: func.func @sums(
// CHECK: call @qn_random_ahead_u64(
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %{{.*}} step %c1
// CHECK: %[[START:.*]] = arith.muli %[[I]], %c16384
// CHECK: %[[BLOCK:.*]] = memref.alloc(
// CHECK: func.call @qn_random_part_u64(
// CHECK: scf.execute_region
// CHECK: scf.for %[[J:[a-z0-9]+]] = %{{.*}} to
// CHECK: %[[PLACE:.*]] = arith.subi %[[J]], %[[START]]
// CHECK: memref.load %[[BLOCK]][%[[PLACE]]]
// CHECK: memref.dealloc %[[BLOCK]]
// CHECK: #quernel.schedule<tasks
func.func private @qn_random_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @sums(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %n: index, %chunks: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f64
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%chunks) step (%c1) {
    %begin = arith.muli %i, %c16384 : index
    %whole = arith.addi %begin, %c16384 : index
    %end = arith.minsi %whole, %n : index
    %sum = scf.for %j = %begin to %end step %c1 iter_args(%total = %zero) -> (f64) {
      %a = memref.load %x[%j] : memref<?xf64>
      %next = arith.addf %total, %a : f64
      scf.yield %next : f64
    }
    memref.store %sum, %out[%i] : memref<?xf64>
    scf.reduce
  }
  memref.dealloc %x : memref<?xf64>
  return
}

// -----

// What another statement reads too, what is read at places that data say or backwards, a few numbers, and draws of more
// than one problem stay arrays.
// CHECK-NOT: qn_random_ahead
// CHECK-NOT: qn_random_part
func.func private @qn_random_u64(memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) attributes {quernel.function = #quernel.function<library>}
func.func @twice(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func @anywhere(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %places: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %place = memref.load %places[%i] : memref<?xi64>
    %at = arith.index_cast %place : i64 to index
    %a = memref.load %x[%at] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func @backwards(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  %last = arith.subi %n, %c1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %at = arith.subi %last, %i : index
    %a = memref.load %x[%at] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func @few(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %n = arith.constant 1000 : index
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c1, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
func.func @batch(%state: memref<?xi64>, %after: memref<?xi64>, %out: memref<?xf64>, %n: index, %batch: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %x = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %x(%n) {dtype = "float64"} : memref<?xf64>
  call @qn_random_u64(%state, %after, %x, %c0, %c0, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %c0, %c1, %c0, %batch, %n, %c6, %c1) : (memref<?xi64>, memref<?xi64>, memref<?xf64>, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
