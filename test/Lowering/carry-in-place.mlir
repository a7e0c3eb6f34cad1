// Loops and branches hand their arrays over in place.
// RUN: quernel-opt %s --quernel-carry-in-place | FileCheck %s
// RUN: quernel-opt %s --quernel-carry-in-place --one-shot-bufferize='bufferize-function-boundaries' --canonicalize | FileCheck %s --check-prefix=BUFFERS

// BUFFERS-NOT: iter_args(%{{[^)]*}}) -> ({{[^)]*}}memref

// A new array goes to the buffer that the loop carries; an update is there anyway.
// CHECK-LABEL: @new_and_updated(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK: %[[NEW:.*]] = linalg.fill
// CHECK: %[[UPDATED:.*]] = tensor.insert
// CHECK-NEXT: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[A]]
// CHECK-NEXT: scf.yield %[[KEPT]], %[[UPDATED]]
// CHECK: {quernel.turns}
func.func @new_and_updated(%n: index, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf64>, tensor<?xf64>) {
    %s = tensor.extract %a[%i] : tensor<?xf64>
    %e = tensor.empty(%n) : tensor<?xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    %u = tensor.insert %s into %b[%i] : tensor<?xf64>
    scf.yield %new, %u : tensor<?xf64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
}

// What takes another's place is stored before the other changes.
// CHECK-LABEL: @follow(
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK: %[[NEW:.*]] = linalg.fill
// CHECK-NEXT: %[[FIRST:.*]] = bufferization.materialize_in_destination %[[B]] in %[[A]]
// CHECK-NEXT: %[[SECOND:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[B]]
// CHECK-NEXT: scf.yield %[[FIRST]], %[[SECOND]]
func.func @follow(%n: index, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf64>, tensor<?xf64>) {
    %s = tensor.extract %a[%i] : tensor<?xf64>
    %e = tensor.empty(%n) : tensor<?xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %b, %new : tensor<?xf64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
}

