// RUN: quernel-opt %s --quernel-form-kernels --canonicalize | FileCheck %s

// Many updates of few places: pieces with two tables each, which turns fill by turns, then all tables in their order.

// CHECK-LABEL: func.func @pieces(
// CHECK-SAME: %[[BASE:.*]]: tensor<100xf64> {{.*}}, %[[V:.*]]: tensor<40000xf64> {{.*}}, %[[AT:.*]]: tensor<40000xi64>
func.func @pieces(%base: tensor<100xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (100)>>},
                  %v: tensor<40000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (40000)>>},
                  %at: tensor<40000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (40000)>>})
    -> tensor<100xf64> {
  // CHECK-DAG: %[[NONE:.*]] = arith.constant -0.000000e+00 : f64
  // CHECK: %[[NEW:.*]] = bufferization.alloc_tensor() : tensor<8x100xf64>
  // CHECK: %[[TABLES:.*]] = scf.for %[[PIECE:.*]] = %c0 to %c4 step %c1 iter_args(%{{.*}} = %[[NEW]])
  // CHECK: %[[TABLE:.*]] = arith.muli %[[PIECE]], %c2
  // CHECK: tensor.insert %[[NONE]] into
  // Ten of forty blocks belong to each piece.
  // CHECK: arith.muli %[[PIECE]], %c10
  // CHECK: scf.for
  // CHECK: scf.for %[[TURN:.*]] = %c0 to
  // CHECK: tensor.extract %[[AT]]
  // CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[TABLE]], %
  // CHECK: %[[OTHER:.*]] = arith.addi %[[TABLE]], %c1
  // CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[OTHER]], %
  // What is left of a block goes to the first table.
  // CHECK: scf.for
  // CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[TABLE]], %
  // CHECK: } {quernel.schedule = #quernel.schedule<parallel>}
  // CHECK: scf.for %[[ROW:.*]] = %c0 to %c8 step %c1 iter_args(%{{.*}} = %[[BASE]])
  // CHECK: scf.for %[[PLACE:.*]] = %c0 to %c100
  // CHECK: tensor.extract %[[TABLES]][%[[ROW]], %[[PLACE]]]
  %0 = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<100xf64>, tensor<40000xf64>, tensor<40000xi64>) -> tensor<100xf64>
  return %0 : tensor<100xf64>
}

// More places than pay for tables: one update after the other, in blocks between which the program may be stopped.

// CHECK-LABEL: func.func @in_order(
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: scf.for %[[B:.*]] = %c0 to %c40
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c1024
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to
// CHECK: arith.mulf
// CHECK-NOT: scf.for
// CHECK: return
func.func @in_order(%base: tensor<20000xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (20000)>>},
                    %v: tensor<40000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (40000)>>},
                    %at: tensor<40000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (40000)>>})
    -> tensor<20000xf64> {
  %0 = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "prod"} : (tensor<20000xf64>, tensor<40000xf64>, tensor<40000xi64>) -> tensor<20000xf64>
  return %0 : tensor<20000xf64>
}

// Sizes that the call knows: the program decides.

// CHECK-LABEL: func.func @sizes(
// CHECK: arith.divsi
// CHECK: %[[MANY:.*]] = arith.cmpi sgt, %{{.*}}, %c1
// CHECK: scf.if %[[MANY]] -> (tensor<?xi64>)
// CHECK: bufferization.alloc_tensor
// CHECK: } else {
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
func.func @sizes(%n: index, %m: index,
                 %base: tensor<?xi64> {quernel.argument = #quernel.argument<"base", shape = affine_map<()[s0, s1] -> (s0)>>},
                 %v: tensor<?xi64> {quernel.argument = #quernel.argument<"v", shape = affine_map<()[s0, s1] -> (s1)>>},
                 %at: tensor<?xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<()[s0, s1] -> (s1)>>})
    -> tensor<?xi64> {
  %0 = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "max"} : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// Siblings ask for a place once.

// CHECK-LABEL: func.func @siblings(
// CHECK-SAME: %[[A:.*]]: tensor<5xi64> {{.*}}, %[[B:.*]]: tensor<5xf64> {{.*}}, %[[V:.*]]: tensor<9xf64> {{.*}}, %[[AT:.*]]: tensor<9xi64>
// CHECK: scf.for %[[I:.*]] = %c0 to %c9 step %c1 iter_args(%[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]])
// CHECK: tensor.extract %[[AT]][%[[I]]]
// CHECK-NOT: tensor.extract %[[AT]]
// CHECK: tensor.insert %{{.*}} into %[[X]]
// CHECK: tensor.insert %{{.*}} into %[[Y]]
// CHECK-NOT: scf.for
// CHECK: return
func.func @siblings(%a: tensor<5xi64> {quernel.argument = #quernel.argument<"a", shape = affine_map<() -> (5)>>},
                    %b: tensor<5xf64> {quernel.argument = #quernel.argument<"b", shape = affine_map<() -> (5)>>},
                    %v: tensor<9xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (9)>>},
                    %at: tensor<9xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (9)>>})
    -> (tensor<5xi64>, tensor<5xf64>) {
  %0 = quernel.scatter %a, %at, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xi64>, tensor<9xi64>, tensor<9xi64>) -> tensor<5xi64>
  %1 = quernel.scatter %b, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  return %0, %1 : tensor<5xi64>, tensor<5xf64>
}

// One that adds to what the other gives comes after it.

// CHECK-LABEL: func.func @one_after_the_other(
// CHECK: %[[FIRST:.*]] = scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
func.func @one_after_the_other(%b: tensor<5xf64> {quernel.argument = #quernel.argument<"b", shape = affine_map<() -> (5)>>},
                               %v: tensor<9xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (9)>>},
                               %at: tensor<9xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (9)>>})
    -> tensor<5xf64> {
  %0 = quernel.scatter %b, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  %1 = quernel.scatter %0, %v, %at {axes = array<i64: 0>, kind = "sum"} : (tensor<5xf64>, tensor<9xf64>, tensor<9xi64>) -> tensor<5xf64>
  return %1 : tensor<5xf64>
}

// A table that is gathered from much more often than it has elements is stored.

// CHECK-LABEL: func.func @table(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: return
func.func @table(%x: tensor<5xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<() -> (5)>>},
                 %at: tensor<900xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (900)>>}) -> tensor<900xf64> {
  %0 = quernel.exp %x : (tensor<5xf64>) -> tensor<5xf64>
  %1 = quernel.gather %0, %at {axes = array<i64: 0>} : (tensor<5xf64>, tensor<900xi64>) -> tensor<900xf64>
  return %1 : tensor<900xf64>
}

// Products of floats keep their order, however many updates of a place there are.

// CHECK-LABEL: func.func @product(
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @product(%base: tensor<20xf64> {quernel.argument = #quernel.argument<"base", shape = affine_map<() -> (20)>>},
                   %v: tensor<400000xf64> {quernel.argument = #quernel.argument<"v", shape = affine_map<() -> (400000)>>},
                   %at: tensor<400000xi64> {quernel.argument = #quernel.argument<"at", shape = affine_map<() -> (400000)>>})
    -> tensor<20xf64> {
  %0 = quernel.scatter %base, %v, %at {axes = array<i64: 0>, kind = "prod"} : (tensor<20xf64>, tensor<400000xf64>, tensor<400000xi64>) -> tensor<20xf64>
  return %0 : tensor<20xf64>
}
