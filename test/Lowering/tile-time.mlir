// Several turns of a loop around statements that read neighbouring rows run tile by tile.
// RUN: quernel-opt %s --quernel-tile-time --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// 256 rows of 512 bytes are 16 tiles of 16 rows. The second statement has lost a row on each side when it comes to a
// tile, and each turn loses two, so that three turns fit. A gap has what its two tiles have lost.
// CHECK-LABEL: @two_arrays(
// CHECK-SAME: %[[A:.+]]: memref<256x64xf64>, %[[B:.+]]: memref<256x64xf64>
// CHECK: scf.for %[[FIRST:.+]] = %c0 to %c99 step %c3
// CHECK-NEXT: scf.for %[[PHASE:.+]] = %c0 to %c2 step %c1
// CHECK-NEXT: %[[IS_GAP:.+]] = arith.cmpi eq, %[[PHASE]], %c1
// CHECK-NEXT: %[[FROM:.+]] = arith.select %[[IS_GAP]], %c-2, %c2
// CHECK-NEXT: %[[TO:.+]] = arith.select %[[IS_GAP]], %c2, %c-2
// CHECK-NEXT: %[[UPPER:.+]] = arith.select %[[IS_GAP]], %c0, %c16
// CHECK-NEXT: %[[LOWER_2:.+]] = arith.select %[[IS_GAP]], %c-1, %c1
// CHECK-NEXT: %[[UPPER_2:.+]] = arith.select %[[IS_GAP]], %c1, %c15
// CHECK-NEXT: %[[PARTS:.+]] = arith.select %[[IS_GAP]], %c17, %c16
// CHECK-NEXT: scf.parallel (%[[P:.+]]) = (%c0) to (%[[PARTS]]) step (%c1) {
// CHECK-NEXT: %[[TILE:.+]] = arith.muli %[[P]], %c16
// CHECK-NEXT: %[[CORNER:.+]] = arith.addi %[[TILE]], %c1
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[FIRST]], %c3
// CHECK-NEXT: %[[END:.+]] = arith.minsi %[[NEXT]], %c99
// CHECK-NEXT: scf.for %[[T:.+]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK-NEXT: %[[N:.+]] = arith.subi %[[T]], %[[FIRST]]
// CHECK-NEXT: %[[UP:.+]] = arith.muli %[[N]], %[[FROM]]
// CHECK-NEXT: %[[LOW:.+]] = arith.addi %[[CORNER]], %[[UP]]
// CHECK-NEXT: %[[DOWN:.+]] = arith.muli %[[N]], %[[TO]]
// CHECK-NEXT: %[[HIGH:.+]] = arith.addi %[[CORNER]], %[[DOWN]]
// CHECK-NEXT: %[[HIGHEST:.+]] = arith.addi %[[HIGH]], %[[UPPER]]
// CHECK-NEXT: %[[LOW_ROW:.+]] = arith.maxsi %[[LOW]], %c1
// CHECK-NEXT: %[[HIGH_ROW:.+]] = arith.minsi %[[HIGHEST]], %c255
// CHECK-NEXT: scf.parallel (%{{.+}}, %{{.+}}) = (%[[LOW_ROW]], %c0) to (%[[HIGH_ROW]], %c64) step (%c1, %c1) {
// CHECK: memref.store %{{.+}}, %[[B]]
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty>}
// CHECK-NEXT: %[[LOW_B:.+]] = arith.addi %[[LOW]], %[[LOWER_2]]
// CHECK-NEXT: %[[HIGH_B:.+]] = arith.addi %[[HIGH]], %[[UPPER_2]]
// CHECK: memref.store %{{.+}}, %[[A]]
func.func @two_arrays(%a: memref<256x64xf64>, %b: memref<256x64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c255 = arith.constant 255 : index
  scf.for %t = %c1 to %c100 step %c1 {
    scf.parallel (%i, %j) = (%c1, %c0) to (%c255, %c64) step (%c1, %c1) {
      %above = arith.subi %i, %c1 : index
      %below = arith.addi %i, %c1 : index
      %x = memref.load %a[%above, %j] : memref<256x64xf64>
      %y = memref.load %a[%below, %j] : memref<256x64xf64>
      %z = arith.addf %x, %y : f64
      memref.store %z, %b[%i, %j] : memref<256x64xf64>
      scf.reduce
    }
    scf.parallel (%i, %j) = (%c1, %c0) to (%c255, %c64) step (%c1, %c1) {
      %above = arith.subi %i, %c1 : index
      %below = arith.addi %i, %c1 : index
      %x = memref.load %b[%above, %j] : memref<256x64xf64>
      %y = memref.load %b[%below, %j] : memref<256x64xf64>
      %z = arith.addf %x, %y : f64
      memref.store %z, %a[%i, %j] : memref<256x64xf64>
      scf.reduce
    }
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// A statement that touches one row runs in the tile that has the row. A number that the turns hand on is computed in
// each tile, and once for the next turns.
// CHECK-LABEL: @border(
// CHECK: %[[LAST:.+]] = scf.for %{{.+}} = %c0 to %c100 step %{{.+}} iter_args(%[[SO_FAR:.+]] = %{{.+}}) -> (f64)
// CHECK: scf.parallel
// CHECK: scf.for %{{.+}} iter_args(%[[NUMBER:.+]] = %[[SO_FAR]]) -> (f64)
// CHECK: scf.parallel
// CHECK: memref.store
// CHECK: scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step %c1 {
// CHECK-NEXT: scf.parallel (%[[J:.+]]) = (%c0) to (%c64)
// CHECK: memref.store %[[NUMBER]], %{{.+}}[%c0, %[[J]]]
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty>}
// CHECK: %[[HALF:.+]] = arith.mulf %[[NUMBER]], %{{.+}}
// CHECK-NEXT: scf.yield %[[HALF]]
// CHECK: %[[NEXT:.+]] = scf.for %{{.+}} iter_args(%[[AGAIN:.+]] = %[[SO_FAR]]) -> (f64)
// CHECK-NEXT: %[[ONCE:.+]] = arith.mulf %[[AGAIN]]
// CHECK-NEXT: scf.yield %[[ONCE]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: return %[[LAST]]
func.func @border(%a: memref<256x64xf64>, %first: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %half = arith.constant 0.5 : f64
  %last = scf.for %t = %c0 to %c100 step %c1 iter_args(%number = %first) -> (f64) {
    scf.parallel (%i, %j) = (%c0, %c0) to (%c256, %c64) step (%c1, %c1) {
      %x = memref.load %a[%i, %j] : memref<256x64xf64>
      %y = arith.mulf %x, %number : f64
      memref.store %y, %a[%i, %j] : memref<256x64xf64>
      scf.reduce
    }
    scf.parallel (%j) = (%c0) to (%c64) step (%c1) {
      memref.store %number, %a[%c0, %j] : memref<256x64xf64>
      scf.reduce
    }
    %next = arith.mulf %number, %half : f64
    scf.yield %next : f64
  }
  return %last : f64
}

// Arrays that change their places are branches. An array of a turn's own is one array of all turns.
// CHECK-LABEL: @branches(
// CHECK: %[[OWN:.+]] = memref.alloc() : memref<4096xf64>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.parallel
// CHECK: scf.for %{{.+}} iter_args(%[[WHICH:.+]] = %{{.+}}) -> (i1)
// CHECK: scf.if %[[WHICH]] {
// CHECK: memref.store %{{.+}}, %[[OWN]]
// CHECK: } else {
// CHECK: memref.store
func.func @branches(%a: memref<4096xf64>, %which: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c4095 = arith.constant 4095 : index
  %true = arith.constant true
  %last = scf.for %t = %c0 to %c100 step %c1 iter_args(%now = %which) -> (i1) {
    %own = memref.alloc() : memref<4096xf64>
    scf.if %now {
      scf.parallel (%i) = (%c0) to (%c4095) step (%c1) {
        %next = arith.addi %i, %c1 : index
        %x = memref.load %a[%next] : memref<4096xf64>
        memref.store %x, %own[%i] : memref<4096xf64>
        scf.reduce
      }
    } else {
      scf.parallel (%i) = (%c0) to (%c4095) step (%c1) {
        %x = memref.load %own[%i] : memref<4096xf64>
        memref.store %x, %a[%i] : memref<4096xf64>
        scf.reduce
      }
    }
    %other = arith.xori %now, %true : i1
    scf.yield %other : i1
  }
  return %last : i1
}

// What a tile of planes of 512 KiB touches isn't kept by a cache, so it is computed in strips across the second axis,
// whose borders move down with the turns.
// CHECK-LABEL: @strips(
// CHECK: scf.parallel (%[[P:.+]]) =
// CHECK: scf.for %[[STRIP:.+]] = %c1 to %{{.+}} step %c8 {
// CHECK: scf.for %[[T:.+]] =
// CHECK: %[[PLACE:.+]] = arith.subi %[[STRIP]], %[[N:.+]] : index
// CHECK: %[[END:.+]] = arith.addi %[[PLACE]], %c8
// CHECK: %[[LOW:.+]] = arith.maxsi %[[PLACE]], %c1
// CHECK: %[[HIGH:.+]] = arith.minsi %[[END]], %c255
// CHECK: scf.parallel (%{{.+}}, %{{.+}}, %{{.+}}) = (%{{.+}}, %[[LOW]], %c0) to (%{{.+}}, %[[HIGH]], %c256)
func.func @strips(%a: memref<256x256x256xf64>, %b: memref<256x256x256xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c255 = arith.constant 255 : index
  %c256 = arith.constant 256 : index
  scf.for %t = %c0 to %c50 step %c1 {
    scf.parallel (%i, %j, %k) = (%c1, %c1, %c0) to (%c255, %c255, %c256) step (%c1, %c1, %c1) {
      %low = arith.subi %i, %c1 : index
      %right = arith.addi %j, %c1 : index
      %x = memref.load %a[%low, %j, %k] : memref<256x256x256xf64>
      %y = memref.load %a[%i, %right, %k] : memref<256x256x256xf64>
      %z = arith.addf %x, %y : f64
      memref.store %z, %b[%i, %j, %k] : memref<256x256x256xf64>
      scf.reduce
    }
    scf.parallel (%i, %j, %k) = (%c1, %c1, %c0) to (%c255, %c255, %c256) step (%c1, %c1, %c1) {
      %x = memref.load %b[%i, %j, %k] : memref<256x256x256xf64>
      memref.store %x, %a[%i, %j, %k] : memref<256x256x256xf64>
      scf.reduce
    }
  }
  return
}

// Only the run knows the rows: it takes a sixteenth of them as a tile, but as many as a second thread is worth, and as
// many turns as such a tile has rows for.
// CHECK-LABEL: @any_size(
// CHECK-SAME: %[[A:.+]]: memref<?xf64>, %[[N:.+]]: index
// CHECK: %[[SHARE:.+]] = arith.ceildivsi %{{.+}}, %c16
// CHECK-NEXT: %[[ENOUGH:.+]] = arith.maxsi %[[SHARE]], %{{.+}}
// CHECK-NEXT: %[[WIDTH:.+]] = arith.minsi %[[ENOUGH]], %c16384
// CHECK: %[[TURNS:.+]] = arith.minsi %{{.+}}, %c50
// CHECK: scf.for %{{.+}} = %c0 to %c50 step %[[TURNS]]
func.func @any_size(%a: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  scf.for %t = %c0 to %c50 step %c1 {
    %end = arith.subi %n, %c1 : index
    %old = memref.alloc(%n) : memref<?xf64>
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %x = memref.load %a[%i] : memref<?xf64>
      memref.store %x, %old[%i] : memref<?xf64>
      scf.reduce
    }
    scf.parallel (%i) = (%c0) to (%end) step (%c1) {
      %next = arith.addi %i, %c1 : index
      %x = memref.load %old[%next] : memref<?xf64>
      memref.store %x, %a[%i] : memref<?xf64>
      scf.reduce
    }
  }
  return
}

