// Arrays become buffers; those that are copies of each other share one where they may.
// RUN: quernel-opt %s --quernel-bind-buffers --quernel-coalesce-buffers --canonicalize --mlir-print-local-scope | FileCheck %s

// A new array goes to the one that the loop carries at the end of a turn; an update is there anyway.
// CHECK-LABEL: @new_and_updated(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.for %[[V3:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V4]] : memref<8xf64>) {
// CHECK: %[[V5:[a-z0-9_]+]] = memref.load %[[V1]][%[[V6:[a-z0-9_]+]]] : memref<8xf64, strided<[1]>>
// CHECK: %[[V7:[a-z0-9_]+]] = memref.load %[[V1]][%[[V3]]] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: memref.store %[[V7]], %[[V2]][%[[V3]]] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V4]], %[[V1]] : memref<8xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: return
func.func @new_and_updated(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<8xf64> {quernel.argument = #quernel.argument<"y">}) -> (tensor<8xf64>, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf64>, tensor<8xf64>) {
    %e = tensor.empty() : tensor<8xf64>
    %new = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf64>) {
    ^bb0(%out: f64):
      %k = linalg.index 0 : index
      %m = arith.subi %c7, %k : index
      %v = tensor.extract %a[%m] : tensor<8xf64>
      linalg.yield %v : f64
    } -> tensor<8xf64>
    %s = tensor.extract %a[%i] : tensor<8xf64>
    %u = tensor.insert %s into %b[%i] : tensor<8xf64>
    scf.yield %new, %u : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// A kernel that reads each element where it writes it needs no other array.
// CHECK-LABEL: @own_index(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V1]] : memref<8xf64, strided<[1]>>) {
// CHECK: %[[V2:[a-z0-9_]+]] = memref.load %[[V1]][%[[V3:[a-z0-9_]+]]] : memref<8xf64, strided<[1]>>
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: return
func.func @own_index(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}) -> tensor<8xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %e = tensor.empty() : tensor<8xf64>
  %new = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf64>) {
  ^bb0(%out: f64):
    %k = linalg.index 0 : index
    %v = tensor.extract %x[%k] : tensor<8xf64>
    %w = arith.addf %v, %v : f64
    linalg.yield %w : f64
  } -> tensor<8xf64>
  return %new : tensor<8xf64>
}

