// What passes tell each other is printed and read again. Fields that have their default aren't printed.
// RUN: quernel-opt %s | quernel-opt | FileCheck %s

// CHECK: module attributes {quernel.source_lines = {"f.py:6" = "y = x.sum()"},
// CHECK-SAME: quernel.target = #quernel.target<gpu, vector_bytes = 16, cache = 524288, last_cache = 2097152, fork = 65536, round_trip = 12, multiprocessors = 108, shared = 167936, registers = 65536>}
module attributes {quernel.source_lines = {"f.py:6" = "y = x.sum()"},
                   quernel.target = #quernel.target<gpu, vector_bytes = 16, multiprocessors = 108, shared = 167936, registers = 65536>} {
  // CHECK: @graph(%{{.*}}: index {quernel.argument = #quernel.argument<"n0", symbol>},
  // CHECK-SAME: {quernel.argument = #quernel.argument<"x", strided, shape = affine_map<()[s0] -> (s0, 2)>>},
  // CHECK-SAME: {quernel.argument = #quernel.argument<"k", scalar>})
  // CHECK-SAME: attributes {quernel.function = #quernel.function<graph, updates = [1]>}
  func.func @graph(%n0: index {quernel.argument = #quernel.argument<"n0", symbol>},
                   %x: tensor<?x2xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0, 2)>, strided, "x">},
                   %k: tensor<f64> {quernel.argument = #quernel.argument<"k", scalar>}) -> tensor<?x2xf64>
      attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
    return %x : tensor<?x2xf64>
  }

  // CHECK: @any(%{{.*}}: index {quernel.argument = #quernel.argument<"n0", symbol, any_size>})
  func.func @any(%n0: index {quernel.argument = #quernel.argument<any_size, symbol, "n0">}) {
    return
  }

  // CHECK: @program(%{{.*}}: memref<?xf64> {quernel.argument = #quernel.argument<"out", output = tensor<?x2xf64>>})
  func.func @program(%out: memref<?xf64> {quernel.argument = #quernel.argument<"out", output = tensor<?x2xf64>>})
      attributes {quernel.function = #quernel.function<program>} {
    return
  }

  // CHECK: @kernel(%{{.*}}: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %{{.*}}: index)
  // CHECK-SAME: #quernel.function<kernel, lines = ["f.py:6"], source = ["y = x.sum()"], statement = #quernel.statement<name = "f_sum",
  // CHECK-SAME: ops = ["sum"]>, work = #quernel.work<bytes_read = 8, bytes_written = 16, operations = 1, assumed = 0>>
  func.func @kernel(%x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}, %n: index)
      attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:6"], source = ["y = x.sum()"],
                  statement = #quernel.statement<name = "f_sum", ops = ["sum"]>,
                  work = #quernel.work<bytes_read = 8, bytes_written = 16, operations = 1, assumed = 0>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    // CHECK: {quernel.schedule = #quernel.schedule<parallel, maybe_empty, polled>}
    scf.for %i = %c0 to %n step %c1 {
    } {quernel.schedule = #quernel.schedule<polled, maybe_empty, parallel>}
    // CHECK: {quernel.schedule = #quernel.schedule<grain = 64, vector = parallel>}
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    } {quernel.schedule = #quernel.schedule<grain = 64, vector = parallel>}
    // CHECK: {quernel.schedule = #quernel.schedule<rolled, vector = lanes, reduce = [umin, index]>}
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %c0) -> (f64, index) {
      scf.yield %a, %b : f64, index
    } {quernel.schedule = #quernel.schedule<rolled, vector = lanes, reduce = [umin, index]>}
    // CHECK: {quernel.schedule = #quernel.schedule<outlined>}
    scf.execute_region {
      scf.yield
    } {quernel.schedule = #quernel.schedule<outlined>}
    return
  }
}
