// What is computed twice is computed once, in all regions behind it; kernels are left alone.
// RUN: quernel-opt %s --quernel-share-arithmetic | FileCheck %s

// CHECK-LABEL: @f(
// CHECK-SAME: %[[N:.+]]: index, %[[M:.+]]: index
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %[[N]], %[[M]]
// CHECK-NEXT: %[[TWICE:.+]] = arith.muli %[[SUM]], %[[SUM]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[INNER:.+]] = arith.subi %[[N]], %[[M]]
// CHECK-NEXT: func.call @use(%[[SUM]], %[[INNER]])
// CHECK-NEXT: func.call @use(%[[SUM]], %[[INNER]])
// CHECK-NEXT: }
// CHECK-NEXT: %[[AGAIN:.+]] = arith.subi %[[N]], %[[M]]
// CHECK-NEXT: call @use(%[[TWICE]], %[[AGAIN]])
func.func @f(%n: index, %m: index) {
  %0 = arith.addi %n, %m : index
  %1 = arith.addi %n, %m : index
  %2 = arith.muli %0, %1 : index
  %unused = arith.muli %0, %n : index
  scf.for %i = %n to %m step %n {
    %3 = arith.addi %n, %m : index
    %4 = arith.subi %n, %m : index
    func.call @use(%3, %4) : (index, index) -> ()
    %5 = arith.subi %n, %m : index
    func.call @use(%0, %5) : (index, index) -> ()
  }
  %6 = arith.subi %n, %m : index
  func.call @use(%2, %6) : (index, index) -> ()
  return
}

func.func private @use(index, index)
