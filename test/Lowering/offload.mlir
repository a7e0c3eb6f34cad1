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
