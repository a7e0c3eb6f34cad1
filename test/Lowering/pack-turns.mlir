// RUN: quernel-opt %s --quernel-pack-turns --mlir-print-local-scope | FileCheck %s

// Four floats have 16 bytes. What is the same for all turns is loaded as before; the turns behind the packs are a loop
// of their own.
// CHECK-LABEL: func.func private @line(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[S:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index
// CHECK: %[[WHOLE:.*]] = quernel.pack_turns %[[N]] by 4 of %[[X]], %[[Y]] at %{{.*}}, %{{.*}} : memref<?xf32>, memref<?xf32>
// CHECK: scf.parallel (%[[I:.*]]) = (%c0{{[_0-9]*}}) to (%[[WHOLE]]) step (%c4{{[_0-9]*}}) {
// CHECK:   %[[LOADED:.*]] = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK:   quernel.copy_pack 4 of %[[X]][%[[I]]] to %[[LOADED]][%c0{{[_0-9]*}}]
// CHECK:   %[[STORED:.*]] = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK:   scf.for %[[K:.*]] = %c0{{[_0-9]*}} to %c4{{[_0-9]*}} step %c1{{[_0-9]*}} {
// CHECK-NEXT: %[[E:.*]] = memref.load %[[LOADED]][%[[K]]]
// CHECK-NEXT: %[[F:.*]] = memref.load %[[S]][%c0{{[_0-9]*}}]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[E]], %[[F]]
// CHECK-NEXT: memref.store %[[SUM]], %[[STORED]][%[[K]]]
// CHECK-NEXT: } {quernel.schedule = #quernel.schedule<parallel, vector = parallel>}
// CHECK:   quernel.copy_pack 4 of %[[STORED]][%c0{{[_0-9]*}}] to %[[Y]][%[[I]]]
// CHECK: } {quernel.schedule = #quernel.schedule<vector = parallel>}
// CHECK: scf.parallel (%[[J:.*]]) = (%[[WHOLE]]) to (%[[N]]) step (%c1{{[_0-9]*}}) {
// CHECK:   %[[G:.*]] = memref.load %[[X]][%[[J]]]
// CHECK:   memref.store %{{.*}}, %[[Y]][%[[J]]]
func.func private @line(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %s[%c0] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<?xf32>
  }
  return
}

// The widest element says how many make a pack. Each row looks for itself whether its packs are aligned.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[N]]) step
// CHECK:   %[[ROW:.*]] = arith.muli %[[I]], %[[M]]
// CHECK:   %[[FIRST:.*]] = arith.addi %[[ROW]], %c8{{[_0-9]*}}
// CHECK:   %[[OTHER:.*]] = arith.muli %[[I]], %c100{{[_0-9]*}}
// CHECK:   %[[WHOLE:.*]] = quernel.pack_turns %[[M]] by 2 of %[[X]], %[[Y]] at %[[FIRST]], %[[OTHER]] : memref<?xf64>, memref<?xi8>
// CHECK:   scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[WHOLE]]) step (%c2{{[_0-9]*}}) {
// CHECK:     memref.alloca() {alignment = 16 : i64} : memref<2xf64>
// CHECK:     memref.alloca() {alignment = 2 : i64} : memref<2xi8>
// CHECK:   scf.parallel (%{{.*}}) = (%[[WHOLE]]) to (%[[M]]) step
// CHECK: } {quernel.schedule = #quernel.schedule<maybe_empty>}
func.func private @rows(%x: memref<?xf64>, %y: memref<?xi8>, %n: index, %m: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %row = arith.muli %i, %m : index
    %first = arith.addi %row, %j : index
    %at = arith.addi %first, %c8 : index
    %a = memref.load %x[%at] : memref<?xf64>
    %b = arith.fptosi %a : f64 to i8
    %other = arith.muli %i, %c100 : index
    %there = arith.addi %other, %j : index
    memref.store %b, %y[%there] : memref<?xi8>
  } {quernel.schedule = #quernel.schedule<maybe_empty>}
  return
}

// What a turn loads before it stores there may come before all stores of the pack.
// CHECK-LABEL: func.func private @in_place(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index
// CHECK: quernel.pack_turns %[[N]] by 4 of %[[X]] at %{{.*}} : memref<?xf32>
func.func private @in_place(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%i] : memref<?xf32>
  }
  return
}