// Arrays that change places need one copy.
// CHECK-LABEL: @swap(
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT: %[[OLD:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK-NEXT: %[[SECOND:.*]] = bufferization.materialize_in_destination %[[A]] in %[[B]]
// CHECK-NEXT: %[[FIRST:.*]] = bufferization.materialize_in_destination %[[OLD]] in %[[A]]
// CHECK-NEXT: scf.yield %[[FIRST]], %[[SECOND]]
func.func @swap(%n: index, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf64>, tensor<?xf64>) {
    scf.yield %b, %a : tensor<?xf64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
}

// The body of a while loop sees every array, so that it can be updated in place.
// CHECK-LABEL: @until(
// CHECK: %{{.*}}:2 = scf.while (%[[A:.*]] = %{{.*}}) : (tensor<?xf64>) -> (tensor<?xf64>, f64) {
// CHECK: scf.condition(%{{.*}}) %[[A]], %{{.*}} : tensor<?xf64>, f64
// CHECK: ^bb0(%[[B:.*]]: tensor<?xf64>, %[[S:.*]]: f64):
// CHECK: %[[NEW:.*]] = linalg.fill
// CHECK-NEXT: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[B]]
// CHECK-NEXT: scf.yield %[[KEPT]]
func.func @until(%n: index, %x: tensor<?xf64>, %limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %r = scf.while (%a = %x) : (tensor<?xf64>) -> (f64) {
    %s = tensor.extract %a[%c0] : tensor<?xf64>
    %go = arith.cmpf olt, %s, %limit : f64
    scf.condition(%go) %s : f64
  } do {
  ^bb0(%s: f64):
    %t = arith.addf %s, %s : f64
    %e = tensor.empty(%n) : tensor<?xf64>
    %new = linalg.fill ins(%t : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %new : tensor<?xf64>
  }
  return %r : f64
}

// A condition may update an array, too.
// CHECK-LABEL: @counts(
// CHECK: scf.while (%[[A:.*]] = %{{.*}}) : (tensor<?xi64>) -> tensor<?xi64> {
// CHECK: %[[NEW:.*]] = tensor.insert %{{.*}} into %[[A]]
// CHECK-NOT: materialize
// CHECK: scf.condition(%{{.*}}) %[[NEW]]
func.func @counts(%x: tensor<?xi64>, %limit: i64) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i64
  %r = scf.while (%a = %x) : (tensor<?xi64>) -> (tensor<?xi64>) {
    %s = tensor.extract %a[%c0] : tensor<?xi64>
    %t = arith.addi %s, %i1 : i64
    %new = tensor.insert %t into %a[%c0] : tensor<?xi64>
    %go = arith.cmpi slt, %t, %limit : i64
    scf.condition(%go) %new : tensor<?xi64>
  } do {
  ^bb0(%b: tensor<?xi64>):
    scf.yield %b : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// A branch that changes an array writes into it if nobody reads the old one afterwards.
// CHECK-LABEL: @sometimes(
// CHECK: iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<?xf64>) {
// CHECK: scf.if
// CHECK: %[[NEW:.*]] = linalg.fill
// CHECK-NEXT: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[A]]
// CHECK-NEXT: scf.yield %[[KEPT]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A]]
func.func @sometimes(%n: index, %x: tensor<?xf64>, %yes: i1) -> tensor<?xf64> attributes {quernel.updates = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf64>) {
    %b = scf.if %yes -> (tensor<?xf64>) {
      %s = tensor.extract %a[%i] : tensor<?xf64>
      %e = tensor.empty(%n) : tensor<?xf64>
      %new = linalg.fill ins(%s : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
      scf.yield %new : tensor<?xf64>
    } else {
      scf.yield %a : tensor<?xf64>
    }
    scf.yield %b : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// Where the old one is read afterwards, both sides fill a new array; its size is computed before the branch.
// CHECK-LABEL: @either(
// CHECK: %[[SIZE:.*]] = arith.addi
// CHECK-NEXT: %[[EMPTY:.*]] = bufferization.alloc_tensor(%[[SIZE]])
// CHECK-NEXT: scf.if
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[EMPTY]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[EMPTY]]
func.func @either(%n: index, %x: tensor<?xf64>, %yes: i1) -> (tensor<?xf64>, f64) attributes {quernel.updates = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %b = scf.if %yes -> (tensor<?xf64>) {
    %s = tensor.extract %x[%c0] : tensor<?xf64>
    %m = arith.addi %n, %n : index
    %e = tensor.empty(%m) : tensor<?xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %new : tensor<?xf64>
  } else {
    scf.yield %x : tensor<?xf64>
  }
  %t = tensor.extract %x[%c0] : tensor<?xf64>
  return %b, %t : tensor<?xf64>, f64
}

// Updates in branches of branches need nothing.
// CHECK-LABEL: @updates_inside(
// CHECK-NOT: bufferization
// CHECK-LABEL: @older_version(
func.func @updates_inside(%n: index, %x: tensor<?xf64>, %yes: i1, %s: f64) -> tensor<?xf64> attributes {quernel.updates = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf64>) {
    %b = scf.if %yes -> (tensor<?xf64>) {
      %t = tensor.extract %a[%i] : tensor<?xf64>
      %inner = arith.cmpf olt, %t, %s : f64
      %c = scf.if %inner -> (tensor<?xf64>) {
        %u = tensor.insert %s into %a[%i] : tensor<?xf64>
        scf.yield %u : tensor<?xf64>
      } else {
        scf.yield %a : tensor<?xf64>
      }
      scf.yield %c : tensor<?xf64>
    } else {
      %u = tensor.insert %s into %a[%c0] : tensor<?xf64>
      scf.yield %u : tensor<?xf64>
    }
    %v = tensor.insert %s into %b[%i] : tensor<?xf64>
    scf.yield %v : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// An old version that is read after the update is a copy's business: the result goes back into the array.
// CHECK: %[[NEW:.*]] = tensor.insert
// CHECK-NEXT: %[[OLD:.*]] = tensor.extract
// CHECK-NEXT: %[[NEXT:.*]] = tensor.insert %[[OLD]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[NEXT]]
func.func @older_version(%n: index, %x: tensor<?xf64>, %s: f64) -> tensor<?xf64> attributes {quernel.updates = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf64>) {
    %u = tensor.insert %s into %a[%i] : tensor<?xf64>
    %old = tensor.extract %a[%i] : tensor<?xf64>
    %v = tensor.insert %old into %u[%c0] : tensor<?xf64>
    scf.yield %v : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// A value that is written to two places is written there twice; so no array of it is made.
// CHECK-LABEL: @borders(
// CHECK: %[[SECOND:.*]] = linalg.generic
// CHECK: %[[FIRST:.*]] = linalg.generic
// CHECK: tensor.insert_slice %[[FIRST]] into
// CHECK-NEXT: tensor.insert_slice %[[SECOND]] into
func.func @borders(%x: tensor<4x4xf64>) -> tensor<4x4xf64> attributes {quernel.updates = array<i64: 0>} {
  %e = tensor.empty() : tensor<4xf64>
  %ones = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf64>) {
  ^bb0(%out: f64):
    %one = arith.constant 1.0 : f64
    linalg.yield %one : f64
  } -> tensor<4xf64>
  %u = tensor.insert_slice %ones into %x[0, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  %v = tensor.insert_slice %ones into %u[3, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  return %v : tensor<4x4xf64>
}

// A choice between arrays is a branch.
// CHECK-LABEL: @choice(
// CHECK: %[[NEW:.*]] = bufferization.alloc_tensor() : tensor<4xf64>
// CHECK: scf.if
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
func.func @choice(%yes: i1, %x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %r = arith.select %yes, %x, %y : tensor<4xf64>
  return %r : tensor<4xf64>
}

// An array that nothing is set in yet is no target for both sides.
// CHECK-LABEL: @empty_outside(
// CHECK: %[[NEW:.*]] = bufferization.alloc_tensor() : tensor<4xf64>
// CHECK: scf.if
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[NEW]]
func.func @empty_outside(%yes: i1, %x: tensor<4xf64>, %s: f64) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = scf.if %yes -> (tensor<4xf64>) {
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %new : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}
