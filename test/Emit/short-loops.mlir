// Where a loop goes through few elements, as constants and the counters around it tell, the program doesn't ask whether it
// has to stop.
// RUN: quernel-translate --to-cpp %s | FileCheck %s

// Loops that are over soon don't ask, also where their ends are counters of loops around them: here those of one turn
// of the outer loop go through 59 * 58 elements at most.
// CHECK-LABEL: static int32_t triangle(
// CHECK:        for (int64_t i = 0; i < 60; ++i) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 3422))
// CHECK-NEXT:       return code;
// CHECK-NEXT:     for (int64_t j = 0; j < i; ++j) {
// CHECK-NEXT:       for (int64_t k = 0; k < j; ++k) {
// CHECK-NOT:    poll
// CHECK:        return 0;
func.func private @triangle(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  scf.for %i = %c0 to %c60 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      scf.for %k = %c0 to %j step %c1 {
        %a = memref.load %x[%k] : memref<?xf64>
        memref.store %a, %x[%i] : memref<?xf64>
      } {quernel.schedule = #quernel.schedule<polled>}
    } {quernel.schedule = #quernel.schedule<polled>}
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// Whole vectors that begin at a counter, as those of what a triangle leaves of a row, are no more than the row.
// CHECK-LABEL: static void rows(
// CHECK-NOT:    poll
func.func private @rows(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c60 = arith.constant 60 : index
  scf.for %i = %c0 to %c60 step %c1 {
    %n = arith.subi %c60, %i : index
    %r = arith.remsi %n, %c8 : index
    %end = arith.subi %c60, %r : index
    scf.for %j = %i to %end step %c8 {
      %a = memref.load %x[%j] : memref<?xf64>
      memref.store %a, %x[%i] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<polled>}
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// What ends at a number from memory may be long.
// CHECK-LABEL: static int32_t unknown(
// CHECK:        for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:     if (int32_t code = poll(context, turns, 60))
func.func private @unknown(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %k = %c0 to %c60 step %c1 {
      %a = memref.load %x[%k] : memref<?xf64>
      memref.store %a, %x[%j] : memref<?xf64>
    } {quernel.schedule = #quernel.schedule<polled>}
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}
