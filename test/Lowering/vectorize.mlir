// Marked loops become vectors.
// RUN: quernel-opt %s --quernel-vectorize --canonicalize --mlir-print-local-scope | FileCheck %s

// Whole vectors first, then single elements; what steps by one is a load, what steps by two a gather, what stays a broadcast.
// CHECK-LABEL: @accesses(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:{{.*}}%[[A3:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]] = arith.remsi %[[A3]], %c8{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.subi %[[A3]], %[[V0]] : index
// CHECK-NEXT: scf.parallel (%[[V2:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[V1]]) step (%c8{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.muli %[[V2]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = vector.load %[[A0]][%[[V2]]] : memref<?xf64>, vector<8xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = vector.gather %[[A0]][%[[V3]]] [%{{[a-z0-9_]+}}], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : memref<?xf64>, vector<8xindex>, vector<8xi1>, vector<8xf64> into vector<8xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = memref.load %[[A1]][%c0{{[_a-z0-9]*}}] : memref<?xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.mulf %[[V4]], %[[V5]] : vector<8xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = vector.broadcast %[[V6]] : f64 to vector<8xf64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = arith.addf %[[V7]], %[[V8]] : vector<8xf64>
// CHECK-NEXT: vector.store %[[V9]], %[[A2]][%[[V2]]] : memref<?xf64>, vector<8xf64>
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<grain = 10>}
// CHECK-NEXT: scf.for %[[V2]] = %[[V1]] to %[[A3]] step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[V3]] = arith.muli %[[V2]], %c2{{[_a-z0-9]*}} : index
// CHECK-NEXT: %[[V4]] = memref.load %[[A0]][%[[V2]]] : memref<?xf64>
// CHECK-NEXT: %[[V5]] = memref.load %[[A0]][%[[V3]]] : memref<?xf64>
// CHECK-NEXT: %[[V6]] = memref.load %[[A1]][%c0{{[_a-z0-9]*}}] : memref<?xf64>
// CHECK-NEXT: %[[V7]] = arith.mulf %[[V4]], %[[V5]] : f64
// CHECK-NEXT: %[[V8]] = arith.addf %[[V7]], %[[V6]] : f64
// CHECK-NEXT: memref.store %[[V8]], %[[A2]][%[[V2]]] : memref<?xf64>
func.func @accesses(%x: memref<?xf64>, %k: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = arith.muli %i, %c2 : index
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = memref.load %x[%p] : memref<?xf64>
    %2 = memref.load %k[%c0] : memref<?xf64>
    %3 = arith.mulf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    memref.store %4, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  return
}

