// Statements of one sweep become one loop over pieces of rows.
// RUN: quernel-opt %s --quernel-fuse-sweeps --canonicalize --mlir-print-local-scope | FileCheck %s

// The array between the statements has one row for each piece; what reduces pieces adds row after row.
// CHECK-LABEL: @columns_and_rows(
// CHECK-SAME: %[[X:.+]]: memref<2000x100xf64>, %[[PART:.+]]: memref<32x100xf64>, %[[OUT:.+]]: memref<2000xf64>
// CHECK: %[[ROW:.+]] = memref.alloc() : memref<32x100xf64>
// CHECK-NEXT: scf.parallel (%[[P:.+]]) = (%c0) to (%c32)
// CHECK: scf.parallel (%[[J:.+]]) = (%c0) to (%c100)
// CHECK-NEXT: memref.store %{{.+}}, %[[PART]][%[[P]], %[[J]]]
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %c1
// CHECK-NEXT: scf.parallel (%[[K:.+]]) = (%c0) to (%c100)
// CHECK-NEXT: memref.load %[[X]][%[[I]], %[[K]]]
// CHECK-NEXT: %[[E:.+]] = math.exp
// CHECK-NEXT: memref.store %[[E]], %[[ROW]][%[[P]], %[[K]]]
// CHECK: scf.parallel (%[[L:.+]]) = (%c0) to (%c100)
// CHECK-NEXT: %[[SO_FAR:.+]] = memref.load %[[PART]][%[[P]], %[[L]]]
// CHECK-NEXT: %[[MORE:.+]] = memref.load %[[ROW]][%[[P]], %[[L]]]
// CHECK-NEXT: %[[NEXT:.+]] = arith.addf %[[SO_FAR]], %[[MORE]]
// CHECK-NEXT: memref.store %[[NEXT]], %[[PART]][%[[P]], %[[L]]]
// CHECK: %[[SUM:.+]] = scf.for
// CHECK-NEXT: memref.load %[[ROW]][%[[P]],
// CHECK: memref.store %[[SUM]], %[[OUT]][%[[I]]]
// CHECK-NOT: memref.load
func.func @columns_and_rows(%x: memref<2000x100xf64>, %part: memref<32x100xf64>, %out: memref<2000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c2000 = arith.constant 2000 : index
  %zero = arith.constant 0.0 : f64
  %e = memref.alloc() : memref<2000x100xf64>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2000, %c100) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<2000x100xf64>
    %b = math.exp %a : f64
    memref.store %b, %e[%i, %j] : memref<2000x100xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_exp", ops = ["exp"], sweep = 0 : i64>>["f.py":1:1])
  scf.parallel (%p, %j) = (%c0, %c0) to (%c32, %c100) step (%c1, %c1) {
    %first = arith.muli %p, %c64 : index
    %next = arith.addi %first, %c64 : index
    %end = arith.minsi %next, %c2000 : index
    %s = scf.for %i = %first to %end step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %e[%i, %j] : memref<2000x100xf64>
      %b = arith.addf %so_far, %a : f64
      scf.yield %b : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %part[%p, %j] : memref<32x100xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_sum", ops = ["sum"], sweep = 0 : i64>>["f.py":1:2])
  scf.parallel (%i) = (%c0) to (%c2000) step (%c1) {
    %s = scf.for %j = %c0 to %c100 step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %e[%i, %j] : memref<2000x100xf64>
      %b = arith.addf %so_far, %a : f64
      scf.yield %b : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%i] : memref<2000xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_sum", ops = ["sum"], sweep = 0 : i64>>["f.py":1:3])
  return
}

// Nothing reduces pieces: pieces of 64 rows. A store between the statements keeps them apart.
// CHECK-LABEL: @own_pieces(
// CHECK-SAME: %[[N:.+]]: index
// CHECK: %[[PIECES:.+]] = arith.ceildivsi %[[N]], %c64
// CHECK: scf.parallel ({{.+}}) = (%c0) to (%[[PIECES]])
// CHECK: arith.minsi %{{.+}}, %[[N]]
// CHECK: memref.store
// CHECK: memref.store
// CHECK-NOT: memref.store
// CHECK: return
func.func @own_pieces(%n: index, %x: memref<?x100xf64>, %y: memref<?x100xf64>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c100) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<?x100xf64>
    %b = math.exp %a : f64
    memref.store %b, %y[%i, %j] : memref<?x100xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_exp", ops = ["exp"], sweep = 3 : i64>>["f.py":1:1])
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i, %c0] : memref<?x100xf64>
    memref.store %a, %out[%i] : memref<?xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_first", ops = [], sweep = 3 : i64>>["f.py":1:3])
  return
}

