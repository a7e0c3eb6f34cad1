// Released memory is taken again for the next array of the same size.
// RUN: quernel-opt %s --quernel-reuse-buffers | FileCheck %s

// CHECK-LABEL: @chain(
// CHECK-SAME: %[[N:.+]]: index, %[[M:.+]]: index
// CHECK: %[[A:.+]] = memref.alloc(%[[N]]) : memref<?xf64>
// CHECK-NEXT: quernel.allocated %[[A]]
// CHECK-NEXT: call @use(%[[A]])
// CHECK-NEXT: %[[B:.+]] = memref.alloc(%[[M]]) : memref<?xf64>
// CHECK-NEXT: call @use(%[[B]])
// CHECK-NEXT: call @use(%[[A]])
// CHECK-NEXT: %[[D:.+]] = memref.alloc(%[[N]]) : memref<?xf64>
// CHECK-NEXT: call @use(%[[D]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: memref.dealloc %[[D]]
// CHECK-NEXT: memref.dealloc %[[B]]
func.func @chain(%n: index, %m: index) {
  %a = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %a(%n) {dtype = "float64"} : memref<?xf64>
  func.call @use(%a) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<?xf64>
  // Another size.
  %b = memref.alloc(%m) : memref<?xf64>
  func.call @use(%b) : (memref<?xf64>) -> ()
  // The same size.
  %c = memref.alloc(%n) : memref<?xf64>
  quernel.allocated %c(%n) {dtype = "float64"} : memref<?xf64>
  func.call @use(%c) : (memref<?xf64>) -> ()
  // Two that live at the same time.
  %d = memref.alloc(%n) : memref<?xf64>
  func.call @use(%d) : (memref<?xf64>) -> ()
  memref.dealloc %c : memref<?xf64>
  memref.dealloc %d : memref<?xf64>
  memref.dealloc %b : memref<?xf64>
  return
}

// Constant sizes are seen through casts. A turn of a loop has memory of its own.
// CHECK-LABEL: @constant(
// CHECK: memref.alloc() : memref<100xf64>
// CHECK: call @use
// CHECK-NOT: memref.alloc
// CHECK: call @use
// CHECK: scf.for
// CHECK-NEXT: memref.alloc() : memref<100xf64>
func.func @constant(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %a = memref.alloc() : memref<100xf64>
  %a_cast = memref.cast %a : memref<100xf64> to memref<?xf64>
  quernel.allocated %a_cast(%c100) {dtype = "float64"} : memref<?xf64>
  func.call @use(%a_cast) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<100xf64>
  %b = memref.alloc() : memref<100xf64>
  %b_cast = memref.cast %b : memref<100xf64> to memref<?xf64>
  quernel.allocated %b_cast(%c100) {dtype = "float64"} : memref<?xf64>
  func.call @use(%b_cast) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<100xf64>
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc() : memref<100xf64>
    %c_cast = memref.cast %c : memref<100xf64> to memref<?xf64>
    func.call @use(%c_cast) : (memref<?xf64>) -> ()
    memref.dealloc %c : memref<100xf64>
  }
  return
}

func.func private @use(memref<?xf64>)
