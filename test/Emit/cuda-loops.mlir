// A loop of which the device says when it ends: the parts of a turn are functions that ask for their kernels.
// RUN: quernel-translate --to-cuda --split-input-file %s -o %t.cu
// RUN: FileCheck %s < %t.cu

// CHECK: struct qn_device {
// CHECK: int32_t (*repeat)(const qn_device *device, const void *goes_on, const void *failure, int32_t (*turn)(void *data), void *data);
// CHECK: inline int32_t repeat(
// CHECK:      const auto test = [&]() -> int32_t {
// CHECK-NEXT:   if (int32_t code = launch<const double *, bool *>(device, 0 /* is_large */, {1}, {1}, x, goes_on))
// CHECK-NEXT:     return code;
// CHECK-NEXT:   return 0;
// CHECK-NEXT: };
// CHECK-NEXT: const auto turn = [&]() -> int32_t {
// CHECK-NEXT:   for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:     if (int32_t code = context->poll())
// CHECK-NEXT:       return code;
// CHECK-NEXT:     if (int32_t code = launch<double *>(device, 1 /* halve */, {n}, {256}, x))
// CHECK-NEXT:       return code;
// CHECK-NEXT:   }
// CHECK-NEXT:   return 0;
// CHECK-NEXT: };
// CHECK-NEXT: if (int32_t code = repeat(device, goes_on, nullptr, test, turn))
// CHECK-NEXT:   return code;
// CHECK-NEXT: const auto test1 = [&]() -> int32_t {
// CHECK:      const auto turn1 = [&]() -> int32_t {
// CHECK:      if (int32_t code = repeat(device, goes_on, nullptr, test1, turn1))
func.func private @is_large(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %flag: memref<1xi1>) attributes {quernel.function = #quernel.function<kernel>} {
  return
}
func.func private @halve(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<kernel, block = 256>} {
  return
}
func.func @until(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}, %n: index {quernel.argument = #quernel.argument<"n">}) attributes {quernel.function = #quernel.function<program>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flag = memref.alloc() : memref<1xi1> loc("goes_on")
  quernel.repeat %flag test {
    quernel.launch @is_large(%x, %flag) turns %c1 block 1 : memref<?xf64>, memref<1xi1>
  } turn {
    scf.for %i = %c0 to %n step %c1 {
      quernel.launch @halve(%x) turns %n block 256 : memref<?xf64>
    }
  } : memref<1xi1>
  quernel.repeat %flag test {
    quernel.launch @is_large(%x, %flag) turns %c1 block 1 : memref<?xf64>, memref<1xi1>
  } turn {
  } : memref<1xi1>
  return
}

// -----

// What a check of a kernel leaves ends the loop, too.
// CHECK:      if (int32_t code = repeat(device, goes_on, first_failure, test, turn))
// CHECK-NEXT:   return code;
// CHECK-NEXT: if (int32_t code = failed(device, first_failure))
// CHECK-NEXT:   return code;
func.func private @checked(%x: memref<?xf64>, %flag: memref<1xi1>) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %e = memref.load %flag[%c0] : memref<1xi1>
  quernel.check %e {exception = "ValueError", message = "no"} : i1
  return
}
func.func @checks(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x">}) attributes {quernel.function = #quernel.function<program>} {
  %c1 = arith.constant 1 : index
  %flag = memref.alloc() : memref<1xi1> loc("goes_on")
  quernel.repeat %flag test {
    quernel.launch @checked(%x, %flag) turns %c1 block 1 : memref<?xf64>, memref<1xi1>
  } turn {
  } : memref<1xi1>
  return
}
