// Every row of the ufunc table parses, prints and verifies for each kind of dtype it takes; operands broadcast.
// RUN: quernel-opt %s | quernel-opt | FileCheck %s

// CHECK-LABEL: func.func @bools
func.func @bools(%x: tensor<?x3xi1>, %y: tensor<3xi1>) {
  // CHECK-NEXT: quernel.add %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %add = quernel.add %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.multiply %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %multiply = quernel.multiply %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.absolute %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %absolute = quernel.absolute %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.floor %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %floor = quernel.floor %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.ceil %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %ceil = quernel.ceil %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.trunc %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %trunc = quernel.trunc %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.maximum %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %maximum = quernel.maximum %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.minimum %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %minimum = quernel.minimum %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.fmax %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %fmax = quernel.fmax %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.fmin %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %fmin = quernel.fmin %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.equal %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %equal = quernel.equal %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.not_equal %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %not_equal = quernel.not_equal %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %less = quernel.less %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less_equal %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %less_equal = quernel.less_equal %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %greater = quernel.greater %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater_equal %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %greater_equal = quernel.greater_equal %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_and %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %logical_and = quernel.logical_and %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_or %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %logical_or = quernel.logical_or %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_xor %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %logical_xor = quernel.logical_xor %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_not %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %logical_not = quernel.logical_not %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isnan %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %isnan = quernel.isnan %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isinf %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %isinf = quernel.isinf %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isfinite %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %isfinite = quernel.isfinite %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.bitwise_and %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %bitwise_and = quernel.bitwise_and %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.bitwise_or %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %bitwise_or = quernel.bitwise_or %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.bitwise_xor %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  %bitwise_xor = quernel.bitwise_xor %x, %y : (tensor<?x3xi1>, tensor<3xi1>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.invert %{{.*}} : (tensor<?x3xi1>) -> tensor<?x3xi1>
  %invert = quernel.invert %x : (tensor<?x3xi1>) -> tensor<?x3xi1>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<?x3xi64>, %y: tensor<3xi64>) {
  // CHECK-NEXT: quernel.add %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %add = quernel.add %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.subtract %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %subtract = quernel.subtract %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.multiply %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %multiply = quernel.multiply %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.floor_divide %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %floor_divide = quernel.floor_divide %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.remainder %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %remainder = quernel.remainder %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.fmod %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %fmod = quernel.fmod %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.negative %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %negative = quernel.negative %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.positive %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %positive = quernel.positive %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.absolute %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %absolute = quernel.absolute %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.sign %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %sign = quernel.sign %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.square %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %square = quernel.square %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.floor %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %floor = quernel.floor %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.ceil %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %ceil = quernel.ceil %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.trunc %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %trunc = quernel.trunc %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.maximum %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %maximum = quernel.maximum %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.minimum %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %minimum = quernel.minimum %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.fmax %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %fmax = quernel.fmax %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.fmin %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %fmin = quernel.fmin %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.equal %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %equal = quernel.equal %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.not_equal %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %not_equal = quernel.not_equal %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %less = quernel.less %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less_equal %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %less_equal = quernel.less_equal %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %greater = quernel.greater %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater_equal %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %greater_equal = quernel.greater_equal %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_and %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %logical_and = quernel.logical_and %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_or %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %logical_or = quernel.logical_or %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_xor %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %logical_xor = quernel.logical_xor %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_not %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi1>
  %logical_not = quernel.logical_not %x : (tensor<?x3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isnan %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi1>
  %isnan = quernel.isnan %x : (tensor<?x3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isinf %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi1>
  %isinf = quernel.isinf %x : (tensor<?x3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isfinite %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi1>
  %isfinite = quernel.isfinite %x : (tensor<?x3xi64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.bitwise_and %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %bitwise_and = quernel.bitwise_and %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.bitwise_or %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %bitwise_or = quernel.bitwise_or %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.bitwise_xor %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %bitwise_xor = quernel.bitwise_xor %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.invert %{{.*}} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  %invert = quernel.invert %x : (tensor<?x3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.left_shift %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %left_shift = quernel.left_shift %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  // CHECK-NEXT: quernel.right_shift %{{.*}}, %{{.*}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  %right_shift = quernel.right_shift %x, %y : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi64>
  return
}

// CHECK-LABEL: func.func @floats
func.func @floats(%x: tensor<?x3xf64>, %y: tensor<3xf64>) {
  // CHECK-NEXT: quernel.add %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %add = quernel.add %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.subtract %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %subtract = quernel.subtract %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.multiply %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %multiply = quernel.multiply %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.divide %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %divide = quernel.divide %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.floor_divide %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %floor_divide = quernel.floor_divide %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.remainder %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %remainder = quernel.remainder %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.fmod %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %fmod = quernel.fmod %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.power %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %power = quernel.power %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.negative %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %negative = quernel.negative %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.positive %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %positive = quernel.positive %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.absolute %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %absolute = quernel.absolute %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.sign %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %sign = quernel.sign %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.square %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %square = quernel.square %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.reciprocal %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %reciprocal = quernel.reciprocal %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.sqrt %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %sqrt = quernel.sqrt %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.copysign %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %copysign = quernel.copysign %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.hypot %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %hypot = quernel.hypot %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.degrees %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %degrees = quernel.degrees %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.radians %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %radians = quernel.radians %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.cbrt %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %cbrt = quernel.cbrt %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.exp %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %exp = quernel.exp %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.exp2 %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %exp2 = quernel.exp2 %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.expm1 %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %expm1 = quernel.expm1 %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.log %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %log = quernel.log %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.log2 %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %log2 = quernel.log2 %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.log10 %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %log10 = quernel.log10 %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.log1p %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %log1p = quernel.log1p %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.sin %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %sin = quernel.sin %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.cos %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %cos = quernel.cos %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.tan %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %tan = quernel.tan %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arcsin %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arcsin = quernel.arcsin %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arccos %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arccos = quernel.arccos %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arctan %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arctan = quernel.arctan %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arctan2 %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %arctan2 = quernel.arctan2 %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.sinh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %sinh = quernel.sinh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.cosh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %cosh = quernel.cosh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.tanh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %tanh = quernel.tanh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arcsinh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arcsinh = quernel.arcsinh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arccosh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arccosh = quernel.arccosh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.arctanh %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %arctanh = quernel.arctanh %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.floor %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %floor = quernel.floor %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.ceil %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %ceil = quernel.ceil %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.trunc %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %trunc = quernel.trunc %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.rint %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %rint = quernel.rint %x : (tensor<?x3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.maximum %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %maximum = quernel.maximum %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.minimum %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %minimum = quernel.minimum %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.fmax %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %fmax = quernel.fmax %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.fmin %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  %fmin = quernel.fmin %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  // CHECK-NEXT: quernel.equal %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %equal = quernel.equal %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.not_equal %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %not_equal = quernel.not_equal %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %less = quernel.less %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.less_equal %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %less_equal = quernel.less_equal %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %greater = quernel.greater %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.greater_equal %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %greater_equal = quernel.greater_equal %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_and %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %logical_and = quernel.logical_and %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_or %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %logical_or = quernel.logical_or %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_xor %{{.*}}, %{{.*}} : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  %logical_xor = quernel.logical_xor %x, %y : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.logical_not %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xi1>
  %logical_not = quernel.logical_not %x : (tensor<?x3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isnan %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xi1>
  %isnan = quernel.isnan %x : (tensor<?x3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isinf %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xi1>
  %isinf = quernel.isinf %x : (tensor<?x3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.isfinite %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xi1>
  %isfinite = quernel.isfinite %x : (tensor<?x3xf64>) -> tensor<?x3xi1>
  // CHECK-NEXT: quernel.signbit %{{.*}} : (tensor<?x3xf64>) -> tensor<?x3xi1>
  %signbit = quernel.signbit %x : (tensor<?x3xf64>) -> tensor<?x3xi1>
  return
}