// Arrays that change places need one copy more.
// CHECK-LABEL: @swap(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.for %[[V3:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: memref.copy %[[V2]], %[[V4]] : memref<8xf64, strided<[1]>> to memref<8xf64>
// CHECK-NEXT: memref.copy %[[V1]], %[[V2]] : memref<8xf64, strided<[1]>> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V4]], %[[V1]] : memref<8xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: return
func.func @swap(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<8xf64> {quernel.argument = #quernel.argument<"y">}) -> (tensor<8xf64>, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf64>, tensor<8xf64>) {
    scf.yield %b, %a : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// What takes another one's place is copied before that one changes; the new one is made in its own place.
// CHECK-LABEL: @follow(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.for %[[V3:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: linalg.fill ins(%[[V5:[a-z0-9_]+]] : f64) outs(%[[V4]] : memref<8xf64>)
// CHECK-NEXT: memref.copy %[[V2]], %[[V1]] : memref<8xf64, strided<[1]>> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V4]], %[[V2]] : memref<8xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: return
func.func @follow(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<8xf64> {quernel.argument = #quernel.argument<"y">}, %s: tensor<f64> {quernel.argument = #quernel.argument<scalar>}) -> (tensor<8xf64>, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %t = tensor.extract %s[] : tensor<f64>
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf64>, tensor<8xf64>) {
    %e = tensor.empty() : tensor<8xf64>
    %new = linalg.fill ins(%t : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %b, %new : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// A condition may update an array, and may make one of its own.
// CHECK-LABEL: @conditions(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.while : () -> () {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.load %[[V1]][%c0{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK: memref.store %[[V3:[a-z0-9_]+]], %[[V1]][%c0{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK: scf.condition(%[[V4:[a-z0-9_]+]])
// CHECK-NEXT: } do {
// CHECK: scf.while : () -> () {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.load %[[V1]][%c0{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: linalg.fill ins(%[[V5]] : f64) outs(%[[V1]] : memref<8xf64, strided<[1]>>)
// CHECK: scf.condition(%[[V3]])
// CHECK-NEXT: } do {
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: return
func.func @conditions(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %limit: tensor<f64> {quernel.argument = #quernel.argument<scalar>}) -> tensor<8xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %c0 = arith.constant 0 : index
  %last = tensor.extract %limit[] : tensor<f64>
  %r = scf.while (%a = %x) : (tensor<8xf64>) -> (tensor<8xf64>) {
    %s = tensor.extract %a[%c0] : tensor<8xf64>
    %t = arith.addf %s, %s : f64
    %new = tensor.insert %t into %a[%c0] : tensor<8xf64>
    %go = arith.cmpf olt, %t, %last : f64
    scf.condition(%go) %new : tensor<8xf64>
  } do {
  ^bb0(%b: tensor<8xf64>):
    scf.yield %b : tensor<8xf64>
  }
  %q = scf.while (%a = %r) : (tensor<8xf64>) -> (tensor<8xf64>) {
    %s = tensor.extract %a[%c0] : tensor<8xf64>
    %e = tensor.empty() : tensor<8xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
    %go = arith.cmpf olt, %s, %last : f64
    scf.condition(%go) %new : tensor<8xf64>
  } do {
  ^bb0(%b: tensor<8xf64>):
    scf.yield %b : tensor<8xf64>
  }
  return %q : tensor<8xf64>
}

// Updates in branches of branches, in a loop and behind it, stay in the array.
// CHECK-LABEL: @updates_inside(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: scf.if %[[V3:[a-z0-9_]+]] {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[V1]][%[[V2]]] : memref<8xf64, strided<[1]>>
// CHECK: scf.if %[[V5:[a-z0-9_]+]] {
// CHECK-NEXT: memref.store %[[V6:[a-z0-9_]+]], %[[V1]][%[[V2]]] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store %[[V6]], %[[V1]][%c0{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: }
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: scf.if %[[V3]] {
// CHECK-NEXT: linalg.fill ins(%[[V6]] : f64) outs(%[[V1]] : memref<8xf64, strided<[1]>>)
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @updates_inside(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %yes: tensor<i1> {quernel.argument = #quernel.argument<scalar>}, %number: tensor<f64> {quernel.argument = #quernel.argument<scalar>}) -> tensor<8xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c = tensor.extract %yes[] : tensor<i1>
  %s = tensor.extract %number[] : tensor<f64>
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8xf64>) {
    %b = scf.if %c -> (tensor<8xf64>) {
      %t = tensor.extract %a[%i] : tensor<8xf64>
      %inner = arith.cmpf olt, %t, %s : f64
      %d = scf.if %inner -> (tensor<8xf64>) {
        %u = tensor.insert %s into %a[%i] : tensor<8xf64>
        scf.yield %u : tensor<8xf64>
      } else {
        scf.yield %a : tensor<8xf64>
      }
      scf.yield %d : tensor<8xf64>
    } else {
      %u = tensor.insert %s into %a[%c0] : tensor<8xf64>
      scf.yield %u : tensor<8xf64>
    }
    scf.yield %b : tensor<8xf64>
  }
  %after = scf.if %c -> (tensor<8xf64>) {
    %e = tensor.empty() : tensor<8xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %new : tensor<8xf64>
  } else {
    scf.yield %r : tensor<8xf64>
  }
  return %after : tensor<8xf64>
}

// An old version that is read after its update is kept. A read through a view is a read of the array.
// CHECK-LABEL: @older_version(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.subview %[[V1]][2] [4] [1] : memref<8xf64, strided<[1]>> to memref<4xf64, strided<[1], offset: 2>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: memref.copy %[[V1]], %[[V4]] : memref<8xf64, strided<[1]>> to memref<8xf64>
// CHECK-NEXT: memref.store %[[V5:[a-z0-9_]+]], %[[V4]][%c0{{[_a-z0-9]*}}] : memref<8xf64>
// CHECK-NEXT: memref.copy %[[V3]], %[[V2]] : memref<4xf64, strided<[1], offset: 2>> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V4]], %[[V1]] : memref<8xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: return
func.func @older_version(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %number: tensor<f64> {quernel.argument = #quernel.argument<scalar>}) -> (tensor<4xf64>, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %c0 = arith.constant 0 : index
  %s = tensor.extract %number[] : tensor<f64>
  %view = tensor.extract_slice %x[2] [4] [1] : tensor<8xf64> to tensor<4xf64>
  %u = tensor.insert %s into %x[%c0] : tensor<8xf64>
  return %view, %u : tensor<4xf64>, tensor<8xf64>
}

// A part that moves within an array is read from a copy.
// CHECK-LABEL: @shifted(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.subview %[[V1]][0] [7] [1] : memref<8xf64, strided<[1]>> to memref<7xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: memref.copy %[[V1]], %[[V3]] : memref<8xf64, strided<[1]>> to memref<8xf64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.subview %[[V3]][1] [7] [1] : memref<8xf64> to memref<7xf64, strided<[1], offset: 1>>
// CHECK-NEXT: memref.copy %[[V2]], %[[V4]] : memref<7xf64, strided<[1]>> to memref<7xf64, strided<[1], offset: 1>>
// CHECK-NEXT: memref.copy %[[V3]], %[[V1]] : memref<8xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: return
func.func @shifted(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}) -> tensor<8xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %view = tensor.extract_slice %x[0] [7] [1] : tensor<8xf64> to tensor<7xf64>
  %u = tensor.insert_slice %view into %x[1] [7] [1] : tensor<7xf64> into tensor<8xf64>
  return %u : tensor<8xf64>
}

// What both sides of a branch make is made in the caller's memory; nothing is taken for the side that isn't run.
// CHECK-LABEL: @either(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: scf.if %[[V3:[a-z0-9_]+]] {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[V1]][%c0{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = memref.alloc() : memref<8xf64>
// CHECK-NEXT: linalg.fill ins(%[[V4]] : f64) outs(%[[V5]] : memref<8xf64>)
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V2]] : memref<8xf64, strided<[1]>>) {
// CHECK: %[[V6:[a-z0-9_]+]] = memref.load %[[V5]][%[[V7:[a-z0-9_]+]]] : memref<8xf64>
// CHECK: } else {
// CHECK-NEXT: memref.copy %[[V1]], %[[V2]] : memref<8xf64, strided<[1]>> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @either(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %yes: tensor<i1> {quernel.argument = #quernel.argument<scalar>}) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c = tensor.extract %yes[] : tensor<i1>
  %r = scf.if %c -> (tensor<8xf64>) {
    %s = tensor.extract %x[%c0] : tensor<8xf64>
    %e = tensor.empty() : tensor<8xf64>
    %t = linalg.fill ins(%s : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
    %new = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf64>) {
    ^bb0(%out: f64):
      %k = linalg.index 0 : index
      %m = arith.subi %c7, %k : index
      %v = tensor.extract %t[%m] : tensor<8xf64>
      linalg.yield %v : f64
    } -> tensor<8xf64>
    scf.yield %new : tensor<8xf64>
  } else {
    scf.yield %x : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// A choice between arrays is a branch.
// CHECK-LABEL: @choice(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: scf.if %[[V4:[a-z0-9_]+]] {
// CHECK-NEXT: memref.copy %[[V1]], %[[V3]] : memref<4xf64, strided<[1]>> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %[[V2]], %[[V3]] : memref<4xf64, strided<[1]>> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @choice(%yes: tensor<i1> {quernel.argument = #quernel.argument<scalar>}, %x: tensor<4xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<4xf64> {quernel.argument = #quernel.argument<"y">}) -> tensor<4xf64> {
  %c = tensor.extract %yes[] : tensor<i1>
  %r = arith.select %c, %x, %y : tensor<4xf64>
  return %r : tensor<4xf64>
}

// Parts are made in their places, a value for two of them twice.
// CHECK-LABEL: @parts(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<?xf64> to memref<4x4xf64, strided<[4, 1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.subview %[[V1]][1, 0] [1, 4] [1, 1] : memref<4x4xf64, strided<[4, 1]>> to memref<4xf64, strided<[1], offset: 4>>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V3]] : memref<4xf64, strided<[1], offset: 4>>) {
// CHECK: %[[V4:[a-z0-9_]+]] = memref.load %[[V2]][%[[V5:[a-z0-9_]+]]] : memref<4xf64, strided<[1]>>
// CHECK: %[[V6:[a-z0-9_]+]] = memref.subview %[[V1]][0, 0] [1, 4] [1, 1] : memref<4x4xf64, strided<[4, 1]>> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V6]] : memref<4xf64, strided<[1]>>) {
// CHECK: %[[V7:[a-z0-9_]+]] = memref.subview %[[V1]][3, 0] [1, 4] [1, 1] : memref<4x4xf64, strided<[4, 1]>> to memref<4xf64, strided<[1], offset: 12>>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V7]] : memref<4xf64, strided<[1], offset: 12>>) {
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: return
func.func @parts(%x: tensor<4x4xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<4xf64> {quernel.argument = #quernel.argument<"y">}) -> tensor<4x4xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %e = tensor.empty() : tensor<4xf64>
  %ones = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf64>) {
  ^bb0(%out: f64):
    %one = arith.constant 1.0 : f64
    linalg.yield %one : f64
  } -> tensor<4xf64>
  %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf64>) {
  ^bb0(%out: f64):
    %k = linalg.index 0 : index
    %v = tensor.extract %y[%k] : tensor<4xf64>
    linalg.yield %v : f64
  } -> tensor<4xf64>
  %t = tensor.insert_slice %row into %x[1, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  %u = tensor.insert_slice %ones into %t[0, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  %v = tensor.insert_slice %ones into %u[3, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  return %v : tensor<4x4xf64>
}

// A part isn't made in its place while somebody reads what was there.
// CHECK-LABEL: @part_read_before(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[Y:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"y"{{.*}}%[[OUT:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8], strides: [1] : memref<?xf64> to memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [4], strides: [1] : memref<?xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.alloc() : memref<4xf64>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V3]] : memref<4xf64>) {
// CHECK: %[[V4:[a-z0-9_]+]] = memref.load %[[V2]][%[[V5:[a-z0-9_]+]]] : memref<4xf64, strided<[1]>>
// CHECK: %[[V6:[a-z0-9_]+]] = memref.load %[[V1]][%c1{{[_a-z0-9]*}}] : memref<8xf64, strided<[1]>>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.subview %[[V1]][0] [4] [1] : memref<8xf64, strided<[1]>> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V3]], %[[V7]] : memref<4xf64> to memref<4xf64, strided<[1]>>
// CHECK-NEXT: memref.store %[[V6]], %[[OUT]][%c0{{[_a-z0-9]*}}] : memref<?xf64>
// CHECK-NEXT: return
func.func @part_read_before(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}, %y: tensor<4xf64> {quernel.argument = #quernel.argument<"y">}) -> (f64, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf64>
  %new = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf64>) {
  ^bb0(%out: f64):
    %k = linalg.index 0 : index
    %v = tensor.extract %y[%k] : tensor<4xf64>
    linalg.yield %v : f64
  } -> tensor<4xf64>
  %old = tensor.extract %x[%c1] : tensor<8xf64>
  %u = tensor.insert_slice %new into %x[0] [4] [1] : tensor<4xf64> into tensor<8xf64>
  return %old, %u : f64, tensor<8xf64>
}

// An argument that isn't written and a table are copied where a loop changes what began as them.
// CHECK-LABEL: @kept(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"x"{{.*}}%[[OUT0:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out0"{{.*}}%[[OUT1:[a-z0-9]+]]: memref<?xf64> {quernel.argument = #quernel.argument<"out1"
// CHECK: %[[V1:[a-z0-9_]+]] = memref.get_global @__constant_2xf64 : memref<2xf64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [2], strides: [1] : memref<?xf64> to memref<2xf64, strided<[1]>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT0]] to offset: [0], sizes: [2], strides: [1] : memref<?xf64> to memref<2xf64, strided<[1]>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.reinterpret_cast %[[OUT1]] to offset: [0], sizes: [2], strides: [1] : memref<?xf64> to memref<2xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V2]], %[[V3]] : memref<2xf64, strided<[1]>> to memref<2xf64, strided<[1]>>
// CHECK-NEXT: memref.copy %[[V1]], %[[V4]] : memref<2xf64> to memref<2xf64, strided<[1]>>
// CHECK-NEXT: scf.for %[[V5:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c7{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[V3]][%c1{{[_a-z0-9]*}}] : memref<2xf64, strided<[1]>>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = memref.load %[[V4]][%c1{{[_a-z0-9]*}}] : memref<2xf64, strided<[1]>>
// CHECK-NEXT: memref.store %[[V7]], %[[V3]][%c0{{[_a-z0-9]*}}] : memref<2xf64, strided<[1]>>
// CHECK-NEXT: memref.store %[[V6]], %[[V4]][%c0{{[_a-z0-9]*}}] : memref<2xf64, strided<[1]>>
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK-NEXT: return
func.func @kept(%x: tensor<2xf64> {quernel.argument = #quernel.argument<"x">}) -> (tensor<2xf64>, tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %table = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %table) -> (tensor<2xf64>, tensor<2xf64>) {
    %s = tensor.extract %a[%c1] : tensor<2xf64>
    %t = tensor.extract %b[%c1] : tensor<2xf64>
    %u = tensor.insert %t into %a[%c0] : tensor<2xf64>
    %v = tensor.insert %s into %b[%c0] : tensor<2xf64>
    scf.yield %u, %v : tensor<2xf64>, tensor<2xf64>
  }
  return %r#0, %r#1 : tensor<2xf64>, tensor<2xf64>
}

// The size of what a branch has made is that of its buffer.
// CHECK-LABEL: @size_of_choice(
// CHECK: scf.if
// CHECK-NOT: tensor.dim
// CHECK: return
func.func @size_of_choice(%n: index {quernel.argument = #quernel.argument<"n0", symbol>}, %x: tensor<?xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0)>>}, %y: tensor<?xf64> {quernel.argument = #quernel.argument<"y", shape = affine_map<()[s0] -> (s0)>>}) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %first = tensor.extract %x[%c0] : tensor<?xf64>
  %c = arith.cmpf ogt, %first, %zero : f64
  %chosen = arith.select %c, %x, %y : tensor<?xf64>
  return %chosen : tensor<?xf64>
}

// The caller takes a buffer over that no argument has, and that is another one for each array.
// CHECK-LABEL: @handed_over(
// CHECK-DAG: %[[FIRST:.*]] = memref.alloc() : memref<8xf64>
// CHECK-DAG: %[[SECOND:.*]] = memref.alloc() : memref<8xf64>
// CHECK: quernel.address %[[FIRST]] : memref<8xf64>
// CHECK: quernel.address %[[SECOND]] : memref<8xf64>
func.func @handed_over(%x: tensor<8xf64> {quernel.argument = #quernel.argument<"x">}) -> (i64, i64, tensor<8xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %e = tensor.empty() : tensor<8xf64>
  %new = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf64>) {
  ^bb0(%out: f64):
    %k = linalg.index 0 : index
    %v = tensor.extract %x[%k] : tensor<8xf64>
    linalg.yield %v : f64
  } -> tensor<8xf64>
  %a = bufferization.alloc_tensor() copy(%new) : tensor<8xf64>
  %b = bufferization.alloc_tensor() copy(%new) : tensor<8xf64>
  %first = quernel.address %a : tensor<8xf64>
  %second = quernel.address %b : tensor<8xf64>
  return %first, %second, %new : i64, i64, tensor<8xf64>
}
