// Kernels have no signs, but an error about memory names the user's dtype: of temporaries by the location of what
// is stored in them, of outputs by the function's `types`.
// RUN: quernel-opt %s --quernel-form-kernels | FileCheck %s --check-prefix=KERNELS
// RUN: quernel-opt %s --quernel-form-kernels --quernel-bind-buffers --quernel-coalesce-buffers --quernel-flatten-buffers | FileCheck %s

// KERNELS: @sums(%{{.*}}: index {{.*}}, %{{.*}}: tensor<?xi16> {{.*}}) -> (tensor<?xi16>, tensor<?xi1>)
// KERNELS-SAME: #quernel.function<graph, types = [tensor<?xui16>, tensor<?xi1>]>
// CHECK-LABEL: @sums(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?xi16> {{[^%]*}}, %[[SMALL:[a-z0-9]+]]: memref<?xi1>
// CHECK: %[[ONCE:.*]] = memref.alloc(%{{.*}}) : memref<?xi16>
// CHECK: quernel.allocated %[[ONCE]](%{{.*}}) {dtype = "uint16"}
// CHECK: quernel.allocated %[[OUT]](%{{.*}}) {dtype = "uint16"}
// CHECK: quernel.allocated %[[SMALL]](%{{.*}}) {dtype = "bool"}
func.func @sums(%n0: index {quernel.argument = #quernel.argument<"n0", symbol>}, %x: tensor<?xui16> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0)>>}) -> (tensor<?xui16>, tensor<?xi1>) {
  %once = quernel.scan %x {kind = "sum", axis = 0 : i64} : (tensor<?xui16>) -> tensor<?xui16>
  %twice = quernel.scan %once {kind = "sum", axis = 0 : i64} : (tensor<?xui16>) -> tensor<?xui16>
  %less = quernel.less %x, %once : (tensor<?xui16>, tensor<?xui16>) -> tensor<?xi1>
  return %twice, %less : tensor<?xui16>, tensor<?xi1>
}

// Of a kernel with two results each has its own.
// KERNELS-LABEL: @two
// CHECK-LABEL: @two(
// CHECK-DAG: {dtype = "uint16"}
// CHECK-DAG: {dtype = "int16"}
func.func @two(%n0: index {quernel.argument = #quernel.argument<"n0", symbol>}, %x: tensor<?xui16> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[s0] -> (s0)>>}) -> (tensor<?xui16>, tensor<?xi16>) {
  %signed = quernel.cast %x {dtype = i16} : (tensor<?xui16>) -> tensor<?xi16>
  %sum = quernel.add %x, %x : (tensor<?xui16>, tensor<?xui16>) -> tensor<?xui16>
  return %sum, %signed : tensor<?xui16>, tensor<?xi16>
}
