#ifndef QUERNEL_LOWERING_PASSES
#define QUERNEL_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def BindBuffers : Pass<"quernel-bind-buffers", "::mlir::func::FuncOp"> {
  let summary = "gives a program the kernel ABI: symbols, strides, pointers to inputs and outputs";
  let description = [{
    Tensor arguments become pointers with their sizes and strides spelled out; results are materialised in pointers that the caller
    hands in; the new value of an argument that is written goes back into that argument. Afterwards the function returns nothing, and every
    `bufferization.to_tensor` and `bufferization.materialize_in_destination` is about the caller's memory.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CoalesceBuffers : Pass<"quernel-coalesce-buffers", "::mlir::ModuleOp"> {
  let summary = "arrays become buffers; those that are copies of each other share one where they may";
  let description = [{
    Assumes programs that BindBuffers has made. Every array is a buffer of its own to begin with; what loops carry, branches join, updates start from
    and the caller gets are copies. Arrays share a buffer where none gets new elements while another one is needed. What is computed only to be put
    into another array is computed there. No tensor is left: loops and branches hand over numbers alone.
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
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LibraryCalls : Pass<"quernel-library-calls", "::mlir::ModuleOp"> {
  let summary = "operations that a library computes become calls; copies become kernels";
  let description = [{
    A call has the pointers of all operands, then their offsets, then numbers: for `matmul` the sizes batch, m, n, k and the strides of a and b;
    for a routine of LAPACK the strides of all operands, then batch, m, n, k. Strides are those of batch, row, column.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def MarkParallelLoops : Pass<"quernel-mark-parallel-loops", "::mlir::func::FuncOp"> {
  let summary = "marks the loops whose turns don't touch each other's elements";
  let description = [{
    `for i: for j: A[i, j] -= A[i - 1, j]` may run all `j` at once, but not all `i`. A loop is marked `quernel.parallel` where no element that one
    turn stores is loaded or stored in another, whatever the sizes are. Small buffers that a turn allocates are its own.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def InterchangeLoops : Pass<"quernel-interchange-loops", "::mlir::func::FuncOp"> {
  let summary = "a loop around array statements that each stay with their own elements runs inside of them";
  let description = [{
    `for k: p[:, k] = f(p[:, k - 1])` becomes a parallel loop over the rows, each of which runs along `k`: one start of threads instead of many, and
    memory is read in order. Where several statements stand in the loop, no element that one of them stores may be touched from another row.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def FormNests : Pass<"quernel-form-nests", "::mlir::func::FuncOp"> {
  let summary = "decides which loops of a program run in threads and which become serial kernels";
  let description = [{
    A parallel loop with enough work becomes an `scf.parallel`. A loop without one inside, and without calls, is marked `quernel.outline` with
    all that is in it, so that the passes over kernels see it whole.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def FlattenBuffers : Pass<"quernel-flatten-buffers", "::mlir::func::FuncOp"> {
  let summary = "views and strides become index arithmetic on plain pointers";
  let description = [{
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
    A size that depends on the loop's counter becomes the largest one. Loops marked `quernel.parallel` and `scf.parallel` keep their allocations: their
    turns run at the same time.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::arith::ArithDialect"];
}

def OutlineKernels : Pass<"quernel-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "every parallel loop of a program becomes a kernel function, and so does every nest marked `quernel.outline`";
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SplitComplex : Pass<"quernel-split-complex", "::mlir::ModuleOp"> {
  let summary = "complex numbers become pairs of floats, buffers of them buffers of floats";
  let description = [{
    Nothing after this pass sees a complex number. A buffer of n complex numbers is one of 2 n floats, real parts at even positions. A kernel's scalar
    argument becomes two; a program's becomes a pointer to its parts. The sum of complex numbers becomes two sums.
  }];
  let dependentDialects = ["::quernel::QuernelDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FuseMultiplications : Pass<"quernel-fuse-multiplications", "::mlir::func::FuncOp"> {
  let summary = "products and sums that may be rounded once become `math.fma`";
  let description = [{
    NumPy's vector loops fuse the products of complex numbers on processors that can. `fastmath<contract>` on both operations says where.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def ScheduleCpu : Pass<"quernel-schedule-cpu", "::mlir::func::FuncOp"> {
  let summary = "one parallel axis for threads, the others are loops inside; says from what size on threads pay";
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def ScheduleGpu : Pass<"quernel-schedule-gpu", "::mlir::func::FuncOp"> {
  let summary = "all parallel axes of a kernel become one, for the grid";
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def HoistInvariants : Pass<"quernel-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "moves what doesn't depend on a loop out of it, loads and whole reductions included";
  let description = [{
    No two buffers of a kernel overlap, so a load may leave a loop that doesn't store to the same buffer. This is what makes a row's maximum
    run once for each row.
  }];
}

def FuseReductions : Pass<"quernel-fuse-reductions", "::mlir::func::FuncOp"> {
  let summary = "reductions over the same range, of which none needs the other, run in one loop";
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def AccumulateRows : Pass<"quernel-accumulate-rows", "::mlir::func::FuncOp"> {
  let summary = "sums of columns read whole rows in order and add them into the result";
  let description = [{
    Going down a column touches another page of memory with every element. Where a loop over columns holds a reduction over rows, the two change
    places, and the result itself is the accumulator. Long columns come here in short pieces, so that plain additions are accurate enough.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def ChooseVectorLoops : Pass<"quernel-choose-vector-loops", "::mlir::func::FuncOp"> {
  let summary = "marks the loops that become vectors: the inner parallel axis, or reductions along memory";
  let description = [{
    A parallel axis is marked `quernel.vector = "parallel"`: each lane computes another element. A reduction whose loads run along memory while
    those of the parallel axis would jump is marked `"lanes"`: each lane keeps an accumulator. The choice looks at shapes and layouts alone, never at the
    machine.
  }];
}

def BlockSums : Pass<"quernel-block-sums", "::mlir::func::FuncOp"> {
  let summary = "adds long sums in blocks with a compensated total";
  let description = [{
    A block of elements is added plainly; the blocks' sums are added with compensation (Knuth's two-sum). The error is below that of NumPy's pairwise sum for
    any length, at the price of one compensated addition per block. The block length is fixed, so that the result depends on
    the shape alone. Sums of 8 to 16 elements are unrolled and added in the order of NumPy's pairwise sum, with its bits.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def Vectorize : Pass<"quernel-vectorize", "::mlir::func::FuncOp"> {
  let summary = "widens one loop of a kernel to vectors: a parallel axis, or a contiguous reduction";
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "64", "bytes of a vector register">
  ];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandBooleans : Pass<"quernel-expand-booleans", "::mlir::func::FuncOp"> {
  let summary = "comparisons of booleans become logic";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
