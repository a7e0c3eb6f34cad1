// Memory that every turn of a loop takes is taken once before it.
// RUN: quernel-opt %s --quernel-hoist-allocations | FileCheck %s

func.func private @use(memref<?xf64>)

// Through counted loops, with the largest size, where all of them have a turn.
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[N:.*]]: index, %[[K:.*]]: index)
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK: %[[TWICE:.*]] = arith.muli %c2{{.*}}, %[[LAST]]
// CHECK: %[[MOST:.*]] = arith.maxsi %[[TWICE]], %c0
// CHECK: %[[COUNT:.*]] = quernel.count(%[[MOST]], %[[K]])
// CHECK: %[[INNER:.*]] = arith.cmpi sgt, %[[K]], %c0
// CHECK: %[[OUTER:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK: %[[BOTH:.*]] = arith.andi %[[INNER]], %[[OUTER]]
// CHECK: %[[SIZE:.*]] = arith.select %[[BOTH]], %[[COUNT]], %c0
// CHECK: %[[T:.*]] = memref.alloc(%[[SIZE]])
// CHECK-NEXT: quernel.allocated %[[T]](%[[MOST]], %[[K]])
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: scf.for
// CHECK: func.call @use(%[[T]])
// CHECK-NOT: memref.dealloc
// CHECK: #quernel.schedule<polled
// CHECK-NEXT: memref.dealloc %[[T]]
func.func @nested(%n: index, %k: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      %m = arith.muli %i, %c2 : index
      %count = quernel.count(%m, %k)
      %t = memref.alloc(%count) : memref<?xf64>
      quernel.allocated %t(%m, %k) {dtype = "float64"} : memref<?xf64>
      func.call @use(%t) : (memref<?xf64>) -> ()
      memref.dealloc %t : memref<?xf64>
    }
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// A branch, or a loop with a condition, may not need the memory: it is taken inside. What is small is there anyway.
// CHECK-LABEL: @may_not_need(
// CHECK: memref.alloc(%c64
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: memref.alloc(%arg0)
// CHECK: scf.while
// CHECK: do
// CHECK-NEXT: memref.alloc(%arg0)
func.func @may_not_need(%n: index, %yes: i1) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %yes {
      %t = memref.alloc(%n) : memref<?xf64>
      func.call @use(%t) : (memref<?xf64>) -> ()
      memref.dealloc %t : memref<?xf64>
    }
    scf.while : () -> () {
      scf.condition(%yes)
    } do {
      %t = memref.alloc(%n) : memref<?xf64>
      func.call @use(%t) : (memref<?xf64>) -> ()
      memref.dealloc %t : memref<?xf64>
      scf.yield
    }
    scf.if %yes {
      %t = memref.alloc(%c64) : memref<?xf64>
      func.call @use(%t) : (memref<?xf64>) -> ()
      memref.dealloc %t : memref<?xf64>
    }
  }
  return
}

// A size that falls with the counter is largest at its beginning.
// CHECK-LABEL: @falling(
// CHECK-SAME: %[[N:.*]]: index, %[[FIRST:.*]]: index)
// CHECK: %[[MOST:.*]] = arith.subi %[[N]], %[[FIRST]]
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[FIRST]], %[[N]]
// CHECK: %[[SIZE:.*]] = arith.select %[[RUNS]], %[[POSITIVE]], %c0
// CHECK: memref.alloc(%[[SIZE]])
// CHECK: scf.for
func.func @falling(%n: index, %first: index) attributes {quernel.function = #quernel.function<program>} {
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
func.func @stays(%n: index, %sizes: memref<?xindex>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel>}
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
func.func @branch(%n: index, %yes: i1) attributes {quernel.function = #quernel.function<program>} {
  scf.if %yes {
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  }
  return
}

// What leaves the inner loop alone, as the outer one decides how long that is.
// CHECK-LABEL: @inner_only(
// CHECK: scf.for
// CHECK: arith.divsi
// CHECK: memref.alloc(
// CHECK-NEXT: scf.for
// CHECK: memref.dealloc
func.func @inner_only(%n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %half = arith.divsi %i, %c2 : index
    scf.for %j = %c0 to %half step %c1 {
      %t = memref.alloc(%n) : memref<?xf64>
      func.call @use(%t) : (memref<?xf64>) -> ()
      memref.dealloc %t : memref<?xf64>
    }
  }
  return
}

// A turn that may end with another error takes its memory itself.
// CHECK-LABEL: @checked(
// CHECK: scf.for
// CHECK: quernel.check
// CHECK-NEXT: memref.alloc(
func.func @checked(%n: index, %flags: memref<?xi1>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %ok = memref.load %flags[%i] : memref<?xi1>
    quernel.check %ok {exception = "ValueError", message = "no"} : i1
    %t = memref.alloc(%n) : memref<?xf64>
    func.call @use(%t) : (memref<?xf64>) -> ()
    memref.dealloc %t : memref<?xf64>
  }
  return
}
