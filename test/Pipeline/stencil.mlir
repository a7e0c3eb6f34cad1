// Updates in place: nothing is copied where the new values come from elsewhere, and one temporary is enough where they don't.
// RUN: quernel-opt %s --quernel-to-loops | FileCheck %s

// CHECK-LABEL: func.func private @in_place_add(
// CHECK-SAME: %[[B:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<"B", readonly>}, %[[A:.*]]: memref<?xf64> {quernel.argument = #quernel.argument<"A">})
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%c96) step (%c8) {
// CHECK-NEXT: vector.load %[[B]][%[[I]]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %c2
// CHECK-NEXT: vector.load %[[B]][%[[I2]]]
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c1
// CHECK-NEXT: vector.store %{{.*}}, %[[A]][%[[I1]]]

// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT: call @in_place_add(
// CHECK-NEXT: return

// CHECK-LABEL: func.func @overlapping(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?xf64>
// CHECK-NOT: memref.alloc
// CHECK: %[[T:.*]] = memref.alloc() : memref<98xf64>
// CHECK-NEXT: %[[P:.*]] = memref.cast %[[T]]
// CHECK-NEXT: quernel.allocated %[[P]](%c98) {dtype = "float64"}
// CHECK-NEXT: call @overlapping_add(%[[A]], %[[P]])
// CHECK-NEXT: call @overlapping_copy(%[[P]], %[[A]])
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: return

func.func @in_place(%A: tensor<100xf64> {quernel.argument = #quernel.argument<"A", shape = affine_map<() -> (100)>>}, %B: tensor<100xf64> {quernel.argument = #quernel.argument<"B", shape = affine_map<() -> (100)>>}) -> tensor<100xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %l = quernel.slice %B {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>) -> tensor<98xf64>
  %r = quernel.slice %B {offsets = affine_map<() -> (2)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>) -> tensor<98xf64>
  %s = quernel.add %l, %r : (tensor<98xf64>, tensor<98xf64>) -> tensor<98xf64>
  %u = quernel.update_slice %A, %s {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>, tensor<98xf64>) -> tensor<100xf64>
  return %u : tensor<100xf64>
}
func.func @overlapping(%A: tensor<100xf64> {quernel.argument = #quernel.argument<"A", shape = affine_map<() -> (100)>>}) -> tensor<100xf64> attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  %l = quernel.slice %A {offsets = affine_map<() -> (0)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>) -> tensor<98xf64>
  %r = quernel.slice %A {offsets = affine_map<() -> (2)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>) -> tensor<98xf64>
  %s = quernel.add %l, %r : (tensor<98xf64>, tensor<98xf64>) -> tensor<98xf64>
  %u = quernel.update_slice %A, %s {offsets = affine_map<() -> (1)>, sizes = affine_map<() -> (98)>, strides = affine_map<() -> (1)>} : (tensor<100xf64>, tensor<98xf64>) -> tensor<100xf64>
  return %u : tensor<100xf64>
}
