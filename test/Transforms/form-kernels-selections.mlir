// RUN: quernel-opt %s --quernel-form-kernels | FileCheck %s

// The counts of a mask's pieces say where what each piece chooses begins, so that the pieces can be gone through at once.

// CHECK-LABEL: func.func @pieces(
// CHECK-SAME: %[[X:.*]]: tensor<40000xf64> {{.*}}, %[[M:.*]]: tensor<40000xi1>
func.func @pieces(%x: tensor<40000xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (40000)>>},
                  %m: tensor<40000xi1> {quernel.argument = #quernel.argument<"m", shape = affine_map<() -> (40000)>>})
    -> tensor<?xf64> {
  // CHECK: %[[COUNTS:.*]] = linalg.generic
  // CHECK: %[[BEGIN:.*]]:2 = scf.for %[[P:.*]] = {{.*}} iter_args(%[[B:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
  // CHECK: tensor.insert %{{.*}} into %[[B]][%[[P]]]
  // CHECK: tensor.extract %[[COUNTS]][%[[P]]]
  // CHECK: %[[RESULT:.*]] = scf.for %[[P:.*]] = {{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<?xf64>)
  // CHECK: %[[FIRST:.*]] = tensor.extract %[[BEGIN]]#0[%[[P]]]
  // CHECK: %[[PLACE:.*]] = arith.index_cast %[[FIRST]]
  // CHECK: %[[NUMBER:.*]] = tensor.extract %[[COUNTS]][%[[P]]]
  // CHECK: %[[END:.*]] = arith.addi %[[PLACE]], %{{.*}}
  // Each element is stored while there is a place; behind one that is chosen the place moves on.
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ROW:.*]] = %[[OUT]], %[[AT:.*]] = %[[PLACE]])
  // CHECK: %[[CHOSEN:.*]] = tensor.extract %[[M]][%[[I]]]
  // CHECK: arith.cmpi slt, %[[AT]], %[[END]]
  // CHECK: %[[ELEMENT:.*]] = tensor.extract %[[X]][%[[I]]]
  // CHECK: tensor.insert %[[ELEMENT]] into %[[ROW]][%[[AT]]]
  // CHECK: %[[STEP:.*]] = arith.index_castui %[[CHOSEN]]
  // CHECK: arith.addi %[[AT]], %[[STEP]]
  // CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
  %0 = quernel.cast %m {dtype = i64} : (tensor<40000xi1>) -> tensor<40000xi64>
  %1 = quernel.reduce %0 {axes = array<i64: 0>, chunk = 16384 : i64, kind = "sum"} : (tensor<40000xi64>) -> tensor<3xi64>
  %2 = quernel.reduce %1 {axes = array<i64: 0>, kind = "sum"} : (tensor<3xi64>) -> tensor<i64>
  quernel.symbol %2 {number = 0 : i64, lower = affine_map<()[s0] -> (0)>, upper = affine_map<()[s0] -> (40000)>} : tensor<i64>
  %3 = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<40000xf64>, tensor<40000xi1>) -> tensor<?xf64>
  return %3 : tensor<?xf64>
}

// What costs much is computed for the elements alone that are chosen.

// CHECK-LABEL: func.func @costly(
func.func @costly(%x: tensor<40xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (40)>>},
                  %m: tensor<40xi1> {quernel.argument = #quernel.argument<"m", shape = affine_map<() -> (40)>>},
                  %n: tensor<i64> {quernel.argument = #quernel.argument<"n", scalar, shape = affine_map<() -> ()>>})
    -> tensor<?xf64> {
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args
  // CHECK-NEXT: %[[CHOSEN:.*]] = tensor.extract %{{.*}}[%[[I]]]
  // CHECK-NEXT: scf.if %[[CHOSEN]]
  // CHECK: math.exp
  quernel.symbol %n {number = 0 : i64, lower = affine_map<()[s0] -> (0)>, upper = affine_map<()[s0] -> (40)>} : tensor<i64>
  %0 = quernel.exp %x : (tensor<40xf64>) -> tensor<40xf64>
  %1 = quernel.compress %0, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<40xf64>, tensor<40xi1>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
