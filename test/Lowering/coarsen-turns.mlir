// RUN: quernel-opt %s --quernel-coarsen-turns --cse --mlir-print-local-scope | FileCheck %s

// Four rows of a stencil have six rows of elements, whatever the length of a row.
// CHECK-LABEL: func.func private @stencil(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index
// CHECK:         scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0, %c0) to (%[[N]], %{{.*}}) step (%c4, %c1) {
// CHECK:           %[[END:.*]] = arith.addi %[[I]], %c4 : index
// CHECK:           %[[ALL:.*]] = arith.cmpi sle, %[[END]], %[[N]] : index
// CHECK:           scf.if %[[ALL]] {
// CHECK-COUNT-6:     memref.load %[[X]]
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[Y]]
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} = %[[I]] to %[[N]] step %c1
// CHECK-COUNT-3:       memref.load %[[X]]
// CHECK:               memref.store %{{.*}}, %[[Y]]
func.func private @stencil(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %row = arith.muli %i, %m : index
    %a = arith.addi %row, %j : index
    %i1 = arith.addi %i, %c1 : index
    %row1 = arith.muli %i1, %m : index
    %b = arith.addi %row1, %j : index
    %i2 = arith.addi %i, %c2 : index
    %row2 = arith.muli %m, %i2 : index
    %c = arith.addi %j, %row2 : index
    %xa = memref.load %x[%a] : memref<?xf32>
    %xb = memref.load %x[%b] : memref<?xf32>
    %xc = memref.load %x[%c] : memref<?xf32>
    %s = arith.addf %xa, %xb : f32
    %t = arith.addf %s, %xc : f32
    memref.store %t, %y[%a] : memref<?xf32>
  }
  return
}

// Rows without loads in common stay as they are.
// CHECK-LABEL: func.func private @apart(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @apart(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %row = arith.muli %i, %m : index
    %a = arith.addi %row, %j : index
    %b = arith.addi %a, %c3 : index
    %xa = memref.load %x[%a] : memref<?xf32>
    %xb = memref.load %x[%b] : memref<?xf32>
    %s = arith.addf %xa, %xb : f32
    memref.store %s, %y[%a] : memref<?xf32>
  }
  return
}

// A device isn't busy with a quarter of few turns.
// CHECK-LABEL: func.func private @few(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @few(%x: memref<?xf32>, %y: memref<?xf32>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c100, %c100) step (%c1, %c1) {
    %row = arith.muli %i, %c100 : index
    %a = arith.addi %row, %j : index
    %xa = memref.load %x[%a] : memref<?xf32>
    %xb = memref.load %x[%j] : memref<?xf32>
    %s = arith.addf %xa, %xb : f32
    memref.store %s, %y[%a] : memref<?xf32>
  }
  return
}

// A turn that loads what it has stored keeps its order.
// CHECK-LABEL: func.func private @again(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @again(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %row = arith.muli %i, %m : index
    %a = arith.addi %row, %j : index
    %xb = memref.load %x[%j] : memref<?xf32>
    memref.store %xb, %y[%a] : memref<?xf32>
    %ya = memref.load %y[%a] : memref<?xf32>
    %s = arith.addf %ya, %xb : f32
    memref.store %s, %y[%a] : memref<?xf32>
  }
  return
}
