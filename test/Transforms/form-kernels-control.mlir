// Loops and branches around kernels; what has no axes is a scalar in them.
// RUN: quernel-opt %s --quernel-form-kernels --cse | FileCheck %s

// A time loop: the array is carried, the update is written into it.
// CHECK-LABEL: func.func @steps(
// CHECK:         %[[T:.*]] = arith.index_cast
// CHECK:         scf.for %{{.*}} = %c0 to %[[T]] step %c1 iter_args(%[[A:.*]] = %arg1) -> (tensor<9xf64>)
// CHECK:           %[[NEW:.*]] = linalg.generic
// CHECK:             tensor.extract %[[A]]
// CHECK:           %[[NEXT:.*]] = tensor.insert_slice %[[NEW]] into %[[A]][1] [7] [1]
// CHECK:           scf.yield %[[NEXT]]
func.func @steps(%t: tensor<i64> {quernel.argument = #quernel.argument<scalar>}, %x: tensor<9xf64>) -> tensor<9xf64> {
  quernel.symbol %t {number = 0 : i64} : tensor<i64>
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %n = quernel.size {dim = affine_map<()[s0] -> (s0)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<9xf64>) {
    quernel.symbol %i {number = 1 : i64} : index
    %left = quernel.slice %a {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (7)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>) -> tensor<7xf64>
    %right = quernel.slice %a {offsets = affine_map<() -> (2)>, sizes = affine_map<() -> (7)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>) -> tensor<7xf64>
    %sum = quernel.add %left, %right : (tensor<7xf64>, tensor<7xf64>) -> tensor<7xf64>
    %next = quernel.update_slice %a, %sum {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (7)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<7xf64>) -> tensor<9xf64>
    scf.yield %next : tensor<9xf64>
  }
  return %r : tensor<9xf64>
}

// A row as long as the counter says: an inline reduction, and one element written.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args(%[[A:.*]] = %arg0)
// CHECK:           %[[S:.*]] = scf.for %[[J:.*]] = %c0 to %[[I]] step %c1 iter_args(%[[ACC:.*]] = %cst) -> (f64)
// CHECK-NEXT:        %[[X:.*]] = tensor.extract %[[A]][%[[I]], %[[J]]]
// CHECK-NEXT:        arith.addf %[[ACC]], %[[X]]
// CHECK:           %[[NEXT:.*]] = tensor.insert %[[S]] into %[[A]][%[[I]], %[[I]]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
func.func @rows(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %c8 = quernel.size {dim = affine_map<() -> (8)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<8x8xf64>) {
    quernel.symbol %i {number = 0 : i64} : index
    %row = quernel.slice %a {offsets = affine_map<()[s0] -> (s0, 0)>, sizes = affine_map<()[s0] -> (1, s0)>, strides = affine_map<() -> (1, 1)>} : (tensor<8x8xf64>) -> tensor<1x?xf64>
    %flat = quernel.reshape %row {shape = affine_map<()[s0] -> (s0)>} : (tensor<1x?xf64>) -> tensor<?xf64>
    %sum = quernel.reduce %flat {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    %next = quernel.update_slice %a, %sum {offsets = affine_map<()[s0] -> (s0, s0)>, sizes = affine_map<() -> (1, 1)>, strides = affine_map<() -> (1, 1)>} : (tensor<8x8xf64>, tensor<f64>) -> tensor<8x8xf64>
    scf.yield %next : tensor<8x8xf64>
  }
  return %r : tensor<8x8xf64>
}

// CHECK-LABEL: func.func @halve(
// CHECK:         %[[R:.*]] = scf.while (%[[S:.*]] = %{{.*}}) : (f64) -> f64
// CHECK:           %[[GO:.*]] = arith.cmpf ogt, %[[S]], %cst
// CHECK-NEXT:      scf.condition(%[[GO]]) %[[S]] : f64
// CHECK:         quernel.check %{{.*}} {exception = "ValueError", message = "too small"} : i1
// CHECK:         return %[[R]] : f64
func.func @halve(%x: tensor<f64> {quernel.argument = #quernel.argument<scalar>}) -> tensor<f64> {
  %one = quernel.constant {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %half = quernel.constant {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %r = scf.while (%s = %x) : (tensor<f64>) -> tensor<f64> {
    %more = quernel.greater %s, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>):
    %next = quernel.multiply %s, %half : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %enough = quernel.greater %r, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
  quernel.check %enough {exception = "ValueError", message = "too small"} : tensor<i1>
  return %r : tensor<f64>
}

// The old row is asked for after it was written: it is computed before.
// CHECK-LABEL: func.func @kept(
// CHECK:         %[[OLD:.*]] = linalg.generic
// CHECK:           tensor.extract %arg0
// CHECK:         %[[WRITTEN:.*]] = tensor.insert_slice
// CHECK:         linalg.generic
// CHECK-NOT:       tensor.extract %arg0
// CHECK:           tensor.extract %[[OLD]]
// CHECK:         quernel.check
func.func @kept(%x: tensor<9xf64>, %ok: tensor<i1> {quernel.argument = #quernel.argument<scalar>}) -> (tensor<9xf64>, tensor<9xf64>) {
  %two = quernel.constant {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %old = quernel.multiply %x, %two : (tensor<9xf64>, tensor<f64>) -> tensor<9xf64>
  %part = quernel.full %two {shape = affine_map<() -> (4)>} : (tensor<f64>) -> tensor<4xf64>
  %new = quernel.update_slice %x, %part {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (4)>, strides = affine_map<() -> (1)>} : (tensor<9xf64>, tensor<4xf64>) -> tensor<9xf64>
  %sum = quernel.add %old, %new : (tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
  quernel.check %ok {exception = "ValueError", message = "no"} : tensor<i1>
  return %sum, %new : tensor<9xf64>, tensor<9xf64>
}

// The last of two equal positions wins: stores in order.
// CHECK-LABEL: func.func @scattered(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c3 step %c1 iter_args(%[[A:.*]] = %arg0)
// CHECK:           %[[P:.*]] = tensor.extract %arg2[%[[I]]]
// CHECK:           %[[AT:.*]] = arith.index_cast %[[P]]
// CHECK:           %[[INSIDE:.*]] = arith.minui %[[AT]], %c8
// CHECK:           %[[V:.*]] = tensor.extract %arg1[%[[I]]]
// CHECK:           tensor.insert %[[V]] into %[[A]][%[[INSIDE]]]
func.func @scattered(%x: tensor<9xf64>, %v: tensor<3xf64>, %at: tensor<3xi64>) -> tensor<9xf64> {
  %r = quernel.scatter %x, %v, %at {axes = array<i64: 0>, kind = "set"} : (tensor<9xf64>, tensor<3xf64>, tensor<3xi64>) -> tensor<9xf64>
  return %r : tensor<9xf64>
}

// CHECK-LABEL: func.func @running(
// CHECK:         %[[OUT:.*]] = bufferization.alloc_tensor() : tensor<4x5xf64>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4
// CHECK:           scf.for %[[J:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[S:.*]] = %cst)
// CHECK:             %[[X:.*]] = tensor.extract %arg0[%[[I]], %[[J]]]
// CHECK:             %[[N:.*]] = arith.addf %[[S]], %[[X]]
// CHECK:             tensor.insert %[[N]] into %[[A]][%[[I]], %[[J]]]
func.func @running(%x: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %r = quernel.scan %x {kind = "sum", axis = 1} : (tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

// CHECK-LABEL: func.func @solved(
// CHECK:         linalg.generic {{.*}}library_call = "qn_solve_f64"} ins(%arg0, %arg1 :
func.func @solved(%a: tensor<3x3xf64>, %b: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %r, %failure = quernel.routine %a, %b {kind = "solve", axis = 0, sizes = affine_map<() -> ()>} : (tensor<3x3xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<i64>)
  return %r : tensor<3x1xf64>
}

// What a loop hands over and what follows it both need is made for each of them.
// CHECK-LABEL: func.func @handed_over_and_stored(
// CHECK:         scf.while
// CHECK:           %[[INSIDE:.*]] = arith.constant true
// CHECK:           scf.yield %[[INSIDE]]
// CHECK:         %[[AFTER:.*]] = arith.constant true
// CHECK:         tensor.insert %[[AFTER]] into %arg0
func.func @handed_over_and_stored(%x: tensor<3xi1>) -> (tensor<i1>, tensor<3xi1>) {
  %no = quernel.constant {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %yes = quernel.constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %r = scf.while (%s = %no) : (tensor<i1>) -> tensor<i1> {
    %more = quernel.logical_not %s : (tensor<i1>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<i1>
  } do {
  ^bb0(%s: tensor<i1>):
    scf.yield %yes : tensor<i1>
  }
  %part = quernel.reshape %yes {shape = affine_map<() -> (1)>} : (tensor<i1>) -> tensor<1xi1>
  %new = quernel.update_slice %x, %part {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (1)>, strides = affine_map<() -> (1)>} : (tensor<3xi1>, tensor<1xi1>) -> tensor<3xi1>
  return %r, %new : tensor<i1>, tensor<3xi1>
}

// An array whose shape has another name is stored like any other: the loop that carried it is gone.
// CHECK-LABEL: func.func @renamed(
// CHECK:         %[[NEW:.*]] = linalg.generic
// CHECK:         return %[[NEW]]
func.func @renamed(%n0: index, %x: tensor<?xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}, %ok: tensor<i1> {quernel.argument = #quernel.argument<scalar>}) -> tensor<?xf64> {
  quernel.check %ok {exception = "ValueError", message = "no"} : tensor<i1>
  %two = quernel.add %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %same = quernel.assume_shape %two {shape = affine_map<()[s0] -> (s0)>} : (tensor<?xf64>) -> tensor<?xf64>
  return %same : tensor<?xf64>
}

// Sizes that may be too many bytes are counted where the array is made, but before a loop, if it has a turn. What is
// bounded by memory that is there isn't.
// CHECK-LABEL: func.func @counted(
// CHECK:         quernel.check %{{.*}} {exception = "ValueError", message = "mine"}
// CHECK:         %[[BYTES:.*]] = quernel.count(
// CHECK:         %[[FITS:.*]] = arith.cmpi slt, %[[BYTES]]
// CHECK:         %[[NEVER:.*]] = arith.cmpi sle, %{{.*}}, %c0
// CHECK-NEXT:    %[[OK:.*]] = arith.ori %[[FITS]], %[[NEVER]]
// CHECK-NEXT:    quernel.check %[[OK]] {exception = "ValueError", message = "array is too big;
// CHECK:         scf.for
// CHECK-NOT:     quernel.count
// CHECK:         return
func.func @counted(%n0: index, %ok: tensor<i1> {quernel.argument = #quernel.argument<scalar>}, %n: tensor<i64> {quernel.argument = #quernel.argument<scalar>}, %c: tensor<i64> {quernel.argument = #quernel.argument<scalar>}, %x: tensor<?xf32> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}) -> tensor<f64> {
  quernel.symbol %n {number = 1 : i64} : tensor<i64>
  quernel.symbol %c {number = 2 : i64, upper = affine_map<()[s0] -> (s0)>} : tensor<i64>
  quernel.check %ok {exception = "ValueError", message = "mine"} : tensor<i1>
  %zero = quernel.constant {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %few = quernel.full %zero {shape = affine_map<()[s0, s1, s2] -> (s2)>} : (tensor<f64>) -> tensor<?xf64>
  %sum = quernel.reduce %few {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
  %c0 = quernel.size {dim = affine_map<() -> (0)>} : index
  %end = quernel.size {dim = affine_map<()[s0, s1] -> (s1)>} : index
  %c1 = quernel.size {dim = affine_map<() -> (1)>} : index
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %sum) -> (tensor<f64>) {
    quernel.symbol %i {number = 3 : i64} : index
    %all = quernel.full %a {shape = affine_map<()[s0, s1] -> (s1, s1)>} : (tensor<f64>) -> tensor<?x?xf64>
    %next = quernel.reduce %all {kind = "sum", axes = array<i64: 0, 1>} : (tensor<?x?xf64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  return %r : tensor<f64>
}

// What one mask chooses is filled in one loop; the second one's elements are chosen by another mask.
// CHECK-LABEL: @one_mask(
// CHECK: %[[BOTH:.+]]:3 = scf.for
// CHECK: scf.if
// CHECK: tensor.insert
// CHECK: tensor.insert
// CHECK: scf.for
// CHECK: tensor.insert
// CHECK-NOT: tensor.insert
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @one_mask(%n0: index {quernel.argument = #quernel.argument<"n0">}, %x: tensor<40xf64>, %y: tensor<40xi64>, %m: tensor<40xi1>, %k: tensor<40xi1>) -> (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) {
  %0 = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<40xf64>, tensor<40xi1>) -> tensor<?xf64>
  %1 = quernel.compress %y, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<40xi64>, tensor<40xi1>) -> tensor<?xi64>
  %2 = quernel.compress %x, %k {size = affine_map<()[s0] -> (s0)>} : (tensor<40xf64>, tensor<40xi1>) -> tensor<?xf64>
  return %0, %1, %2 : tensor<?xf64>, tensor<?xi64>, tensor<?xf64>
}

// What two elements fold to doesn't depend on the loop that loads them: the constant stands before the loop, as what uses it.
// CHECK-LABEL: @folded_in_a_loop(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[D:.*]] = arith.subi %[[ZERO]],
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %[[D]]
func.func @folded_in_a_loop(%d: tensor<2xi64>, %s: tensor<i64> {quernel.argument = #quernel.argument<scalar>}) -> tensor<i64> {
  %x = quernel.bitwise_xor %d, %d : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %y = quernel.subtract %x, %s : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %r = quernel.reduce %y {axes = array<i64: 0>, kind = "sum"} : (tensor<2xi64>) -> tensor<i64>
  return %r : tensor<i64>
}

// A short reduction that the program asks for twice, for a condition and for the place of its message, is one loop.
// CHECK-LABEL: @asked_twice(
// CHECK: %[[LEAST:.*]] = scf.for
// CHECK: arith.cmpi eq, %[[LEAST]]
// CHECK-NOT: scf.for
// CHECK: arith.minsi %[[LEAST]]
// CHECK: quernel.check
func.func @asked_twice(%x: tensor<40xi64>) -> tensor<40xi64> {
  %none = quernel.constant {value = dense<9> : tensor<i64>} : () -> tensor<i64>
  %last = quernel.constant {value = dense<39> : tensor<i64>} : () -> tensor<i64>
  %0 = quernel.reduce %x {axes = array<i64: 0>, kind = "min"} : (tensor<40xi64>) -> tensor<i64>
  %1 = quernel.equal %0, %none : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %2 = quernel.minimum %0, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
  quernel.check %1, %2 {exception = "IndexError", message = "{0}"} : tensor<i1>, tensor<i64>
  %3 = quernel.negative %x : (tensor<40xi64>) -> tensor<40xi64>
  return %3 : tensor<40xi64>
}

// What three kernels would load from random places is loaded once; two load it again.
// CHECK-LABEL: @random_places(
// CHECK: %[[STORED:.*]] = linalg.generic
// CHECK: tensor.extract %arg0
// CHECK-NOT: tensor.extract %arg0
// CHECK: return
func.func @random_places(%x: tensor<900xf64>, %i: tensor<5000xi64>, %j: tensor<5000xi64>) -> (tensor<5000xf64>, tensor<5000x2xf64>, tensor<5000x3xf64>) {
  %p = quernel.add %i, %j : (tensor<5000xi64>, tensor<5000xi64>) -> tensor<5000xi64>
  %0 = quernel.gather %x, %p {axes = array<i64: 0>} : (tensor<900xf64>, tensor<5000xi64>) -> tensor<5000xf64>
  %1 = quernel.negative %0 : (tensor<5000xf64>) -> tensor<5000xf64>
  %2 = quernel.reshape %0 {shape = affine_map<() -> (5000, 1)>} : (tensor<5000xf64>) -> tensor<5000x1xf64>
  %3 = quernel.broadcast_to %2 {shape = affine_map<() -> (5000, 2)>} : (tensor<5000x1xf64>) -> tensor<5000x2xf64>
  %4 = quernel.broadcast_to %2 {shape = affine_map<() -> (5000, 3)>} : (tensor<5000x1xf64>) -> tensor<5000x3xf64>
  return %1, %3, %4 : tensor<5000xf64>, tensor<5000x2xf64>, tensor<5000x3xf64>
}