// A load from where the turn has stored.
// CHECK-LABEL: func.func private @stored_before(
// CHECK-NOT: quernel.pack_turns
func.func private @stored_before(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf32>
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// Packs can't begin at places that a constant parts, or in rows of an odd length.
// CHECK-LABEL: func.func private @shifted(
// CHECK-NOT: quernel.pack_turns
func.func private @shifted(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %x[%next] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @odd_rows(
// CHECK-NOT: quernel.pack_turns
func.func private @odd_rows(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c99) step (%c1, %c1) {
    %row = arith.muli %i, %c99 : index
    %at = arith.addi %row, %j : index
    memref.store %zero, %x[%at] : memref<?xf32>
  }
  return
}

// Elements that aren't along memory, or that the data name.
// CHECK-LABEL: func.func private @jumping(
// CHECK-NOT: quernel.pack_turns
func.func private @jumping(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %twice = arith.muli %i, %c2 : index
    %a = memref.load %x[%twice] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @gathered(
// CHECK-NOT: quernel.pack_turns
func.func private @gathered(%x: memref<?xf32>, %at: memref<?xindex>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %k = memref.load %at[%i] : memref<?xindex>
    %a = memref.load %x[%k] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @gathered_rows(
// CHECK-NOT: quernel.pack_turns
func.func private @gathered_rows(%x: memref<?xf32>, %at: memref<?xindex>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %k = memref.load %at[%c0] : memref<?xindex>
    %from = arith.addi %k, %i : index
    %a = memref.load %x[%from] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// A stride that only the run knows may be 1: then a row is one of packs.
// CHECK-LABEL: func.func private @strided(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: index, %[[T:[a-z0-9]+]]: index
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %[[S]]
// CHECK: %[[UNIT:.*]] = arith.cmpi eq, %[[T]], %c1{{[_0-9]*}}
// CHECK: %[[ALONG:.*]] = arith.select %[[UNIT]], %[[N]], %c0{{[_0-9]*}}
// CHECK: quernel.pack_turns %[[ALONG]] by 4 of %[[X]], %[[Y]] at %[[ROW]],
// CHECK: scf.parallel
// CHECK:   memref.load %[[X]]
func.func private @strided(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %s: index, %t: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %row = arith.muli %i, %s : index
    %column = arith.muli %j, %t : index
    %at = arith.addi %row, %column : index
    %a = memref.load %x[%at] : memref<?xf32>
    %first = arith.muli %i, %n : index
    %there = arith.addi %first, %j : index
    memref.store %a, %y[%there] : memref<?xf32>
  }
  return
}

// The coordinates of points lie beside each other: a pack of two turns has four of them, which a loop goes through.
// CHECK-LABEL: func.func private @points(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[Y:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index
// CHECK: %[[WHOLE:.*]] = quernel.pack_turns %[[N]] by 2 widths [4, 2] of %[[X]], %[[Y]] at
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[WHOLE]]) step (%c2{{[_0-9]*}}) {
// CHECK:   %[[BEGIN:.*]] = arith.muli %[[I]], %c2
// CHECK:   %[[PACK:.*]] = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK:   quernel.copy_pack 4 of %[[X]][%[[BEGIN]]] to %[[PACK]]
// CHECK:   scf.for %[[T:.*]] = %c0{{[_0-9]*}} to %c2{{[_0-9]*}} step
// CHECK:     scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK:       %[[ROW:.*]] = arith.muli %[[T]], %c2
// CHECK:       %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:       memref.load %[[PACK]][%[[AT]]]
func.func private @points(%x: memref<?xf32>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %begin = arith.muli %i, %c2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %zero) -> f32 {
      %at = arith.addi %begin, %k : index
      %a = memref.load %x[%at] : memref<?xf32>
      %t = arith.addf %s, %a : f32
      scf.yield %t : f32
    }
    %wide = arith.extf %sum : f32 to f64
    memref.store %wide, %y[%i] : memref<?xf64>
  }
  return
}

// Six elements are copied two at a time, since 24 bytes are no multiple of 16.
// CHECK-LABEL: func.func private @colours(
// CHECK: quernel.pack_turns %{{.*}} by 2 of
// CHECK: memref.alloca() {alignment = 8 : i64} : memref<6xf32>
// CHECK-COUNT-3: quernel.copy_pack 2 of
func.func private @colours(%x: memref<?xf32>, %y: memref<?xf64>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %begin = arith.muli %i, %c3 : index
    %one = arith.addi %begin, %c1 : index
    %two = arith.addi %begin, %c2 : index
    %r = memref.load %x[%begin] : memref<?xf32>
    %g = memref.load %x[%one] : memref<?xf32>
    %b = memref.load %x[%two] : memref<?xf32>
    %s = arith.addf %r, %g : f32
    %t = arith.addf %s, %b : f32
    %wide = arith.extf %t : f32 to f64
    memref.store %wide, %y[%i] : memref<?xf64>
  }
  return
}

// Behind the last element that a turn needs there may be none.
// CHECK-LABEL: func.func private @every_second(
// CHECK-NOT: quernel.pack_turns
func.func private @every_second(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %at = arith.muli %i, %c2 : index
    %a = memref.load %x[%at] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// How far apart the elements of a turn are only the run knows.
// CHECK-LABEL: func.func private @strided_elements(
// CHECK-NOT: quernel.pack_turns
func.func private @strided_elements(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %s: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %begin = arith.muli %i, %c2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%t = %zero) -> f32 {
      %off = arith.muli %k, %s : index
      %at = arith.addi %begin, %off : index
      %a = memref.load %x[%at] : memref<?xf32>
      %u = arith.addf %t, %a : f32
      scf.yield %u : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

// What a turn needs of the next turn's elements isn't in the pack.
// CHECK-LABEL: func.func private @window(
// CHECK-NOT: quernel.pack_turns
func.func private @window(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> f32 {
      %at = arith.addi %i, %k : index
      %a = memref.load %x[%at] : memref<?xf32>
      %t = arith.addf %s, %a : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

// Short rows, kernels with loops whose turns constants don't say, those with checks, and those whose threads compute for longer than they load.
// CHECK-LABEL: func.func private @short_rows(
// CHECK-NOT: quernel.pack_turns
func.func private @short_rows(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c8) step (%c1, %c1) {
    %row = arith.muli %i, %n : index
    %at = arith.addi %row, %j : index
    memref.store %zero, %x[%at] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @looped(
// CHECK-NOT: quernel.pack_turns
func.func private @looped(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> f32 {
      %u = arith.mulf %t, %a : f32
      scf.yield %u : f32
    }
    memref.store %b, %x[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @checked(
// CHECK-NOT: quernel.pack_turns
func.func private @checked(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf32>
    %ok = arith.cmpf ogt, %a, %a : f32
    quernel.check %ok {exception = "ValueError", message = "no"} : i1
    memref.store %a, %x[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @long(
// CHECK-NOT: quernel.pack_turns
func.func private @long(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = math.sin %a : f32
    %c = math.sin %b : f32
    %d = math.sin %c : f32
    %e = math.sin %d : f32
    %f = math.sin %e : f32
    %g = math.sin %f : f32
    %h = math.sin %g : f32
    memref.store %h, %x[%i] : memref<?xf32>
  }
  return
}

// Lanes share turns already.
// CHECK-LABEL: func.func private @lanes(
// CHECK-NOT: quernel.pack_turns
func.func private @lanes(%x: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lane = quernel.lane of 16
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf32>
  }
  return
}

// Four turns' matrices would need too many registers; one has 16 bytes several times, and its loops need no other around
// them.
// CHECK-LABEL: func.func private @matrices(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: index
// CHECK: %[[WHOLE:.*]] = quernel.pack_turns %[[N]] by 1 widths [4, 4, 4] of %[[A]], %[[B]], %[[C]] at
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[WHOLE]]) step (%c1{{[_0-9]*}}) {
// CHECK:   memref.alloca() {alignment = 16 : i64} : memref<16xf32>
// CHECK-COUNT-4: quernel.copy_pack 4 of %[[A]]
// CHECK-COUNT-4: quernel.copy_pack 4 of %[[B]]
// CHECK: arith.muli %[[I]]
// CHECK-NEXT: memref.alloca() {alignment = 16 : i64} : memref<16xf32>
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT:   scf.for %[[K:.*]] =
// CHECK-NEXT:     scf.for %{{.*}} iter_args
// CHECK-COUNT-4: quernel.copy_pack 4 of %{{.*}} to %[[C]]
func.func private @matrices(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) attributes {quernel.function = #quernel.function<kernel>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %first = arith.muli %i, %c16 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %row = arith.muli %j, %c4 : index
      %at = arith.addi %first, %row : index
      scf.for %k = %c0 to %c4 step %c1 {
        %sum = scf.for %l = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
          %here = arith.addi %at, %l : index
          %x = memref.load %a[%here] : memref<?xf32>
          %other = arith.muli %l, %c4 : index
          %column = arith.addi %other, %k : index
          %there = arith.addi %first, %column : index
          %y = memref.load %b[%there] : memref<?xf32>
          %t = arith.mulf %x, %y : f32
          %next = arith.addf %s, %t : f32
          scf.yield %next : f32
        }
        %to = arith.addi %at, %k : index
        memref.store %sum, %c[%to] : memref<?xf32>
      }
    }
  }
  return
}
