// Memory that every turn of a loop takes is taken once before it.
// RUN: quernel-opt %s --quernel-hoist-allocations | FileCheck %s

func.func private @use(memref<?xf64>)

// Through branches and loops, with the largest size.
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[N:.*]]: index, %[[YES:.*]]: i1)
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK: %[[TWICE:.*]] = arith.muli %c2{{.*}}, %[[LAST]]
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[TWICE]], %c0
// CHECK: %[[T:.*]] = memref.alloc(%[[SIZE]])
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: scf.while
// CHECK: scf.if
// CHECK: func.call @use(%[[T]])
// CHECK-NOT: memref.dealloc
// CHECK: quernel.turns
// CHECK-NEXT: memref.dealloc %[[T]]
func.func @nested(%n: index, %yes: i1) attributes {quernel.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.while : () -> () {
      scf.condition(%yes)
    } do {
      scf.if %yes {
        %m = arith.muli %i, %c2 : index
        %t = memref.alloc(%m) : memref<?xf64>
        func.call @use(%t) : (memref<?xf64>) -> ()
        memref.dealloc %t : memref<?xf64>
      }
      scf.yield
    }
  } {quernel.turns}
  return
}

// A size that falls with the counter is largest at its beginning.
// CHECK-LABEL: @falling(
// CHECK-SAME: %[[N:.*]]: index, %[[FIRST:.*]]: index)
// CHECK: %[[MOST:.*]] = arith.subi %[[N]], %[[FIRST]]
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK: memref.alloc(%[[SIZE]])
// CHECK: scf.for
func.func @falling(%n: index, %first: index) attributes {quernel.program} {
  %c1 = arith.constant 1 : index
  scf.for %i = %first to %n step %c1 {
    %m = arith.subi %n, %i : index
    %t = memref.alloc(%m) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  }
  return
}

// Turns that run at the same time have memory of their own; so has a size that memory decides.
// CHECK-LABEL: @stays(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NEXT: memref.alloc(
// CHECK: scf.parallel
// CHECK-NEXT: memref.alloc(
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.alloc(
func.func @stays(%n: index, %sizes: memref<?xindex>) attributes {quernel.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  } {quernel.parallel}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
    scf.reduce
  }
  scf.for %i = %c0 to %n step %c1 {
    %m = memref.load %sizes[%i] : memref<?xindex>
    %t = memref.alloc(%m) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  }
  return
}

// Without a loop around it a branch takes memory where it needs it.
// CHECK-LABEL: @branch(
// CHECK: scf.if
// CHECK-NEXT: memref.alloc(
func.func @branch(%n: index, %yes: i1) attributes {quernel.program} {
  scf.if %yes {
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  }
  return
}
