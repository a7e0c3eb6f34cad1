// One boolean in every element: the mask of a scalar keeps the type of its lanes.
// RUN: quernel-opt %s --quernel-to-loops | quernel-translate --to-cpp | FileCheck %s

// CHECK: store_mask(out + i, splat<i8x64>((int8_t)-b));

func.func @everywhere(%b: tensor<i1> {quernel.argument = #quernel.argument<"b", scalar>}) -> tensor<1000xi1> {
  %0 = quernel.full %b {shape = affine_map<() -> (1000)>} : (tensor<i1>) -> tensor<1000xi1>
  return %0 : tensor<1000xi1>
}
