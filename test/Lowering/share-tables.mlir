// RUN: quernel-opt --split-input-file --quernel-share-tables %s | FileCheck %s

// Updates of 64 elements: the places say that there are no more. Each block has a table for them.
// CHECK-LABEL: func.func private @counts(
// CHECK-SAME:    %[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xi64>)
// CHECK:         %[[WORKER:.*]], %[[WORKERS:.*]] = quernel.worker of 1 most 512
// CHECK:         scf.parallel (%[[BLOCK:.*]]) = (%{{.*}}) to (%c256{{.*}}) step (%c1{{.*}}) {
// CHECK:           %[[TABLE:.*]] = memref.alloca() : memref<64xi64, 3>
// CHECK:           scf.for %[[K:.*]] = %[[WORKER]] to %c64{{.*}} step %[[WORKERS]] {
// CHECK-NEXT:        memref.store %c0_i64{{.*}}, %[[TABLE]][%[[K]]]
// CHECK:           quernel.barrier
// CHECK:           %[[A:.*]] = arith.muli %[[BLOCK]], %[[WORKERS]]
// CHECK:           %[[OWN:.*]] = arith.addi %[[A]], %[[WORKER]]
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %c10000000{{.*}} step
// CHECK:             memref.load %[[X]][%[[I]]]
// CHECK-NOT:         scf.if
// CHECK:             memref.atomic_rmw addi %{{.*}}, %[[TABLE]]
// CHECK:           quernel.barrier
// CHECK:           scf.for %[[K:.*]] = %[[WORKER]] to %c64{{.*}} step %[[WORKERS]] {
// CHECK:             %[[V:.*]] = memref.load %[[TABLE]][%[[K]]]
// CHECK:             %[[C:.*]] = arith.cmpi ne, %[[V]], %c0_i64
// CHECK:             scf.if %[[C]] {
// CHECK-NEXT:          memref.atomic_rmw addi %[[V]], %[[Y]][%[[K]]]
func.func private @counts(%x: memref<?xi32>, %y: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10000000 : index
  %most = arith.constant 63 : i32
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi32>
    %p = arith.minui %v, %most : i32
    %k = arith.index_castui %p : i32 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

// -----

// Where the kernel knows how many elements and turns there are, it finds out whether they have room in a table.
// CHECK-LABEL: func.func private @asks(
// CHECK-SAME:    %{{.*}}: memref<?xi64>, %[[Y:.*]]: memref<?xi32>, %[[LAST:.*]]: i64, %[[N:.*]]: index)
// CHECK:         %[[L:.*]] = arith.index_cast %[[LAST]]
// CHECK:         %[[SIZE:.*]] = arith.addi %[[L]], %c1
// CHECK:         %[[ROOM:.*]] = arith.cmpi sle, %[[SIZE]], %c6144
// CHECK:         %[[NEEDED:.*]] = arith.muli %[[SIZE]], %c512
// CHECK:         %[[WORTH:.*]] = arith.cmpi sle, %[[NEEDED]],
// CHECK:         %[[FITS:.*]] = arith.andi %[[ROOM]], %[[WORTH]]
// CHECK:         scf.parallel
// CHECK:           %[[TABLE:.*]] = memref.alloca() : memref<6144xi32, 3>
// CHECK:           %[[USED:.*]] = arith.select %[[FITS]], %[[SIZE]], %c0
// CHECK:           scf.for %{{.*}} to %[[USED]]
// CHECK:             memref.store %c-2147483648_i32
// CHECK:           quernel.barrier
// CHECK:             scf.if %[[FITS]] {
// CHECK-NEXT:          memref.atomic_rmw maxs %{{.*}}, %[[TABLE]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          memref.atomic_rmw maxs %{{.*}}, %[[Y]]
func.func private @asks(%x: memref<?xi64>, %y: memref<?xi32>, %last: i64, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi64>
    %p = arith.minui %v, %last : i64
    %k = arith.index_cast %p : i64 to index
    %t = arith.trunci %v : i64 to i32
    memref.atomic_rmw maxs %t, %y[%k] : (i32, memref<?xi32>) -> i32
  }
  return
}

// -----

// Several axes become one, two arrays have a table each, and updates stand in branches.
// CHECK-LABEL: func.func private @rows(
// CHECK-COUNT-2: memref.alloca() : memref<{{.*}}, 3>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           arith.remui %[[I]],
// CHECK:           scf.if
// CHECK-NEXT:        memref.atomic_rmw addi
// CHECK:           memref.atomic_rmw minu
func.func private @rows(%x: memref<?xi8>, %y: memref<?xi64>, %z: memref<?xi32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i8
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %a = arith.muli %i, %n : index
    %b = arith.addi %a, %j : index
    %v = memref.load %x[%b] : memref<?xi8>
    %k = arith.index_castui %v : i8 to index
    %c = arith.cmpi ne, %v, %zero : i8
    scf.if %c {
      memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
    }
    %t = arith.extui %v : i8 to i32
    memref.atomic_rmw minu %t, %z[%k] : (i32, memref<?xi32>) -> i32
  }
  return
}

// -----

// Few turns, places that nobody bounds, elements without room, arrays that are loaded, too, and checks.
// CHECK-NOT: quernel.worker
func.func private @few(%x: memref<?xi8>, %y: memref<?xi64>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10000 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi8>
    %k = arith.index_castui %v : i8 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

func.func private @unbounded(%x: memref<?xi64>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi64>
    %k = arith.index_cast %v : i64 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

func.func private @large(%x: memref<?xi16>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi16>
    %k = arith.index_castui %v : i16 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

func.func private @constant(%x: memref<?xi64>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %last = arith.constant 99999 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi64>
    %p = arith.minui %v, %last : i64
    %k = arith.index_cast %p : i64 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

func.func private @loaded(%x: memref<?xi8>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = memref.load %y[%c0] : memref<?xi64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi8>
    %k = arith.index_castui %v : i8 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}

func.func private @checks(%x: memref<?xi8>, %y: memref<?xi64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i8
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xi8>
    %ok = arith.cmpi ne, %v, %zero : i8
    quernel.check %ok {exception = "ValueError", message = "zero"} : i1
    %k = arith.index_castui %v : i8 to index
    memref.atomic_rmw addi %one, %y[%k] : (i64, memref<?xi64>) -> i64
  }
  return
}
