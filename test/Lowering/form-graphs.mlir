// RUN: quernel-opt --quernel-form-graphs --split-input-file %s | FileCheck %s

// What turns hand on, and what the condition hands to them and to what is behind the loop, lies in the device's memory.
// A counter that the condition hands on as it is has one place.
func.func private @sum(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %s: memref<1xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @scale(%x: memref<?xf64>, %k: f64) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
// CHECK-LABEL: func.func @until(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf64>, %[[TOLERANCE:[a-z0-9]*]]: f64, %[[N:[a-z0-9]*]]: memref<?xi64>)
// CHECK-DAG: %[[GOES_ON:.*]] = memref.alloc() : memref<1xi1>
// CHECK-DAG: %[[TURNS:.*]] = memref.alloc() : memref<1xi64>
// CHECK: memref.store %c0_i64, %[[TURNS]]
// CHECK-NEXT: quernel.repeat %[[GOES_ON]] test {
// CHECK-NEXT:   %[[NOW:.*]] = memref.load %[[TURNS]]
// CHECK-NEXT:   func.call @sum(%[[X]], %[[S:[a-z0-9_]*]])
// CHECK-NEXT:   %[[E:.*]] = memref.load %[[S]]
// CHECK-NEXT:   %[[MORE:.*]] = arith.cmpf ogt, %[[E]], %[[TOLERANCE]]
// CHECK-NEXT:   %[[DOUBLE:.*]] = arith.addi %[[NOW]], %[[NOW]]
// CHECK-NEXT:   memref.store %[[E]], %[[GIVEN:.*]][
// CHECK-NEXT:   memref.store %[[DOUBLE]], %[[GIVEN2:.*]][
// CHECK-NEXT:   memref.store %[[MORE]], %[[GOES_ON]]
// CHECK-NEXT: } turn {
// CHECK-NEXT:   %[[BEFORE:.*]] = memref.load %[[TURNS]]
// CHECK-NEXT:   %[[LAST:.*]] = memref.load %[[GIVEN]]
// CHECK-NEXT:   func.call @scale(%[[X]], %[[LAST]])
// CHECK-NEXT:   %[[NEXT:.*]] = arith.addi %[[BEFORE]], %c1_i64
// CHECK-NEXT:   memref.store %[[NEXT]], %[[TURNS]]
// CHECK-NEXT: } : memref<1xi1>
// CHECK-NEXT: %[[END:.*]] = memref.load %[[TURNS]]
// CHECK-NEXT: %[[TWICE:.*]] = memref.load %[[GIVEN2]]
// CHECK-NOT: scf.while
// CHECK: arith.addi %[[END]], %[[TWICE]]
func.func @until(%x: memref<?xf64>, %tolerance: f64, %n: memref<?xi64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = memref.alloc() : memref<1xf64>
  %r:3 = scf.while (%k = %zero) : (i64) -> (i64, f64, i64) {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    %double = arith.addi %k, %k : i64
    scf.condition(%more) %k, %e, %double : i64, f64, i64
  } do {
  ^bb0(%k: i64, %last: f64, %unused: i64):
    func.call @scale(%x, %last) : (memref<?xf64>, f64) -> ()
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  %all = arith.addi %r#0, %r#2 : i64
  memref.store %all, %n[%c0] : memref<?xi64>
  return
}

// -----

// The inner loops of a turn have bounds that the host knows. Of loops in loops only the inner one that waits becomes one.
func.func private @sum(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %s: memref<1xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
// CHECK-LABEL: func.func @nested(
// CHECK: scf.while
// CHECK: quernel.repeat %{{.*}} test {
// CHECK: scf.for
// CHECK: } turn {
// CHECK: } : memref<1xi1>
// CHECK: scf.yield
func.func @nested(%x: memref<?xf64>, %n: index, %tolerance: f64) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<1xf64>
  scf.while : () -> () {
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.condition(%more)
  } do {
    scf.while : () -> () {
      scf.for %i = %c0 to %n step %c1 {
        func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
      }
      %e = memref.load %s[%c0] : memref<1xf64>
      %more = arith.cmpf ogt, %e, %tolerance : f64
      scf.condition(%more)
    } do {
      scf.yield
    }
    scf.yield
  }
  return
}

// -----

// The host does more in these: it chooses a grid, a branch, how often an inner loop runs, calls a library, checks,
// allocates, carries memory.
func.func private @sum(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %s: memref<1xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @fill(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
  }
  return
}
func.func private @qn_library(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}
// CHECK-LABEL: func.func @others(
// CHECK-NOT: quernel.repeat
func.func @others(%x: memref<?xf64>, %tolerance: f64) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<1xf64>
  %grid = scf.while (%k = %c0) : (index) -> index {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    func.call @fill(%x, %k) : (memref<?xf64>, index) -> ()
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  scf.while : () -> () {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.if %more {
      func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    }
    scf.condition(%more)
  } do {
    scf.yield
  }
  %inner = scf.while (%k = %c0) : (index) -> index {
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    scf.for %i = %c0 to %k step %c1 {
      func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  scf.while : () -> () {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    func.call @qn_library(%x) : (memref<?xf64>) -> ()
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.condition(%more)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %s[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    quernel.check %more {exception = "ValueError", message = "no"} : i1
    scf.condition(%more)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    %t = memref.alloc() : memref<1xf64>
    func.call @sum(%x, %t) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %t[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    memref.dealloc %t : memref<1xf64>
    scf.condition(%more)
  } do {
    scf.yield
  }
  %carried = scf.while (%t = %s) : (memref<1xf64>) -> memref<1xf64> {
    func.call @sum(%x, %t) : (memref<?xf64>, memref<1xf64>) -> ()
    %e = memref.load %t[%c0] : memref<1xf64>
    %more = arith.cmpf ogt, %e, %tolerance : f64
    scf.condition(%more) %t : memref<1xf64>
  } do {
  ^bb0(%t: memref<1xf64>):
    scf.yield %t : memref<1xf64>
  }
  return
}

// -----

// The host waits for nothing in the first, and the device computes nothing in the second.
func.func private @sum(%x: memref<?xf64> {quernel.argument = #quernel.argument<readonly>}, %s: memref<1xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
// CHECK-LABEL: func.func @counted(
// CHECK-NOT: quernel.repeat
func.func @counted(%x: memref<?xf64>, %n: i64) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = memref.alloc() : memref<1xf64>
  %r = scf.while (%k = %zero) : (i64) -> i64 {
    %more = arith.cmpi slt, %k, %n : i64
    scf.condition(%more) %k : i64
  } do {
  ^bb0(%k: i64):
    func.call @sum(%x, %s) : (memref<?xf64>, memref<1xf64>) -> ()
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  %first = memref.load %s[%c0] : memref<1xf64>
  %root = scf.while (%k = %first) : (f64) -> f64 {
    %e = memref.load %x[%c0] : memref<?xf64>
    %more = arith.cmpf olt, %k, %e : f64
    scf.condition(%more) %k : f64
  } do {
  ^bb0(%k: f64):
    %next = arith.addf %k, %k : f64
    scf.yield %next : f64
  }
  memref.store %root, %x[%c0] : memref<?xf64>
  return
}