// No remainder, and no vectors where there is less than one.
// CHECK-LABEL: @exact(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%c16{{[_a-z0-9]*}}) step (%c8{{[_a-z0-9]*}}) {
// CHECK-NEXT: vector.store %{{[a-z0-9_]+}}, %[[A0]][%[[V0]]] : memref<?xf64>, vector<8xf64>
// CHECK-NEXT: scf.reduce
// CHECK: scf.for %[[V0]] = %c0{{[_a-z0-9]*}} to %c5{{[_a-z0-9]*}} step %c1{{[_a-z0-9]*}} {
// CHECK-NEXT: memref.store %{{[a-z0-9_]+}}, %[[A1]][%[[V0]]] : memref<?xf64>
func.func @exact(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  scf.parallel (%i) = (%c0) to (%c5) step (%c1) {
    memref.store %zero, %y[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  return
}

// The index of the first minimum: of equal lanes, the lower index wins.
// CHECK-LABEL: @search(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:
// CHECK: %[[V0:[a-z0-9_]+]]:2 = scf.for %[[V1:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %c64{{[_a-z0-9]*}} step %c16{{[_a-z0-9]*}} iter_args(%[[V2:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = arith.index_cast %[[V1]] : index to i64
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = vector.load %[[A0]][%[[V1]]] : memref<?xf64>, vector<16xf64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.cmpf olt, %[[V5]], %[[V2]] : vector<16xf64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.select %[[V6]], %[[V5]], %[[V2]] : vector<16xi1>, vector<16xf64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = vector.broadcast %[[V4]] : i64 to vector<16xi64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = arith.addi %[[V8]], %{{[a-z0-9_]+}} : vector<16xi64>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = arith.select %[[V6]], %[[V9]], %[[V3]] : vector<16xi1>, vector<16xi64>
// CHECK-NEXT: scf.yield %[[V7]], %[[V10]] : vector<16xf64>, vector<16xi64>
// CHECK: %[[V11:[a-z0-9_]+]] = vector.shuffle %[[V0]]#0, %[[V0]]#0 [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf64>, vector<16xf64>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = vector.shuffle %[[V0]]#0, %[[V0]]#0 [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf64>, vector<16xf64>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = vector.shuffle %[[V0]]#1, %[[V0]]#1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xi64>, vector<16xi64>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = vector.shuffle %[[V0]]#1, %[[V0]]#1 [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi64>, vector<16xi64>
// CHECK-NEXT: %[[HIGH:[a-z0-9_]+]] = arith.cmpf ult, %[[V12]], %[[V11]] : vector<8xf64>
// CHECK-NEXT: %[[NAN:[a-z0-9_]+]] = arith.cmpf uno, %[[V11]], %[[V11]] : vector<8xf64>
// CHECK-NEXT: %[[NUMBER:[a-z0-9_]+]] = arith.xori %[[NAN]], %{{[a-z0-9_]+}} : vector<8xi1>
// CHECK-NEXT: %[[HIGH_WINS:[a-z0-9_]+]] = arith.andi %[[HIGH]], %[[NUMBER]] : vector<8xi1>
// CHECK-NEXT: %[[LOW:[a-z0-9_]+]] = arith.cmpf ult, %[[V11]], %[[V12]] : vector<8xf64>
// CHECK-NEXT: %[[NAN1:[a-z0-9_]+]] = arith.cmpf uno, %[[V12]], %[[V12]] : vector<8xf64>
// CHECK-NEXT: %[[NUMBER1:[a-z0-9_]+]] = arith.xori %[[NAN1]], %{{[a-z0-9_]+}} : vector<8xi1>
// CHECK-NEXT: %[[LOW_WINS:[a-z0-9_]+]] = arith.andi %[[LOW]], %[[NUMBER1]] : vector<8xi1>
// CHECK-NEXT: %[[DIFFER:[a-z0-9_]+]] = arith.ori %[[HIGH_WINS]], %[[LOW_WINS]] : vector<8xi1>
// CHECK-NEXT: %[[TIE:[a-z0-9_]+]] = arith.xori %[[DIFFER]], %{{[a-z0-9_]+}} : vector<8xi1>
// CHECK-NEXT: %[[EARLIER:[a-z0-9_]+]] = arith.cmpi slt, %[[V14]], %[[V13]] : vector<8xi64>
// CHECK-NEXT: %[[TIE_WINS:[a-z0-9_]+]] = arith.andi %[[TIE]], %[[EARLIER]] : vector<8xi1>
// CHECK-NEXT: %[[WINS:[a-z0-9_]+]] = arith.ori %[[HIGH_WINS]], %[[TIE_WINS]] : vector<8xi1>
// CHECK-NEXT: arith.select %[[WINS]], %[[V12]], %[[V11]] : vector<8xi1>, vector<8xf64>
// CHECK-NEXT: arith.select %[[WINS]], %[[V14]], %[[V13]] : vector<8xi1>, vector<8xi64>
// CHECK: %[[FOUND:[a-z0-9_]+]] = arith.select %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : i64
// CHECK-NEXT: memref.store %[[FOUND]], %[[A1]][%c0{{[_a-z0-9]*}}] : memref<?xi64>
func.func @search(%x: memref<?xf64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %high = arith.constant 0x7FF0000000000000 : f64
  %first = arith.constant 0 : i64
  %r:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%b = %high, %a = %first) -> (f64, i64) {
    %i = arith.index_cast %k : index to i64
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.cmpf olt, %0, %b : f64
    %2 = arith.select %1, %0, %b : f64
    %3 = arith.select %1, %i, %a : i64
    scf.yield %2, %3 : f64, i64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [argmin, index]>}
  memref.store %r#1, %out[%c0] : memref<?xi64>
  return
}

// Many have twice as many candidates, whose steps don't wait for each other.
// CHECK-LABEL: @long_search(
// CHECK: scf.for {{.*}} = %c0{{[_a-z0-9]*}} to %c320{{[_a-z0-9]*}} step %c32{{[_a-z0-9]*}} {{.*}} -> (vector<32xf64>, vector<32xi64>) {
func.func @long_search(%x: memref<?xf64>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c320 = arith.constant 320 : index
  %high = arith.constant 0x7FF0000000000000 : f64
  %first = arith.constant 0 : i64
  %r:2 = scf.for %k = %c0 to %c320 step %c1 iter_args(%b = %high, %a = %first) -> (f64, i64) {
    %i = arith.index_cast %k : index to i64
    %0 = memref.load %x[%k] : memref<?xf64>
    %1 = arith.cmpf olt, %0, %b : f64
    %2 = arith.select %1, %0, %b : f64
    %3 = arith.select %1, %i, %a : i64
    scf.yield %2, %3 : f64, i64
  } {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [argmin, index]>}
  memref.store %r#1, %out[%c0] : memref<?xi64>
  return
}

// A loop whose bound depends on the lane stays as it is.
// CHECK-LABEL: @triangle(
// CHECK-SAME: %[[A0:[a-z0-9]+]]:{{.*}}%[[A1:[a-z0-9]+]]:{{.*}}%[[A2:[a-z0-9]+]]:
// CHECK: scf.parallel (%[[V0:[a-z0-9_]+]]) = (%c0{{[_a-z0-9]*}}) to (%[[A2]]) step (%c1{{[_a-z0-9]*}}) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[V2:[a-z0-9_]+]] = %c0{{[_a-z0-9]*}} to %[[V0]] step %c1{{[_a-z0-9]*}} iter_args(%[[V3:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> {{.*}} {
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = memref.load %[[A0]][%[[V2]]] : memref<?xf64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addf %[[V3]], %[[V4]] : f64
// CHECK-NEXT: scf.yield %[[V5]] : f64
// CHECK: memref.store %[[V1]], %[[A1]][%[[V0]]] : memref<?xf64>
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<vector = parallel>}
func.func @triangle(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %k = %c0 to %i step %c1 iter_args(%t = %zero) -> (f64) {
      %0 = memref.load %x[%k] : memref<?xf64>
      %1 = arith.addf %t, %0 : f64
      scf.yield %1 : f64
    }
    memref.store %s, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  return
}

