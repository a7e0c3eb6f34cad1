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

// A stencil of 27 points loads 54 floats for four results. Registers don't hold as many doubles.
// CHECK-LABEL: func.func private @box(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index
// CHECK:           scf.if
// CHECK-COUNT-54:    memref.load %[[X]]
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[Y]]
// CHECK:           } else {
func.func private @box(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %far = arith.muli %m, %n : index
  %p0 = arith.constant 0 : index
  %p1 = arith.constant 1 : index
  %p2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %plane0 = arith.muli %far, %p0 : index
    %i00 = arith.addi %i, %p0 : index
    %row00 = arith.muli %i00, %m : index
    %line00 = arith.addi %plane0, %row00 : index
    %j000 = arith.addi %j, %p0 : index
    %at000 = arith.addi %line00, %j000 : index
    %x000 = memref.load %x[%at000] : memref<?xf32>
    %j001 = arith.addi %j, %p1 : index
    %at001 = arith.addi %line00, %j001 : index
    %x001 = memref.load %x[%at001] : memref<?xf32>
    %s001 = arith.addf %x000, %x001 : f32
    %j002 = arith.addi %j, %p2 : index
    %at002 = arith.addi %line00, %j002 : index
    %x002 = memref.load %x[%at002] : memref<?xf32>
    %s002 = arith.addf %s001, %x002 : f32
    %i01 = arith.addi %i, %p1 : index
    %row01 = arith.muli %i01, %m : index
    %line01 = arith.addi %plane0, %row01 : index
    %j010 = arith.addi %j, %p0 : index
    %at010 = arith.addi %line01, %j010 : index
    %x010 = memref.load %x[%at010] : memref<?xf32>
    %s010 = arith.addf %s002, %x010 : f32
    %j011 = arith.addi %j, %p1 : index
    %at011 = arith.addi %line01, %j011 : index
    %x011 = memref.load %x[%at011] : memref<?xf32>
    %s011 = arith.addf %s010, %x011 : f32
    %j012 = arith.addi %j, %p2 : index
    %at012 = arith.addi %line01, %j012 : index
    %x012 = memref.load %x[%at012] : memref<?xf32>
    %s012 = arith.addf %s011, %x012 : f32
    %i02 = arith.addi %i, %p2 : index
    %row02 = arith.muli %i02, %m : index
    %line02 = arith.addi %plane0, %row02 : index
    %j020 = arith.addi %j, %p0 : index
    %at020 = arith.addi %line02, %j020 : index
    %x020 = memref.load %x[%at020] : memref<?xf32>
    %s020 = arith.addf %s012, %x020 : f32
    %j021 = arith.addi %j, %p1 : index
    %at021 = arith.addi %line02, %j021 : index
    %x021 = memref.load %x[%at021] : memref<?xf32>
    %s021 = arith.addf %s020, %x021 : f32
    %j022 = arith.addi %j, %p2 : index
    %at022 = arith.addi %line02, %j022 : index
    %x022 = memref.load %x[%at022] : memref<?xf32>
    %s022 = arith.addf %s021, %x022 : f32
    %plane1 = arith.muli %far, %p1 : index
    %i10 = arith.addi %i, %p0 : index
    %row10 = arith.muli %i10, %m : index
    %line10 = arith.addi %plane1, %row10 : index
    %j100 = arith.addi %j, %p0 : index
    %at100 = arith.addi %line10, %j100 : index
    %x100 = memref.load %x[%at100] : memref<?xf32>
    %s100 = arith.addf %s022, %x100 : f32
    %j101 = arith.addi %j, %p1 : index
    %at101 = arith.addi %line10, %j101 : index
    %x101 = memref.load %x[%at101] : memref<?xf32>
    %s101 = arith.addf %s100, %x101 : f32
    %j102 = arith.addi %j, %p2 : index
    %at102 = arith.addi %line10, %j102 : index
    %x102 = memref.load %x[%at102] : memref<?xf32>
    %s102 = arith.addf %s101, %x102 : f32
    %i11 = arith.addi %i, %p1 : index
    %row11 = arith.muli %i11, %m : index
    %line11 = arith.addi %plane1, %row11 : index
    %j110 = arith.addi %j, %p0 : index
    %at110 = arith.addi %line11, %j110 : index
    %x110 = memref.load %x[%at110] : memref<?xf32>
    %s110 = arith.addf %s102, %x110 : f32
    %j111 = arith.addi %j, %p1 : index
    %at111 = arith.addi %line11, %j111 : index
    %x111 = memref.load %x[%at111] : memref<?xf32>
    %s111 = arith.addf %s110, %x111 : f32
    %j112 = arith.addi %j, %p2 : index
    %at112 = arith.addi %line11, %j112 : index
    %x112 = memref.load %x[%at112] : memref<?xf32>
    %s112 = arith.addf %s111, %x112 : f32
    %i12 = arith.addi %i, %p2 : index
    %row12 = arith.muli %i12, %m : index
    %line12 = arith.addi %plane1, %row12 : index
    %j120 = arith.addi %j, %p0 : index
    %at120 = arith.addi %line12, %j120 : index
    %x120 = memref.load %x[%at120] : memref<?xf32>
    %s120 = arith.addf %s112, %x120 : f32
    %j121 = arith.addi %j, %p1 : index
    %at121 = arith.addi %line12, %j121 : index
    %x121 = memref.load %x[%at121] : memref<?xf32>
    %s121 = arith.addf %s120, %x121 : f32
    %j122 = arith.addi %j, %p2 : index
    %at122 = arith.addi %line12, %j122 : index
    %x122 = memref.load %x[%at122] : memref<?xf32>
    %s122 = arith.addf %s121, %x122 : f32
    %plane2 = arith.muli %far, %p2 : index
    %i20 = arith.addi %i, %p0 : index
    %row20 = arith.muli %i20, %m : index
    %line20 = arith.addi %plane2, %row20 : index
    %j200 = arith.addi %j, %p0 : index
    %at200 = arith.addi %line20, %j200 : index
    %x200 = memref.load %x[%at200] : memref<?xf32>
    %s200 = arith.addf %s122, %x200 : f32
    %j201 = arith.addi %j, %p1 : index
    %at201 = arith.addi %line20, %j201 : index
    %x201 = memref.load %x[%at201] : memref<?xf32>
    %s201 = arith.addf %s200, %x201 : f32
    %j202 = arith.addi %j, %p2 : index
    %at202 = arith.addi %line20, %j202 : index
    %x202 = memref.load %x[%at202] : memref<?xf32>
    %s202 = arith.addf %s201, %x202 : f32
    %i21 = arith.addi %i, %p1 : index
    %row21 = arith.muli %i21, %m : index
    %line21 = arith.addi %plane2, %row21 : index
    %j210 = arith.addi %j, %p0 : index
    %at210 = arith.addi %line21, %j210 : index
    %x210 = memref.load %x[%at210] : memref<?xf32>
    %s210 = arith.addf %s202, %x210 : f32
    %j211 = arith.addi %j, %p1 : index
    %at211 = arith.addi %line21, %j211 : index
    %x211 = memref.load %x[%at211] : memref<?xf32>
    %s211 = arith.addf %s210, %x211 : f32
    %j212 = arith.addi %j, %p2 : index
    %at212 = arith.addi %line21, %j212 : index
    %x212 = memref.load %x[%at212] : memref<?xf32>
    %s212 = arith.addf %s211, %x212 : f32
    %i22 = arith.addi %i, %p2 : index
    %row22 = arith.muli %i22, %m : index
    %line22 = arith.addi %plane2, %row22 : index
    %j220 = arith.addi %j, %p0 : index
    %at220 = arith.addi %line22, %j220 : index
    %x220 = memref.load %x[%at220] : memref<?xf32>
    %s220 = arith.addf %s212, %x220 : f32
    %j221 = arith.addi %j, %p1 : index
    %at221 = arith.addi %line22, %j221 : index
    %x221 = memref.load %x[%at221] : memref<?xf32>
    %s221 = arith.addf %s220, %x221 : f32
    %j222 = arith.addi %j, %p2 : index
    %at222 = arith.addi %line22, %j222 : index
    %x222 = memref.load %x[%at222] : memref<?xf32>
    %s222 = arith.addf %s221, %x222 : f32
    %first = arith.muli %i, %m : index
    %to = arith.addi %first, %j : index
    memref.store %s222, %y[%to] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func private @wide_box(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @wide_box(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %far = arith.muli %m, %n : index
  %p0 = arith.constant 0 : index
  %p1 = arith.constant 1 : index
  %p2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %plane0 = arith.muli %far, %p0 : index
    %i00 = arith.addi %i, %p0 : index
    %row00 = arith.muli %i00, %m : index
    %line00 = arith.addi %plane0, %row00 : index
    %j000 = arith.addi %j, %p0 : index
    %at000 = arith.addi %line00, %j000 : index
    %x000 = memref.load %x[%at000] : memref<?xf64>
    %j001 = arith.addi %j, %p1 : index
    %at001 = arith.addi %line00, %j001 : index
    %x001 = memref.load %x[%at001] : memref<?xf64>
    %s001 = arith.addf %x000, %x001 : f64
    %j002 = arith.addi %j, %p2 : index
    %at002 = arith.addi %line00, %j002 : index
    %x002 = memref.load %x[%at002] : memref<?xf64>
    %s002 = arith.addf %s001, %x002 : f64
    %i01 = arith.addi %i, %p1 : index
    %row01 = arith.muli %i01, %m : index
    %line01 = arith.addi %plane0, %row01 : index
    %j010 = arith.addi %j, %p0 : index
    %at010 = arith.addi %line01, %j010 : index
    %x010 = memref.load %x[%at010] : memref<?xf64>
    %s010 = arith.addf %s002, %x010 : f64
    %j011 = arith.addi %j, %p1 : index
    %at011 = arith.addi %line01, %j011 : index
    %x011 = memref.load %x[%at011] : memref<?xf64>
    %s011 = arith.addf %s010, %x011 : f64
    %j012 = arith.addi %j, %p2 : index
    %at012 = arith.addi %line01, %j012 : index
    %x012 = memref.load %x[%at012] : memref<?xf64>
    %s012 = arith.addf %s011, %x012 : f64
    %i02 = arith.addi %i, %p2 : index
    %row02 = arith.muli %i02, %m : index
    %line02 = arith.addi %plane0, %row02 : index
    %j020 = arith.addi %j, %p0 : index
    %at020 = arith.addi %line02, %j020 : index
    %x020 = memref.load %x[%at020] : memref<?xf64>
    %s020 = arith.addf %s012, %x020 : f64
    %j021 = arith.addi %j, %p1 : index
    %at021 = arith.addi %line02, %j021 : index
    %x021 = memref.load %x[%at021] : memref<?xf64>
    %s021 = arith.addf %s020, %x021 : f64
    %j022 = arith.addi %j, %p2 : index
    %at022 = arith.addi %line02, %j022 : index
    %x022 = memref.load %x[%at022] : memref<?xf64>
    %s022 = arith.addf %s021, %x022 : f64
    %plane1 = arith.muli %far, %p1 : index
    %i10 = arith.addi %i, %p0 : index
    %row10 = arith.muli %i10, %m : index
    %line10 = arith.addi %plane1, %row10 : index
    %j100 = arith.addi %j, %p0 : index
    %at100 = arith.addi %line10, %j100 : index
    %x100 = memref.load %x[%at100] : memref<?xf64>
    %s100 = arith.addf %s022, %x100 : f64
    %j101 = arith.addi %j, %p1 : index
    %at101 = arith.addi %line10, %j101 : index
    %x101 = memref.load %x[%at101] : memref<?xf64>
    %s101 = arith.addf %s100, %x101 : f64
    %j102 = arith.addi %j, %p2 : index
    %at102 = arith.addi %line10, %j102 : index
    %x102 = memref.load %x[%at102] : memref<?xf64>
    %s102 = arith.addf %s101, %x102 : f64
    %i11 = arith.addi %i, %p1 : index
    %row11 = arith.muli %i11, %m : index
    %line11 = arith.addi %plane1, %row11 : index
    %j110 = arith.addi %j, %p0 : index
    %at110 = arith.addi %line11, %j110 : index
    %x110 = memref.load %x[%at110] : memref<?xf64>
    %s110 = arith.addf %s102, %x110 : f64
    %j111 = arith.addi %j, %p1 : index
    %at111 = arith.addi %line11, %j111 : index
    %x111 = memref.load %x[%at111] : memref<?xf64>
    %s111 = arith.addf %s110, %x111 : f64
    %j112 = arith.addi %j, %p2 : index
    %at112 = arith.addi %line11, %j112 : index
    %x112 = memref.load %x[%at112] : memref<?xf64>
    %s112 = arith.addf %s111, %x112 : f64
    %i12 = arith.addi %i, %p2 : index
    %row12 = arith.muli %i12, %m : index
    %line12 = arith.addi %plane1, %row12 : index
    %j120 = arith.addi %j, %p0 : index
    %at120 = arith.addi %line12, %j120 : index
    %x120 = memref.load %x[%at120] : memref<?xf64>
    %s120 = arith.addf %s112, %x120 : f64
    %j121 = arith.addi %j, %p1 : index
    %at121 = arith.addi %line12, %j121 : index
    %x121 = memref.load %x[%at121] : memref<?xf64>
    %s121 = arith.addf %s120, %x121 : f64
    %j122 = arith.addi %j, %p2 : index
    %at122 = arith.addi %line12, %j122 : index
    %x122 = memref.load %x[%at122] : memref<?xf64>
    %s122 = arith.addf %s121, %x122 : f64
    %plane2 = arith.muli %far, %p2 : index
    %i20 = arith.addi %i, %p0 : index
    %row20 = arith.muli %i20, %m : index
    %line20 = arith.addi %plane2, %row20 : index
    %j200 = arith.addi %j, %p0 : index
    %at200 = arith.addi %line20, %j200 : index
    %x200 = memref.load %x[%at200] : memref<?xf64>
    %s200 = arith.addf %s122, %x200 : f64
    %j201 = arith.addi %j, %p1 : index
    %at201 = arith.addi %line20, %j201 : index
    %x201 = memref.load %x[%at201] : memref<?xf64>
    %s201 = arith.addf %s200, %x201 : f64
    %j202 = arith.addi %j, %p2 : index
    %at202 = arith.addi %line20, %j202 : index
    %x202 = memref.load %x[%at202] : memref<?xf64>
    %s202 = arith.addf %s201, %x202 : f64
    %i21 = arith.addi %i, %p1 : index
    %row21 = arith.muli %i21, %m : index
    %line21 = arith.addi %plane2, %row21 : index
    %j210 = arith.addi %j, %p0 : index
    %at210 = arith.addi %line21, %j210 : index
    %x210 = memref.load %x[%at210] : memref<?xf64>
    %s210 = arith.addf %s202, %x210 : f64
    %j211 = arith.addi %j, %p1 : index
    %at211 = arith.addi %line21, %j211 : index
    %x211 = memref.load %x[%at211] : memref<?xf64>
    %s211 = arith.addf %s210, %x211 : f64
    %j212 = arith.addi %j, %p2 : index
    %at212 = arith.addi %line21, %j212 : index
    %x212 = memref.load %x[%at212] : memref<?xf64>
    %s212 = arith.addf %s211, %x212 : f64
    %i22 = arith.addi %i, %p2 : index
    %row22 = arith.muli %i22, %m : index
    %line22 = arith.addi %plane2, %row22 : index
    %j220 = arith.addi %j, %p0 : index
    %at220 = arith.addi %line22, %j220 : index
    %x220 = memref.load %x[%at220] : memref<?xf64>
    %s220 = arith.addf %s212, %x220 : f64
    %j221 = arith.addi %j, %p1 : index
    %at221 = arith.addi %line22, %j221 : index
    %x221 = memref.load %x[%at221] : memref<?xf64>
    %s221 = arith.addf %s220, %x221 : f64
    %j222 = arith.addi %j, %p2 : index
    %at222 = arith.addi %line22, %j222 : index
    %x222 = memref.load %x[%at222] : memref<?xf64>
    %s222 = arith.addf %s221, %x222 : f64
    %first = arith.muli %i, %m : index
    %to = arith.addi %first, %j : index
    memref.store %s222, %y[%to] : memref<?xf64>
  }
  return
}
