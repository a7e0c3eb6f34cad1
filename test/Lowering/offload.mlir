// RUN: quernel-opt --quernel-offload %s | FileCheck %s

// The bounds of a grid's loop are computed in the program, where the kernel's arguments say what they are.
func.func private @stepped(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %m = arith.muli %n, %c2 : index
  scf.parallel (%i) = (%c1) to (%m) step (%c2) {
    memref.store %zero, %x[%i] : memref<?xf64>
  }
  return
}

// An axis of the grid for each axis of the loop, the last one first.
// CHECK: func.func private @planes({{.*}}) attributes {quernel.function = #quernel.function<kernel, block = 256>}
func.func private @planes(%x: memref<?xf64>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i, %j, %k) = (%c0, %c1, %c0) to (%n, %m, %c7) step (%c1, %c1, %c1) {
    memref.store %zero, %x[%k] : memref<?xf64>
  }
  return
}

// Lanes share a turn along x.
func.func private @lanes(%x: memref<?xf64>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lane = quernel.lane of 16
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %zero, %x[%lane] : memref<?xf64>
  }
  return
}

// Bounds that are loaded are nobody's; a loop with a store beside it isn't the grid's.
func.func private @loaded(%x: memref<?xf64>, %sizes: memref<?xindex>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.load %sizes[%c0] : memref<?xindex>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
  }
  return
}
func.func private @loaded_rows(%x: memref<?xf64>, %sizes: memref<?xindex>, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.load %sizes[%c0] : memref<?xindex>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %zero, %x[%j] : memref<?xf64>
  }
  return
}
// CHECK: func.func private @alone({{.*}}) attributes {quernel.function = #quernel.function<kernel, block = 1>}
func.func private @alone(%x: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  memref.store %zero, %x[%c0] : memref<?xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf64>
  }
  return
}

memref.global "private" constant @table : memref<2xf64> = dense<[1.0, 2.0]>
func.func private @qn_matmul_f64(memref<?xf64>) attributes {quernel.function = #quernel.function<library>}

// The parts of a complex number that the caller hands over lie in the host's memory.
// CHECK-LABEL: func.func @number(
// CHECK: memref.load
func.func @number(%z: memref<?xf64> {quernel.argument = #quernel.argument<"z", scalar, readonly>}, %x: memref<?xf64>) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %re = memref.load %z[%c0] : memref<?xf64>
  memref.store %re, %x[%c0] : memref<?xf64>
  return
}

// CHECK-LABEL: func.func @program(
// CHECK-SAME: %[[X:.*]]: memref<?xf64>, %[[SIZES:.*]]: memref<?xindex>, %[[N:.*]]: index)
func.func @program(%x: memref<?xf64>, %sizes: memref<?xindex>, %n: index) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[TWICE:.*]] = arith.muli %[[N]],
  // CHECK: %[[LESS:.*]] = arith.subi %[[TWICE]],
  // CHECK: %[[TURNS:.*]] = arith.ceildivsi %[[LESS]],
  // CHECK: quernel.launch @stepped(%[[X]], %[[N]]) turns %[[TURNS]] block 256
  func.call @stepped(%x, %n) : (memref<?xf64>, index) -> ()
  // CHECK: %[[MANY:.*]] = arith.constant 262144 : index
  // CHECK: quernel.launch @loaded(%[[X]], %[[SIZES]]) turns %[[MANY]] block 256
  func.call @loaded(%x, %sizes) : (memref<?xf64>, memref<?xindex>) -> ()
  // CHECK: %[[SOME:.*]] = arith.constant 512 : index
  // CHECK: quernel.launch @loaded_rows(%[[X]], %[[SIZES]], %[[N]]) turns %[[N]], %[[SOME]] block 256
  func.call @loaded_rows(%x, %sizes, %n) : (memref<?xf64>, memref<?xindex>, index) -> ()
  // CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
  // CHECK: %[[ROWS:.*]] = arith.subi %[[N]],
  // CHECK: quernel.launch @planes(%[[X]], %[[N]], %[[N]]) turns %[[SEVEN]], %[[ROWS]], %[[N]] block 256
  func.call @planes(%x, %n, %n) : (memref<?xf64>, index, index) -> ()
  // CHECK: %[[THREADS:.*]] = arith.muli %[[N]], %c16
  // CHECK: quernel.launch @lanes(%[[X]], %[[N]], %[[N]]) turns %[[THREADS]], %[[N]] block 256
  func.call @lanes(%x, %n, %n) : (memref<?xf64>, index, index) -> ()
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: quernel.launch @alone(%[[X]], %[[N]]) turns %[[ONE]] block 1 :
  func.call @alone(%x, %n) : (memref<?xf64>, index) -> ()
  // CHECK: %[[E:.*]] = quernel.read %[[X]][%{{.*}}] : memref<?xf64>
  %e = memref.load %x[%c0] : memref<?xf64>
  // CHECK: %[[T:.*]] = memref.alloc() : memref<4xf64>
  %t = memref.alloca() : memref<4xf64>
  // CHECK: quernel.write %[[E]], %[[T]][%{{.*}}] : memref<4xf64>
  memref.store %e, %t[%c0] : memref<4xf64>
  // CHECK: memref.load %{{.*}} : memref<2xf64>
  %table = memref.get_global @table : memref<2xf64>
  %f = memref.load %table[%c0] : memref<2xf64>
  memref.store %f, %x[%c0] : memref<?xf64>
  // CHECK: %[[COPY:.*]] = memref.alloc() : memref<2xf64>
  // CHECK: %[[GIVEN:.*]] = memref.cast %[[COPY]]
  // CHECK: quernel.launch @table_copy(%[[GIVEN]]) turns %{{.*}} block 256
  // CHECK: call @qn_matmul_f64(%[[GIVEN]])
  %given = memref.cast %table : memref<2xf64> to memref<?xf64>
  func.call @qn_matmul_f64(%given) : (memref<?xf64>) -> ()
  return
}
