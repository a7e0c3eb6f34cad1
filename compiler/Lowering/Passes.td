#ifndef QUERNEL_LOWERING_PASSES
#define QUERNEL_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def BindBuffers : Pass<"quernel-bind-buffers", "::mlir::func::FuncOp"> {
  let summary = "gives a program the kernel ABI: symbols, strides, pointers to inputs and outputs";
  let description = [{
    Tensor arguments become pointers with their sizes and strides spelled out; results are materialised in pointers that the caller
    hands in; the new value of an argument that is written goes back into that argument. Afterwards the function returns nothing, and every
    `bufferization.to_tensor` and `bufferization.materialize_in_destination` is about the caller's memory.

    Assumes what FormKernels leaves: a function of the role `graph`, or without one, on tensors and scalars. Guarantees the role `program`, with symbols
    and strides first, then inputs, then outputs; arguments that aren't written are `readonly`; each check knows the memory of the written arguments.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CoalesceBuffers : Pass<"quernel-coalesce-buffers", "::mlir::ModuleOp"> {
  let summary = "arrays become buffers; those that are copies of each other share one where they may";
  let description = [{
    Assumes programs that BindBuffers has made. Every array is a buffer of its own to begin with; what loops carry, branches join, updates start from
    and the caller gets are copies. Arrays share a buffer where none gets new elements while another one is needed. What is computed only to be put
    into another array is computed there.

    Guarantees that no tensor is left: loops and branches hand over numbers alone. Kernels are `linalg.generic` on buffers, and where data have to
    move there is a `memref.copy`. Loops of the program are `polled`, unless they are reductions.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def WriteInPlace : Pass<"quernel-write-in-place", "::mlir::func::FuncOp"> {
  let summary = "an update that never reads what it has written needs no temporary";
  let description = [{
    `A[1:] *= 2` reads and writes the same elements. CoalesceBuffers gives such a kernel a temporary and copies it, because it
    sees that the kernel reads `A` but not where. The kernel stores into `A` itself where every load from `A` is at the index being stored
    or from elements that aren't stored; where it reads elements that are stored later in ascending or descending order, it becomes a loop in
    that order. A row or a column that every turn reads is copied before.

    Assumes kernels and copies on buffers, and that buffers with different roots don't overlap. Guarantees that every kernel reads an element before it
    stores another value there; loops that it makes have the order `parallel`, `lanes` or none, as their turns allow.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DistributeLoops : Pass<"quernel-distribute-loops", "::mlir::func::FuncOp"> {
  let summary = "a loop whose turns begin with a library's work that waits for no other turn becomes two loops";
  let description = [{
    `for z: X = solve(A[z], b); total += X` computes strips of 16 to 64 turns' X first, which MarkTaskLoops then finds to be tasks, and then adds them up in their order. Of the first part's arrays and
    loaded numbers those that the second part uses are kept for a strip; other numbers are computed in both.

    Assumes what MarkTaskLoops does. Guarantees that each element is computed from the same values by the same operations. The body is parted before the first operation that touches what another turn
    stores; leaves the loop where the second part then touches an array of which the first one stores elements, or stores to one that the first one reads, or may fail.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def MarkTaskLoops : Pass<"quernel-mark-task-loops", "::mlir::func::FuncOp"> {
  let summary = "says which of the user's loops threads share although their turns call libraries or keep arrays of their own";
  let description = [{
    `for i: out[i] = solve(A[i], b[i])` may run all turns at once, a library's call in the thread that makes it. The order of such a loop becomes `tasks`, where no element that one
    turn stores is loaded or stored in another. It stays in the program, and what is in it doesn't run in threads of its own.

    Assumes that array statements and operations of libraries are `linalg.generic`, and that buffers with different roots don't overlap. Looks at the outermost loops that can be tasks. Guarantees that
    a turn's own arrays are of constant sizes, in all at most four times what a thread has of the last cache; that no
    argument holds anything new behind a check that may fail in such a loop, so that turns behind it may have run; and that there are at least 16 turns, of enough work for threads. Programs for GPUs have none.
  }];
}

def LibraryCalls : Pass<"quernel-library-calls", "::mlir::ModuleOp"> {
  let summary = "operations that a library computes become calls; copies become kernels";
  let description = [{
    A call has the pointers of all operands, then their offsets, then numbers: for `matmul` the sizes batch, m, n, k and the strides of a and b;
    for a routine of LAPACK the strides of all operands, then batch, m, n, k. Strides are those of batch, row, column.

    Assumes that every operand of such an operation is a view of an argument, an allocation or a table; refuses others. Guarantees that no operation with
    a `library_call` and no `memref.copy` is left; results of products are contiguous in memory when the library writes them; the callees are
    declarations of the role `library`, or `user` for functions of the user's own, whose arrays are contiguous.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::quernel::QuernelDialect"];
}

def MarkParallelLoops : Pass<"quernel-mark-parallel-loops", "::mlir::func::FuncOp"> {
  let summary = "says of the user's loops which may run all turns at once, and which may have none";
  let description = [{
    `for i: for j: A[i, j] -= A[i - 1, j]` may run all `j` at once, but not all `i`. A loop's order becomes `parallel` where no element that one
    turn stores is loaded or stored in another, whatever the sizes are.

    Assumes that array statements are `scf.parallel`, or loops with an order, and looks at all other loops but reductions; that buffers with different
    roots don't overlap. Guarantees that a loop that isn't `maybe_empty` has a turn, or is part of an array statement, or a reduction; that in parallel
    loops no call stands; and that the buffers which a parallel turn takes are of at most 4 KiB, of constant sizes, and its own (`memref.alloca`).
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def StripTurns : Pass<"quernel-strip-turns", "::mlir::func::FuncOp"> {
  let summary = "turns that go through the same large arrays do so together, piece by piece";
  let description = [{
    A loop over thresholds, bins or candidates reads whole arrays in each turn. Sixteen turns share a pass over them: where threads share the pieces of the statement, each piece
    is read for one turn after the other, while it is in the cache. What a turn computes of its sums comes behind.

    Assumes what MarkParallelLoops says: turns of a loop with the order `parallel` touch different elements. Guarantees that each element is computed from the same values by the same operations in the same order. Applies where the
    first statement of a turn stores into small memory of the turn's own alone, and no turn may end the program.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def DoubleBuffer : Pass<"quernel-double-buffer", "::mlir::func::FuncOp"> {
  let summary = "a loop that copies back what an array is next exchanges two arrays instead";
  let description = [{
    A serial loop that computes a part of an array from the array itself stores into a temporary, and copies that back. Where nothing else stores to the array in the loop, a second array stands for the
    temporary: it is a copy of the array before the loop, where it isn't stored as a whole, and two turns exchange the two. An odd turn at the end copies as before.

    Assumes that statements follow the decision about buffers, and what MarkParallelLoops says. Guarantees that each element is computed from the same values by the same operations, and that behind
    the loop the array holds what it would have held. Leaves loops with a check, since arguments hold what they then have where it fails, those of less than four turns, and copies of less than 4,096 elements.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def InterchangeLoops : Pass<"quernel-interchange-loops", "::mlir::func::FuncOp"> {
  let summary = "a loop around array statements that each stay with their own elements runs inside of them";
  let description = [{
    `for k: p[:, k] = f(p[:, k - 1])` becomes a parallel loop over the rows, each of which runs along `k`: one start of threads instead of many, and
    memory is read in order. Where several statements stand in the loop, no element that one of them stores may be touched from another row.

    Assumes the schedules of MarkParallelLoops. Guarantees that every element gets the same values in the same order; the outer parallel loop is
    `maybe_empty` where the statements were.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def TileTime : Pass<"quernel-tile-time", "::mlir::func::FuncOp"> {
  let summary = "several turns of a loop around statements that read neighbouring rows run tile by tile";
  let description = [{
    A tile of rows takes part in several turns while it is in the cache, and tiles run at the same time: one start of threads for many statements, and
    memory is read once for several turns. Each statement leaves out the rows at a tile's borders that wait for rows outside of it; the gaps between tiles,
    which are those rows, are computed afterwards.

    Assumes the schedules of MarkParallelLoops; that buffers with different roots don't overlap. Leaves loops alone unless each row that a statement
    touches of an array that the loop stores is a known distance from the row that the statement is at. Guarantees that every element is computed by
    the same operations from the same values: of two turns of statements that touch one element, one of them storing it, the earlier one comes first, in the same tile or gap,
    or in a tile before a gap.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def SkewTurns : Pass<"quernel-skew-turns", "::mlir::func::FuncOp"> {
  let summary = "loops whose columns wait for each other run side by side for some turns, each behind the turn before";
  let description = [{
    A serial loop within a serial loop (a Gauss-Seidel sweep, a table of dynamic programming) whose column takes long to follow from the column before leaves a processor idle. Four turns of the outer loop
    run together, block by block of eight columns; each is behind the turn before by the columns that it waits for and by one block.

    Assumes the schedules of MarkParallelLoops; that buffers with different roots don't overlap. Leaves loops alone unless each column that a statement
    touches of an array that the loop stores is a known distance from the column that the statement is at, and nothing may fail. Guarantees that every element is computed by
    the same operations from the same values: of two statements that touch one element, one of them storing it, the one that came first still does.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def FuseSweeps : Pass<"quernel-fuse-sweeps", "::mlir::func::FuncOp"> {
  let summary = "statements that go through the rows of the same arrays become one loop over pieces of rows";
  let description = [{
    Row by row each statement does its work; what reduces pieces of rows adds a row to its partial result, in memory. An array that only these statements
    use has one row for each piece, which stays in the cache from the statement that stores it to those that read it.

    Assumes neighbouring statements that their `sweep` names. Leaves them alone unless every array that one of them stores is touched by the others at the
    row alone that their turn is at, and by nothing else between them. Guarantees that each element is computed from the same values by the same operations; partial
    results of pieces are added up in the order of rows, without compensation, as AccumulateRows does it.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def ReuseBuffers : Pass<"quernel-reuse-buffers", "::mlir::func::FuncOp"> {
  let summary = "released memory is taken again for the next array of the same size";
  let description = [{
    The memory is in the cache still, and a long program has few objects that its ways out have to release.

    Assumes allocations of rank 1 that are released in their block. Guarantees that no two arrays that live at the same time share memory.
  }];
}

def CollapseLoops : Pass<"quernel-collapse-loops", "::mlir::func::FuncOp"> {
  let summary = "axes that are gone through in the order of memory become one";
  let description = [{
    Two axes of an array statement become one where all that is asked of their counters i and j is (i n + j) c, n the length of the second.

    Assumes plain pointers (FlattenBuffers), whose indices are sums. Guarantees that the loop has the same turns; axes whose lengths aren't constants stay.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def BlockDraws : Pass<"quernel-block-draws", "::mlir::ModuleOp"> {
  let summary = "uniform random numbers that one array statement alone reads are drawn in its turns, a block at a time";
  let description = [{
    `np.mean(rng.random(n) < p)` stores no array: a generator that can jump says any part of its stream, so the state goes on at once and each task draws what its turns
    read. What a turn reads is a window of the numbers that moves by a constant step from turn to turn; tasks are of so many turns that a block has some 4,096 numbers, or of one turn that
    needs more. Which generator it is may only be known when the program runs: others still draw all their numbers first (`random_ahead`), and parts are copies of those (`random_part`).

    Assumes plain pointers (FlattenBuffers) and collapsed statements. Looks at draws outside of tasks and parallel loops of which a parallel loop of one axis, in the same block, has all
    loads. Guarantees that each load reads the same number, and that states are the same afterwards. Leaves draws of fewer than 2¹⁴ numbers, and those of programs for GPUs.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def SplitScans : Pass<"quernel-split-scans", "::mlir::func::FuncOp"> {
  let summary = "long loops that hand on sums from turn to turn become pieces that threads of a device share";
  let description = [{
    `np.cumsum(x)` is a serial loop. Where each value that a loop carries is combined with a term that follows from none of them (by addition, the least, the greatest, logic, a product of
    integers), pieces of 64 turns combine their terms side by side, a loop over the pieces finds what each one begins with, and the pieces run once more, side by side, from there. The loop over
    the pieces is cut in the same way where it is long. Parallel loops around share their turns with the pieces, unless they are enough as they are.

    Assumes plain pointers (FlattenBuffers), and the schedules of MarkParallelLoops. Guarantees that integers, truths, the least and the greatest are what they were; float sums are added in an order that no machine changes. Applies to
    loops of 1,024 turns and more, or of an unknown number outside of the user's loops, whose turns touch different elements. Leaves products of floats, since 0 times a piece that overflows is no number, and
    loops whose result is a float sum that they also store.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect"];
}

def ShareUpdates : Pass<"quernel-share-updates", "::mlir::func::FuncOp"> {
  let summary = "updates at places that the data name become atomic, so that threads of a device share the turns";
  let description = [{
    `np.add.at(y, k, 1)` loads an element, adds to it and stores it, in one turn after the other, since nobody knows whether two turns have the same place. Integers of 32 and 64 bits that are added, their least and their
    greatest, and bits are the same in any order, and a device changes one of them at once (`memref.atomic_rmw`): the turns may run at the same time.

    Assumes plain pointers (FlattenBuffers), and the schedules of MarkParallelLoops. Guarantees that arrays hold the same numbers behind the loop. Applies to loops without results and checks in which nothing else touches an array
    that is updated so, each array is updated by one operation alone, and all other accesses of different turns touch different elements. Floats stay in order.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def FormNests : Pass<"quernel-form-nests", "::mlir::func::FuncOp"> {
  let summary = "decides which loops of a program run in threads and which become serial kernels";
  let description = [{
    A parallel loop with enough work becomes an `scf.parallel`. A loop, branch or `while` with a loop in it, but without a threaded one and without
    calls, is `outlined` with all that is in it, so that the passes over kernels see it whole.

    Assumes plain pointers (FlattenBuffers) and the schedules of MarkParallelLoops; functions that aren't programs are left alone. Guarantees that no
    `scf.parallel` stands in another one, and that what is outlined has no results: numbers that are used afterwards go through memory.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def FlattenBuffers : Pass<"quernel-flatten-buffers", "::mlir::func::FuncOp"> {
  let summary = "views and strides become index arithmetic on plain pointers";
  let description = [{
    Assumes that every load and store is of a view of an argument, an allocation or a table; refuses others. Guarantees buffers of rank 1 without
    layouts, no views, a `quernel.allocated` right behind each allocation, and a release in the same block behind its last use.

    ```mlir
    %x = memref.load %X[%i, %j] : memref<?x2xf64>
    // becomes
    %x = memref.load %p[%i * 2 + %j] : memref<?xf64>
    ```
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def HoistAllocations : Pass<"quernel-hoist-allocations", "::mlir::func::FuncOp"> {
  let summary = "memory that every turn of a loop takes is taken once before it";
  let description = [{
    A size that depends on the loop's counter becomes the largest one. Parallel loops keep their allocations: their turns run at the same time.

    Assumes allocations as FlattenBuffers leaves them: the release and the `quernel.allocated` in the allocation's block. Guarantees the same of what has
    moved, and that no more memory is taken than by some turn that runs: nothing leaves a branch or a loop with a condition, but for at most 64 KiB of a
    constant size.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::arith::ArithDialect"];
}

def OutlineKernels : Pass<"quernel-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "every parallel loop of a program becomes a kernel function, and so does every outlined nest";
  let description = [{
    Assumes programs on plain pointers whose nests have no results and call nothing. Guarantees that no `scf.parallel` is left in a program, and that a
    kernel's arguments are the pointers, then the numbers that the nest took from outside, `readonly` where it stores nothing to them. No two pointers of
    a kernel overlap. A kernel has the user's lines, and a `statement` unless it only copies.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def MergeKernels : Pass<"quernel-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "kernels that do the same to other arrays become one";
  let description = [{
    Numbers in which they differ become arguments. In programs of few kernels those that differ in numbers stay as they are.

    Assumes the kernels of OutlineKernels. Guarantees the bits of results: a size or a place becomes an argument only where the order of no sum, and
    the choice of no function, can follow from it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def SplitComplex : Pass<"quernel-split-complex", "::mlir::ModuleOp"> {
  let summary = "complex numbers become pairs of floats, buffers of them buffers of floats";
  let description = [{
    Nothing after this pass sees a complex number. A buffer of n complex numbers is one of 2 n floats, real parts at even positions. A kernel's scalar
    argument becomes two; a program's becomes a pointer to its parts. The sum of complex numbers becomes two sums.

    Assumes buffers of rank 1, and that ScalarBuilder has written arithmetic on parts already: what is left of the complex dialect makes, takes apart and
    moves numbers; anything else is refused. Loops that reduce complex numbers otherwise than by sums are reductions no more.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def CountWork : Pass<"quernel-count-work", "::mlir::func::FuncOp"> {
  let summary = "says what each kernel moves and computes, as its loops do";
  let description = [{
    Of each array a kernel moves the elements that its accesses touch, where linear indices say how far they overlap. An operation counts once for each
    turn of the loops that it depends on. Nothing but the report looks at it, and the question whether a program works for long.

    Assumes kernels on buffers of rank 1 and without vectors. Guarantees that each kernel has its `work`.
  }];
}

def FuseMultiplications : Pass<"quernel-fuse-multiplications", "::mlir::func::FuncOp"> {
  let summary = "products and sums that may be rounded once become `math.fma`";
  let description = [{
    NumPy's vector loops fuse the products of complex numbers on processors that can. `fastmath<contract>` on both operations says where.

    Assumes a target with fused multiply-add. Guarantees that nothing else is rounded once that NumPy rounds twice.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def ScheduleCpu : Pass<"quernel-schedule-cpu", "::mlir::func::FuncOp"> {
  let summary = "one parallel axis for threads, the others are loops inside; says from what size on threads pay";
  let description = [{
    Assumes kernels as OutlineKernels makes them. Guarantees that every `scf.parallel` has one axis, no other one inside, and a grain; the other axes are
    loops of the order `parallel`, in the order of the axes. All of them are `maybe_empty` where the old loop was.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def CheckAhead : Pass<"quernel-check-ahead", "::mlir::func::FuncOp"> {
  let summary = "what a loop checks in each turn is checked before it";
  let description = [{
    A loop whose turns may end the program has to run them in order. Where what they check follows from nothing that the loop stores or carries, a loop before it
    finds the first turn that fails; the loop runs the turns before that one, and behind it the checks of that turn end the program.

    Assumes programs on buffers. Guarantees that the same elements are stored before the same exception. Leaves loops with checks in branches or inner loops, those that
    store anything before a check of the same turn, parallel loops, those around them and in them, loops that check nothing that they load, and loops of less than 1,024 turns.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def FormTiles : Pass<"quernel-form-tiles", "::mlir::func::FuncOp"> {
  let summary = "a thread computes what short last axes have, where their turns load the same elements";
  let description = [{
    Each element of a small product loads a row and a column, which its neighbours load, too. Where the last axes of a kernel have 16 turns at most, as many as constants say, and these load elements in common, the axes
    become loops inside: a thread has them for itself, and each element is loaded once. Of several such choices that with the most axes is made for which PackTurns would make packs, as
    neighbouring threads would otherwise touch elements that are far apart.

    Assumes kernels as OutlineKernels makes them, and runs before ScheduleGpu. Guarantees that each turn's numbers are computed by the same operations. Leaves kernels that have too few turns on the other axes,
    and those that PackTurns leaves.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def ScheduleGpu : Pass<"quernel-schedule-gpu", "::mlir::func::FuncOp"> {
  let summary = "the axes of a kernel that the grid shares, three at most; the others are loops inside";
  let description = [{
    All parallel axes are the grid's, unless a reduction in the kernel is the same for all turns of the last ones, as a row's maximum is: then these are
    loops inside, of the order `parallel`, so that a turn of the grid computes the reduction once. The last axis of a loop is the grid's x; where there are more than three, the first ones become z, which divisions take apart.

    Assumes kernels as OutlineKernels makes them. Guarantees that every `scf.parallel` at their top has at most three axes, and is `maybe_empty` where the old loop was.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def StageWalks : Pass<"quernel-stage-walks", "::mlir::func::FuncOp"> {
  let summary = "loops that hand on numbers along memory take their elements from tiles in shared memory";
  let description = [{
    Where neighbours of the grid each walk along another piece of memory, as those of a running sum's pieces or of rows do, a warp would load from 32 places at
    once. The pass gives a warp the pieces of its 32 threads: these load the elements of one piece after the other side by side and store them into a tile in shared
    memory, each walks along its own row there, and what the walk leaves they store side by side. Long walks do so chunk by chunk.

    Assumes kernels of a device behind DistributeLanes, whose buffers don't overlap. Guarantees that all numbers go through the same operations in the same order. Leaves kernels
    that have lanes, checks, or more than one turn that stores to an element; walks whose neighbours are beside each other in memory; and those whose length differs from thread to thread without a bound.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def PackTurns : Pass<"quernel-pack-turns", "::mlir::func::FuncOp"> {
  let summary = "threads of elementwise kernels load and store 16 bytes at once";
  let description = [{
    Where the turns of a grid along x each load and store one element of arrays along memory, a thread computes as many turns beside each other as have 16 bytes of the widest
    element. What it loads for all of them, and stores, it copies at once from and to memory of its own. `quernel.pack_turns` says up to which turn this may be done, which depends on addresses; the turns behind
    are a second loop like the old one. Where a turn has several elements beside each other, in short loops of its own, too, a pack has those of its turns; where 16 bytes' turns would need too many
    registers, it has fewer, of which one is enough that has 16 bytes itself.

    Assumes kernels of a device behind DistributeLanes. Guarantees that nothing is loaded or stored that wasn't before, and that a turn's numbers have the same bits. Leaves kernels with loops whose turns aren't constant, lanes, checks, atomic
    updates or elements that aren't along memory, those whose rows can't be aligned or are short, and those that compute much for an element.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def CoarsenTurns : Pass<"quernel-coarsen-turns", "::mlir::func::FuncOp"> {
  let summary = "a thread computes a few rows that load the same elements";
  let description = [{
    A stencil's turn loads what the turns of the next rows load, too. A thread computes four rows: it loads what they need, each element once, computes them, and
    stores them; so it also waits for more loads at a time. Loads are the same where their indices are equal as sums of products. Rows behind the last four are a
    loop.

    Assumes kernels behind PackTurns and FormTeams, whose grid's turns touch nothing that another turn stores. Guarantees that each turn's numbers are computed by the same operations.
    Leaves kernels with packs, lanes, loops or branches, those whose rows have no loads in common, and those whose grids have too few turns.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FormTeams : Pass<"quernel-form-teams", "::mlir::func::FuncOp"> {
  let summary = "warps of a block compute a long turn of the grid together";
  let description = [{
    Where a grid has too few turns for a device's threads, a block has one turn, and its warps are *workers*. A loop of the turn that folds terms into what it
    carries, as long float sums do block by block, goes through them in batches: each worker computes some of the batch's terms into shared memory, all wait,
    and the first worker folds them in the order of the loop. Loops whose turns lanes share anyway are shared by workers, too. All else each worker computes
    once more, but the first one alone stores it. Where no lanes share a turn, neighbours along x are the lanes of a warp.

    Assumes kernels behind DistributeLanes; turns of a loop that lanes take in turn wait for nothing. Guarantees that results have the same bits for
    any number of workers, that all threads of a block come to each barrier, and that each element is stored once. Leaves kernels with checks, and those
    whose loops' bounds differ from lane to lane.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ShareTables : Pass<"quernel-share-tables", "::mlir::func::FuncOp"> {
  let summary = "atomic updates of few elements gather in tables in the blocks' shared memory";
  let description = [{
    Threads that update the same few elements of an array wait for each other in the device's memory. Each of 256 blocks has a table in shared memory, where its
    threads update what they would have updated in the array; then it updates the array once for each element that has changed. How many elements there are
    follows from the places: from constants, or from a number of the kernel's that places aren't behind. Then the kernel finds out whether they have room.

    Assumes kernels behind FormTeams, whose atomic updates give the same in any order, at places in the array. Guarantees that all threads of a block come to each
    barrier. Leaves kernels with checks, lanes or teams, arrays that are loaded or stored as well or whose size nobody knows, and grids with few turns for each element.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def DistributeLanes : Pass<"quernel-distribute-lanes", "::mlir::func::FuncOp"> {
  let summary = "lanes of vectors become threads that share a turn of the grid";
  let description = [{
    `vector<16xf64>` becomes a number in each of 16 neighbouring threads, a load of it 16 loads side by side, halves of it what threads behind have. A loop that
    ChooseVectorLoops has marked as parallel starts at the lane and steps by the number of lanes. What isn't a vector all lanes compute, but one of them stores
    it. Lanes wait for each other around what they store and load, in memory that they share, too.

    Assumes kernels after Vectorize for a GPU, which leaves marked parallel loops as they are. Guarantees that no vectors are left, and that all lanes of
    a turn come to each of the operations about lanes.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FormGraphs : Pass<"quernel-form-graphs", "::mlir::ModuleOp"> {
  let summary = "loops that end when the device's memory says so become loops that the device can repeat";
  let description = [{
    A `while` loop of a device's program in whose turns the host would wait for a number, and in which the host does nothing else but to ask for kernels, becomes a `quernel.repeat`. What its turns hand on, and its condition, get places in
    the device's memory. Loops stay that allocate, call libraries, check, carry arrays, or give kernels a grid, a branch or an inner loop a number that turns change.

    Assumes a program for a device at the end of the pipeline, and that `quernel-number-kernels` follows, which has the device compute what is stored in the places.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def NumberKernels : Pass<"quernel-number-kernels", "::mlir::ModuleOp"> {
  let summary = "numbers of a device's program that the host doesn't need stay in the device's memory";
  let description = [{
    What a loop or a branch carries on, and nothing on the host needs, gets a place in the device's memory. A kernel that takes such a number by value loads it
    instead, and computes what follows from it by a few cheap operations. Stores of a block become a kernel of one thread, together with what their numbers follow
    from, as far as nothing between them reads what they change; one store of a number of the host's stays.

    Assumes a program for a device at the end of the pipeline. Guarantees that elements are loaded and stored in an order that nobody can tell from the old one.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def Offload : Pass<"quernel-offload", "::mlir::ModuleOp"> {
  let summary = "a program reaches the memory of its device by launches of kernels and by copies of numbers";
  let description = [{
    Assumes a program for a device at the end of the pipeline, with kernels whose top has parallel loops of up to three axes. Guarantees that the program neither calls
    a kernel nor loads or stores an element: it launches, reads and writes, and all of its arrays are allocations. What it loads of constants, and of numbers that are handed over by value, stays; a library gets copies of constants. A launch has as many turns along x, y and z as the
    kernel's grid shares, and a kernel says how many threads a block of it has at most.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def HoistInvariants : Pass<"quernel-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "moves what doesn't depend on a loop out of it, loads and whole reductions included";
  let description = [{
    No two buffers of a kernel overlap, so a load may leave a loop that doesn't store to the same buffer. This is what makes a row's maximum
    run once for each row.

    Assumes that what the body of a loop loads can be loaded before it, also where the loop has no turn, unless it is `maybe_empty`. Guarantees that loads
    leave such a loop never, and branches only as a whole, with their condition.
  }];
}

def FuseReductions : Pass<"quernel-fuse-reductions", "::mlir::func::FuncOp"> {
  let summary = "reductions over the same range, of which none needs the other, run in one loop";
  let description = [{
    Assumes kernels, whose buffers don't overlap. Guarantees the same order of each reduction's steps: where the two are merged, the first one runs as late
    as the second. The schedule names all that is reduced, the first loop's values first.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PromoteElements : Pass<"quernel-promote-elements", "::mlir::func::FuncOp"> {
  let summary = "elements that are the same ones in all turns of a loop are carried in registers";
  let description = [{
    A loop in time that runs inside of the loop over places (`y[i] = y[i] * x[i] + c[k]`) loads its state before its first turn and stores it after the last.
    Where a loop may have no turn, both stand in a branch.

    Assumes kernels, whose buffers don't overlap, and that indices that don't change have left their loops. Guarantees the same elements at the loop's end. Loops with
    checks stay as they are, since a check that fails shows what has been written by then; so do reductions and loops whose turns are independent.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def KeepRows : Pass<"quernel-keep-rows", "::mlir::func::FuncOp"> {
  let summary = "what an earlier loop over the same range has computed is kept where the later loop's result goes";
  let description = [{
    A softmax adds the exponentials of a row and then divides each by the sum. The loop that adds them stores them into the result's row, and the loop that
    divides loads them. The value is the same one, so no bit changes.

    Assumes kernels, whose buffers don't overlap, and that invariants have left their loops. Guarantees that nothing is kept that costs less than a store and
    a load, nor in an array that the kernel reads or writes elsewhere, nor where a check may end the program between the two loops. An interrupt may leave
    what is kept in an argument that the program writes.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def AccumulateRows : Pass<"quernel-accumulate-rows", "::mlir::func::FuncOp"> {
  let summary = "sums of columns read whole rows in order and add them into the result";
  let description = [{
    Going down a column touches another page of memory with every element. Where a loop over columns holds a reduction over rows, the two change
    places, and the result itself is the accumulator. Long columns come here in short pieces, so that plain additions are accurate enough.

    Assumes that a loop of the order `parallel` has independent turns, and that SplitReductions has cut long columns. Guarantees that each column is added in
    the order of its rows; what was a reduction is a plain loop over rows around loops over columns, which keep their schedule.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def JamRows : Pass<"quernel-jam-rows", "::mlir::func::FuncOp"> {
  let summary = "rows that are added into one row of sums are added four at once";
  let description = [{
    A row of sums that is longer than the first cache is read and written once for each row that is added. With four rows at once it is so for every fourth, and what the loop over rows does
    beside it finds these rows in the second cache.

    Assumes that a loop over columns of the order `parallel` or `lanes` has independent turns, and that arguments don't overlap. Guarantees that each sum is added in the order of the rows, by the same
    operations. A loop is left alone unless all that its turns store are such rows, and elements that belong to one turn each.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def ChooseVectorLoops : Pass<"quernel-choose-vector-loops", "::mlir::func::FuncOp"> {
  let summary = "marks the loops that become vectors: the inner parallel axis, or reductions along memory";
  let description = [{
    A parallel axis gets `vector = parallel`: each lane computes another element. A reduction whose loads run along memory while
    those of the parallel axis would jump gets `vector = lanes`: each lane keeps an accumulator. Where loops inside are short and compute functions, which
    take as long for an element as for a vector, the axis around them gets the vectors if that is less work. The choice looks at shapes and layouts alone, never at
    the machine.

    Assumes schedules that are true: `parallel`, or `lanes` for a loop whose turns may run side by side. Guarantees that no marked loop stands in another one
    that is marked. A mark is a choice, not a proof: Vectorize leaves alone what has no wide form.
  }];
}

def ShareRows : Pass<"quernel-share-rows", "::mlir::func::FuncOp"> {
  let summary = "what threads that share a turn load or compute twice of a row lies in the memory that they share";
  let description = [{
    A softmax goes through a row three times. The loop that looks for the greatest element loads the row from memory and stores it into a row that the threads
    of the turn share; the loop that adds the exponentials loads it from there and stores these; the loop that divides loads them. The values are the same ones,
    so no bit changes. The shared row is a `memref.alloca` in memory space 3, before the first of the loops.

    Assumes kernels for a GPU behind ChooseVectorLoops, whose buffers don't overlap. Guarantees that only loops whose turns threads share use shared rows,
    that a turn's rows fit into a block's shared memory, and that reductions keep the width of their vectors. Nothing is kept of arrays that the kernel
    writes, nor what all turns of the grid load alike, nor arithmetic that costs less than a store and a load.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def BlockSums : Pass<"quernel-block-sums", "::mlir::func::FuncOp"> {
  let summary = "adds long sums in blocks with a compensated total";
  let description = [{
    A block of elements is added plainly; the blocks' sums are added with compensation (Knuth's two-sum). The error is below that of NumPy's pairwise sum for
    any length, at the price of one compensated addition per block. The block length is fixed, so that the result depends on
    the shape alone. Sums of 8 to 16 elements are unrolled and added in the order of NumPy's pairwise sum, with its bits.

    Assumes that the schedule says truly what a loop reduces; leaves alone the loops that become vectors. Guarantees that of a float sum's elements at most 16 in a row are
    added without compensation.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def SplitRanges : Pass<"quernel-split-ranges", "::mlir::func::FuncOp"> {
  let summary = "cuts loops where clamped indices and conditions on their counter change";
  let description = [{
    Padding, rolling and joining arrays make a kernel ask at each element which array it comes from, and clamp indices so that both answers may be
    loaded. Between the few turns in which such an answer changes, the loads are plain.

    Assumes kernels with marked loops. Cuts those that become vectors, hand nothing on and clamp an index by their counter, at no more than three places.
    Guarantees that each turn is run once, in the order of before, and that turns between the cuts ask nothing that is decided there. Turns of a cut itself,
    where answers change close to each other, and loops of few turns are run one by one. What all turns of a loop answer alike is decided without a cut, as is
    a clamp of a sum of several counters that the bounds of their loops say is idle.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def Vectorize : Pass<"quernel-vectorize", "::mlir::func::FuncOp"> {
  let summary = "widens one loop of a kernel to vectors: a parallel axis, or a contiguous reduction";
  let description = [{
    Assumes kernels with marked loops, whose buffers don't overlap. Guarantees that no loop is marked any more that has a wide form; elements behind the
    last whole vector are left to a loop with single ones or, where functions are computed, to one more vector, whose lanes without an element repeat the
    first one's. No access is masked, and none leaves the elements that the loop would have touched. What divides an index that runs along memory by a constant
    is one number for all lanes, and the remainder runs along memory, where its low bits (`LowBits`) say that no lane comes to the next multiple. An
    `scf.if` is widened where all lanes agree on its condition. The accumulators of a reduction have 128 bytes on every machine, so that its bits are the
    same.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandBooleans : Pass<"quernel-expand-booleans", "::mlir::func::FuncOp"> {
  let summary = "comparisons of booleans become logic";
  let description = [{ Assumes nothing of its own. Guarantees that no `arith.cmpi` has booleans as operands, which printers have no form for. }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