// Lanes take a branch together or not at all: one whose condition is the same for all is a branch of vectors. A turn's
// own buffer is no lane's.
// CHECK-LABEL: @branches(
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = scf.if %{{.*}} -> (vector<8xf64>) {
// CHECK-NEXT: vector.load
// CHECK: } else {
// CHECK: vector.store %[[WIDE]]
// CHECK: scf.if %{{.*}} -> (f64) {
// CHECK-NOT: vector.{{load|store|gather}}
// CHECK: return
func.func @branches(%x: memref<?xf64>, %out: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %is = arith.cmpi slt, %c1, %n : index
    %r = scf.if %is -> f64 {
      %0 = memref.load %x[%i] : memref<?xf64>
      scf.yield %0 : f64
    } else {
      %zero = arith.constant 0.0 : f64
      scf.yield %zero : f64
    }
    memref.store %r, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  scf.for %i = %c0 to %n step %c1 {
    %is = arith.cmpi slt, %i, %n : index
    scf.if %is {
      %0 = memref.load %x[%i] : memref<?xf64>
      memref.store %0, %out[%i] : memref<?xf64>
    }
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  scf.for %i = %c0 to %n step %c1 {
    %own = memref.alloca() : memref<1xf64>
    %0 = memref.load %x[%i] : memref<?xf64>
    memref.store %0, %own[%c0] : memref<1xf64>
    %1 = memref.load %own[%c0] : memref<1xf64>
    memref.store %1, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  return
}

// What a loop inside hands on waits for its last step: four vectors of one value run side by side, two of four values, one of more.
// CHECK-LABEL: @recurrences(
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf64>) {
// CHECK: } {quernel.schedule = #quernel.schedule<polled>}
// CHECK: scf.for {{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>) {
func.func @recurrences(%y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1 = scf.for %k = %c0 to %c9 step %c1 iter_args(%s = %0) -> (f64) {
      %2 = arith.mulf %s, %0 : f64
      scf.yield %2 : f64
    } {quernel.schedule = #quernel.schedule<polled>}
    memref.store %1, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  scf.for %i = %c0 to %c64 step %c1 {
    %0 = memref.load %y[%i] : memref<?xf64>
    %1:4 = scf.for %k = %c0 to %c9 step %c1 iter_args(%a = %0, %b = %0, %c = %0, %d = %0) -> (f64, f64, f64, f64) {
      %2 = arith.mulf %a, %b : f64
      scf.yield %b, %c, %d, %2 : f64, f64, f64, f64
    }
    memref.store %1#3, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  return
}

// What is left of a loop that computes functions is one vector; the lanes without an iteration repeat the first one.
// CHECK-LABEL: @functions(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf64>, %[[OUT:[a-z0-9]+]]: memref<?xf64>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[SHORT:.*]] = arith.constant dense<[0, 2, 0, 0, 0, 0, 0, 0]> : vector<8xindex>
// CHECK: %[[END:.*]] = arith.subi %[[N]], %{{.*}} : index
// CHECK: scf.parallel {{.*}} to (%[[END]]) step (%c8
// CHECK: scf.for %[[I:.*]] = %[[END]] to %[[N]] step %c8{{[_a-z0-9]*}} {
// CHECK-NEXT: %[[COUNT:.*]] = arith.subi %[[N]], %[[I]] : index
// CHECK-NEXT: %[[LANES:.*]] = vector.step : vector<8xindex>
// CHECK-NEXT: %[[COUNTS:.*]] = vector.broadcast %[[COUNT]] : index to vector<8xindex>
// CHECK-NEXT: %[[OWN:.*]] = arith.cmpi slt, %[[LANES]], %[[COUNTS]] : vector<8xindex>
// CHECK-NEXT: %[[TURN:.*]] = arith.select %[[OWN]], %[[LANES]], %{{.*}} : vector<8xi1>, vector<8xindex>
// CHECK-NEXT: %[[V:.*]] = vector.gather %[[X]][%[[I]]] [%[[TURN]]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[V]] : vector<8xf64>
// CHECK-NEXT: vector.scatter %[[OUT]][%[[I]]] [%[[TURN]]], %{{.*}}, %[[E]]
// CHECK-NOT: scf.for
// CHECK: vector.gather %[[X]][%c16{{[_a-z0-9]*}}] [%[[SHORT]]]
// One left, or booleans: single elements.
// CHECK-COUNT-2: math.exp %{{.*}} : f64
func.func @functions(%x: memref<?xf64>, %out: memref<?xf64>, %n: index, %is: memref<?xi1>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    memref.store %1, %out[%i] : memref<?xf64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<grain = 80, vector = parallel>}
  scf.for %i = %c0 to %c10 step %c1 {
    %p = arith.muli %i, %c2 : index
    %0 = memref.load %x[%p] : memref<?xf64>
    %1 = math.exp %0 : f64
    memref.store %1, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  scf.for %i = %c0 to %c9 step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    memref.store %1, %out[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  scf.for %i = %c0 to %c10 step %c1 {
    %0 = memref.load %x[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = arith.cmpf olt, %0, %1 : f64
    memref.store %2, %is[%i] : memref<?xi1>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  return
}

// Where a boolean is looked up by a number that a loop inside hands on, lanes would have to gather booleans.
// CHECK-LABEL: @looked_up(
// CHECK-NOT: vector.
// CHECK: return
func.func @looked_up(%x: memref<?xi1>, %out: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i64
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %start = memref.load %out[%i] : memref<?xi64>
    %found = scf.for %k = %c0 to %c5 step %c1 iter_args(%place = %start) -> (i64) {
      %at = arith.index_cast %place : i64 to index
      %0 = memref.load %x[%at] : memref<?xi1>
      %1 = arith.select %0, %one, %none : i64
      %2 = arith.addi %place, %1 : i64
      scf.yield %2 : i64
    }
    memref.store %found, %out[%i] : memref<?xi64>
    scf.reduce
  } {quernel.schedule = #quernel.schedule<vector = parallel>}
  return
}

// So does a long sum; a short one ends before that is felt.
// CHECK-LABEL: @sums(
// CHECK: scf.for {{.*}} to %c40 {{.*}} -> (vector<32xf64>)
// CHECK: scf.for {{.*}} to %c9 {{.*}} -> (vector<8xf64>)
func.func @sums(%x: memref<?xf64>, %y: memref<?xf64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c64 step %c1 {
    %1 = scf.for %k = %c0 to %c40 step %c1 iter_args(%s = %zero) -> (f64) {
      %at = arith.addi %i, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %2 = arith.addf %s, %0 : f64
      scf.yield %2 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %1, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  scf.for %i = %c0 to %c64 step %c1 {
    %1 = scf.for %k = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f64) {
      %at = arith.addi %i, %k : index
      %0 = memref.load %x[%at] : memref<?xf64>
      %2 = arith.addf %s, %0 : f64
      scf.yield %2 : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %1, %y[%i] : memref<?xf64>
  } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
  return
}
