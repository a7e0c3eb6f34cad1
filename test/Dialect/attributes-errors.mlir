// What has our prefix has one of our names, stands where it belongs, and agrees with its operation.
// RUN: quernel-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{attribute 'quernel.parallel' isn't known}}
func.func @unknown() attributes {quernel.parallel} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.name' isn't known of an argument}}
func.func @unknown_argument(%x: f64 {quernel.name = "x"}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' isn't known of a result}}
func.func @result(%x: f64) -> (f64 {quernel.argument = #quernel.argument<"x">}) {
  return %x : f64
}

// -----

// expected-error @below {{attribute 'quernel.function' has to be the #quernel.function of a function}}
func.func @type() attributes {quernel.function = "kernel"} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has to be the #quernel.function of a function}}
module attributes {quernel.function = #quernel.function<kernel>} {
}

// -----

// expected-error @below {{attribute 'quernel.function' has lines or a statement, which only kernels have}}
func.func @lines() attributes {quernel.function = #quernel.function<program, lines = ["f.py:6"]>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has blocks of 256 threads, which no kernel has}}
func.func @program_of_blocks() attributes {quernel.function = #quernel.function<program, block = 256>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has blocks of 2048 threads, which no kernel has}}
func.func @large_blocks() attributes {quernel.function = #quernel.function<kernel, block = 2048>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has lines that aren't strings}}
func.func @numbers() attributes {quernel.function = #quernel.function<kernel, lines = [6]>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has updates, which only graphs have}}
func.func @updates(%x: tensor<2xf64>) -> tensor<2xf64> attributes {quernel.function = #quernel.function<program, updates = [0]>} {
  return %x : tensor<2xf64>
}

// -----

// expected-error @below {{attribute 'quernel.function' has more updates than the function has results}}
func.func @many(%x: tensor<2xf64>) attributes {quernel.function = #quernel.function<graph, updates = [0]>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' updates argument 1, which is no array}}
func.func @nowhere(%x: tensor<2xf64>) -> tensor<2xf64> attributes {quernel.function = #quernel.function<graph, updates = [1]>} {
  return %x : tensor<2xf64>
}

// -----

// expected-error @below {{attribute 'quernel.argument' makes argument 0 a symbol, which isn't an index}}
func.func @symbol(%n: i64 {quernel.argument = #quernel.argument<symbol>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' lets argument 0, which isn't an index, be any size}}
func.func @any(%n: i64 {quernel.argument = #quernel.argument<any_size>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' makes argument 0 a scalar, which isn't a tensor without axes}}
func.func @scalar(%x: tensor<1xf64> {quernel.argument = #quernel.argument<scalar>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' has the shape or strides of argument 0, which isn't a tensor}}
func.func @strides(%x: memref<?xf64> {quernel.argument = #quernel.argument<strided>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' has another rank than argument 1}}
func.func @rank(%n0: index, %x: tensor<?x2xf64> {quernel.argument = #quernel.argument<shape = affine_map<()[s0] -> (s0)>>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' makes argument 0 readonly, which isn't memory}}
func.func @readonly(%x: f64 {quernel.argument = #quernel.argument<readonly>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' has the output's type of argument 0, which isn't memory}}
func.func @output(%x: f64 {quernel.argument = #quernel.argument<output = tensor<8xf64>>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.argument' has a type of the output at argument 0 that isn't a tensor's}}
func.func @output_type(%x: memref<?xf64> {quernel.argument = #quernel.argument<output = f64>}) {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has types of other results than those of its graph}}
func.func @types(%x: tensor<2xi8>) -> tensor<2xi8> attributes {quernel.function = #quernel.function<graph, types = [tensor<2xui8>, tensor<2xf64>]>} {
  return %x : tensor<2xi8>
}

// -----

// expected-error @below {{attribute 'quernel.function' has types of other results than those of its graph}}
func.func @types_of_program() attributes {quernel.function = #quernel.function<program, types = []>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.function' has types that aren't those of arrays}}
func.func @no_types(%x: tensor<2xi8>) -> tensor<2xi8> attributes {quernel.function = #quernel.function<graph, types = [ui8]>} {
  return %x : tensor<2xi8>
}

// -----

// expected-error @below {{attribute 'quernel.source_lines' has to be a module's dictionary of strings}}
module attributes {quernel.source_lines = {"f.py:6" = 6}} {
}

// -----

func.func @matmul(%x: tensor<2xf64>) -> tensor<2xf64> {
  // expected-error @below {{attribute 'quernel.axes' has to be the #quernel.axes of a library call}}
  %0 = tensor.cast %x {quernel.axes = #quernel.axes<"ij">} : tensor<2xf64> to tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

func.func @axes(%a: memref<4xf64>) {
  // expected-error @below {{attribute 'quernel.axes' names 2 of 1 axes}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], library_call = "qn_matmul_f64"} outs(%a : memref<4xf64>) attrs = {quernel.axes = #quernel.axes<"ij">} {
  ^bb0(%x: f64):
    linalg.yield %x : f64
  }
  return
}

// -----

func.func @letters(%a: memref<4xf64>) {
  // expected-error @below {{attribute 'quernel.axes' names axis 'z', which 'sort' doesn't have once}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], library_call = "qn_sort_f64"} outs(%a : memref<4xf64>) attrs = {quernel.axes = #quernel.axes<"z">} {
  ^bb0(%x: f64):
    linalg.yield %x : f64
  }
  return
}

// -----

func.func @no_routine(%a: memref<4xf64>) {
  // expected-error @below {{attribute 'quernel.axes' stands at a call of no routine}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], library_call = "qn_frobnicate_f64"} outs(%a : memref<4xf64>) attrs = {quernel.axes = #quernel.axes<"*">} {
  ^bb0(%x: f64):
    linalg.yield %x : f64
  }
  return
}

// -----

func.func @schedule_type(%n: index) {
  // expected-error @below {{attribute 'quernel.schedule' has to be a #quernel.schedule}}
  scf.for %i = %n to %n step %n {
  } {quernel.schedule = "parallel"}
  return
}

// -----

func.func @schedule_place(%b: i1) {
  // expected-error @below {{attribute 'quernel.schedule' belongs to a counted loop; others may be outlined at most}}
  scf.if %b {
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// -----

func.func @grain(%n: index) {
  // expected-error @below {{attribute 'quernel.schedule' has a grain, which only threads have, or a negative one}}
  scf.for %i = %n to %n step %n {
  } {quernel.schedule = #quernel.schedule<grain = 4>}
  return
}

// -----

func.func @threads(%n: index) {
  // expected-error @below {{attribute 'quernel.schedule' says what a parallel loop can't be}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
  } {quernel.schedule = #quernel.schedule<polled>}
  return
}

// -----

func.func @reductions(%n: index, %x: f64) {
  // expected-error @below {{attribute 'quernel.schedule' has 2 reductions for 1 carried values}}
  %0 = scf.for %i = %n to %n step %n iter_args(%s = %x) -> f64 {
    scf.yield %s : f64
  } {quernel.schedule = #quernel.schedule<reduce = [sum, sum]>}
  return
}

// -----

func.func @lanes(%n: index) {
  // expected-error @below {{attribute 'quernel.schedule' has lanes of accumulators without a reduction}}
  scf.for %i = %n to %n step %n {
  } {quernel.schedule = #quernel.schedule<vector = lanes>}
  return
}

// -----

func.func @carried(%n: index, %x: f64) {
  // expected-error @below {{attribute 'quernel.schedule' has turns side by side that carry numbers}}
  %0 = scf.for %i = %n to %n step %n iter_args(%s = %x) -> f64 {
    scf.yield %s : f64
  } {quernel.schedule = #quernel.schedule<parallel>}
  return
}

// -----

func.func @field(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{no field is called 'fast'}}
  } {quernel.schedule = #quernel.schedule<fast>}
  return
}

// -----

// expected-error @below {{attribute 'quernel.target' has to be the #quernel.target of a module}}
func.func @target() attributes {quernel.target = #quernel.target<cpu>} {
  return
}

// -----

// expected-error @below {{attribute 'quernel.target' has vectors of 24 bytes, which is no power of two}}
module attributes {quernel.target = #quernel.target<cpu, vector_bytes = 24>} {
}

// -----

// expected-error @below {{attribute 'quernel.target' gives a CPU what only GPUs have}}
module attributes {quernel.target = #quernel.target<cpu, registers = 65536>} {
}

// -----

// expected-error @below {{no field is called 'speed'}}
module attributes {quernel.target = #quernel.target<cpu, speed = 3>} {
}