// Rows that are no known distance away: the last row, in a turn of all rows.
// CHECK-LABEL: @far_row(
// CHECK: scf.for %{{.+}} = %c0 to %c50 step %c1
// CHECK-NEXT: scf.parallel
// CHECK-NOT: scf.for
func.func @far_row(%a: memref<256x64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c64 = arith.constant 64 : index
  %c255 = arith.constant 255 : index
  scf.for %t = %c0 to %c50 step %c1 {
    scf.parallel (%i, %j) = (%c0, %c0) to (%c255, %c64) step (%c1, %c1) {
      %x = memref.load %a[%c255, %j] : memref<256x64xf64>
      memref.store %x, %a[%i, %j] : memref<256x64xf64>
      scf.reduce
    }
  }
  return
}

// A number that a turn stores; a check; a turn of other rows each time; a loop whose own turns may run at the same time.
// CHECK-LABEL: @others(
// CHECK: scf.for %{{.+}} = %c0 to %c50 step %c1 {
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.parallel
// CHECK: scf.for %{{.+}} = %c0 to %c50 step %c1 {
// CHECK-NEXT: quernel.check
// CHECK-NEXT: scf.parallel
// CHECK: scf.for %[[T:.+]] = %c0 to %c50 step %c1 {
// CHECK-NEXT: scf.parallel (%{{.+}}) = (%[[T]]) to (%c4096)
// CHECK: scf.for %{{.+}} = %c0 to %c50 step %c1 {
// CHECK-NEXT: scf.parallel (%{{.+}}) = (%c0) to (%c4096)
// CHECK-NOT: scf.for
func.func @others(%a: memref<4096xf64>, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c4096 = arith.constant 4096 : index
  scf.for %t = %c0 to %c50 step %c1 {
    %number = memref.load %a[%c0] : memref<4096xf64>
    scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
      memref.store %number, %a[%i] : memref<4096xf64>
      scf.reduce
    }
  }
  scf.for %t = %c0 to %c50 step %c1 {
    quernel.check %ok {exception = "ValueError", message = "no"} : i1
    scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
      %x = memref.load %a[%i] : memref<4096xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %a[%i] : memref<4096xf64>
      scf.reduce
    }
  }
  scf.for %t = %c0 to %c50 step %c1 {
    scf.parallel (%i) = (%t) to (%c4096) step (%c1) {
      %x = memref.load %a[%i] : memref<4096xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %a[%i] : memref<4096xf64>
      scf.reduce
    }
  }
  scf.for %t = %c0 to %c50 step %c1 {
    scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
      %x = memref.load %a[%i] : memref<4096xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %a[%i] : memref<4096xf64>
      scf.reduce
    }
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}