// The second statement reads another row than its own of what the first one stores.
// CHECK-LABEL: @other_rows(
// CHECK: scf.parallel
// CHECK: scf.parallel
func.func @other_rows(%x: memref<2000x100xf64>, %y: memref<2000x100xf64>, %out: memref<2000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1999 = arith.constant 1999 : index
  %c2000 = arith.constant 2000 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2000, %c100) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<2000x100xf64>
    memref.store %a, %y[%i, %j] : memref<2000x100xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_copy", ops = [], sweep = 0 : i64>>["f.py":1:1])
  scf.parallel (%i) = (%c0) to (%c2000) step (%c1) {
    %r = arith.subi %c1999, %i : index
    %a = memref.load %y[%r, %c0] : memref<2000x100xf64>
    memref.store %a, %out[%i] : memref<2000xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_first", ops = [], sweep = 0 : i64>>["f.py":1:3])
  return
}

// What stands between the statements can't stand before them.
// CHECK-LABEL: @store_between(
// CHECK: scf.parallel
// CHECK: memref.store
// CHECK: memref.store
// CHECK: scf.parallel
func.func @store_between(%x: memref<2000x100xf64>, %y: memref<2000xf64>, %out: memref<2000xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2000 = arith.constant 2000 : index
  scf.parallel (%i) = (%c0) to (%c2000) step (%c1) {
    %a = memref.load %x[%i, %c0] : memref<2000x100xf64>
    memref.store %a, %y[%i] : memref<2000xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_copy", ops = [], sweep = 0 : i64>>["f.py":1:1])
  memref.store %v, %y[%c0] : memref<2000xf64>
  scf.parallel (%i) = (%c0) to (%c2000) step (%c1) {
    %a = memref.load %y[%i] : memref<2000xf64>
    memref.store %a, %out[%i] : memref<2000xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_first", ops = [], sweep = 0 : i64>>["f.py":1:3])
  return
}

// Rows of a batch: both axes that the statements share count them, and there are enough without pieces of 64 rows.
// CHECK-LABEL: @batch(
// CHECK: %[[ROW:.+]] = memref.alloc() : memref<4x17x100xf64>
// CHECK-NEXT: scf.parallel (%[[B:.+]], %[[P:.+]]) = (%c0, %c0) to (%c4, %c17)
// CHECK: scf.for %[[I:.+]] =
// CHECK: memref.store %{{.+}}, %[[ROW]][%[[B]], %[[P]], %{{.+}}]
// CHECK: memref.load %[[ROW]][%[[B]], %[[P]],
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[B]], %[[I]]]
func.func @batch(%x: memref<4x200x100xf64>, %out: memref<4x200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0.0 : f64
  %e = memref.alloc() : memref<4x200x100xf64>
  scf.parallel (%b, %i, %j) = (%c0, %c0, %c0) to (%c4, %c200, %c100) step (%c1, %c1, %c1) {
    %a = memref.load %x[%b, %i, %j] : memref<4x200x100xf64>
    %c = math.exp %a : f64
    memref.store %c, %e[%b, %i, %j] : memref<4x200x100xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_exp", ops = ["exp"], sweep = 0 : i64>>["f.py":1:1])
  scf.parallel (%b, %i) = (%c0, %c0) to (%c4, %c200) step (%c1, %c1) {
    %s = scf.for %j = %c0 to %c100 step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %e[%b, %i, %j] : memref<4x200x100xf64>
      %c = arith.addf %so_far, %a : f64
      scf.yield %c : f64
    } {quernel.schedule = #quernel.schedule<reduce = [sum]>}
    memref.store %s, %out[%b, %i] : memref<4x200xf64>
    scf.reduce
  } loc(fused<#quernel.statement<name = "f_sum", ops = ["sum"], sweep = 0 : i64>>["f.py":1:3])
  return
}
