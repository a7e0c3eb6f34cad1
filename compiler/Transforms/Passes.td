#ifndef QUERNEL_TRANSFORMS_PASSES
#define QUERNEL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def InlineProducts : Pass<"quernel-inline-products", "::mlir::func::FuncOp"> {
  let summary = "products that a library would lose on become multiply and sum";
  let description = [{
    A product with few columns or a short inner size, and every product of integers, is cheaper inside a kernel, where it fuses. So is the product of a vector with a matrix that is computed
    beside it, which a library would have stored and read again; and several products of vectors with one large matrix, of which a sweep over its rows needs one pass (`SharedMatrices.h`).
    What remains of rank above three has its leading axes joined, so that the library sees one batch axis.

    Assumes a graph: quernel operations on tensors, every size of an argument named by its shape. Guarantees that every `quernel.matmul` that is
    left is of floats or complex numbers, has at most three axes, and isn't known to sum over no element.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def HoistProducts : Pass<"quernel-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "products with one vector a turn become one product of matrices before the loop";
  let description = [{
    A library computes one product of matrices several times as fast as the products of a matrix with each vector, which read the matrix in every turn. Where all that a loop's
    products read lies in arrays that the loop doesn't change, each is a row of one product.

    ```mlir
    scf.for %i = … {
      quernel.symbol %i {number = 0 : i64} : index
      %v = … %x[:, s0] …
      %m = quernel.slice %y {offsets = affine_map<()[s0] -> (0, s0)>, sizes = affine_map<()[s0] -> (60, 50 - s0)>, …}
      %p = quernel.matmul %v, %m : (tensor<60xf64>, tensor<60x?xf64>) -> tensor<?xf64>
    // becomes
    %t = quernel.transpose %x {permutation = array<i64: 1, 0>} : (tensor<60x50xf64>) -> tensor<50x60xf64>
    %all = quernel.matmul %t, %y : (tensor<50x60xf64>, tensor<60x50xf64>) -> tensor<50x50xf64>
    scf.for %i = … {
      quernel.symbol %i {number = 0 : i64} : index
      %r = quernel.slice %all {offsets = affine_map<()[s0] -> (s0, s0)>, sizes = affine_map<()[s0] -> (1, 50 - s0)>, …}
    ```

    Assumes a graph. Guarantees the same products up to the order of their sums, and that each is proven to be inside of the arrays in every turn. The product has at most about twice the multiplications of the loop's, since each turn has a
    vector of its own and one turn reads all of the other operand; and not many more elements than one of the arrays that are there anyway.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def UpdateBases : Pass<"quernel-update-bases", "::mlir::func::FuncOp"> {
  let summary = "an update of elements of a reshaped array updates the array itself";
  let description = [{
    `x.ravel()[k] = v` and `x.flat[k] = v` are updates of a reshape, of which the array is made again by another reshape: two copies of the array where only one element changes.

    ```mlir
    %f = quernel.reshape %x {shape = affine_map<() -> (600)>} : (tensor<30x20xf64>) -> tensor<600xf64>
    %u = quernel.update_slice %f, %v {offsets = affine_map<()[s0] -> (s0)>, …} : (tensor<600xf64>, tensor<1xf64>) -> tensor<600xf64>
    %y = quernel.reshape %u {shape = affine_map<() -> (30, 20)>} : (tensor<600xf64>) -> tensor<30x20xf64>
    // becomes
    %y = quernel.update_slice %x, %v {offsets = affine_map<()[s0] -> (s0 floordiv 20, s0 mod 20)>, …} : (tensor<30x20xf64>, tensor<1xf64>) -> tensor<30x20xf64>
    ```

    Assumes a graph, in which positions of updates and scatters aren't negative. Guarantees the same results. Updates of more than an element that don't say where each goes stay.
  }];
}

def FoldMasks : Pass<"quernel-fold-masks", "::mlir::func::FuncOp"> {
  let summary = "reductions and stores of what a mask selects run over the whole array, under the mask";
  let description = [{
    `x[m].sum()` needs no array of the selected elements, nor does `x[m] = f(x[m], y[m])`.

    ```mlir
    %c = quernel.compress %x, %m {size = affine_map<()[s0] -> (s0)>} : (tensor<9xf64>, tensor<9xi1>) -> tensor<?xf64>
    %s = quernel.reduce %c {kind = "sum", axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    // becomes
    %w = quernel.where %m, %x, %zero : (tensor<9xi1>, tensor<9xf64>, tensor<f64>) -> tensor<9xf64>
    %s = quernel.reduce %w {kind = "sum", axes = array<i64: 0>} : (tensor<9xf64>) -> tensor<f64>
    ```

    Assumes a graph, and that a `quernel.compress` counts its mask's true elements with its symbol. Guarantees the same results; symbols that no size
    needs any more are gone, and with them the reductions that counted.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def SplitReductions : Pass<"quernel-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "cuts long reductions with few results into pieces that can run in parallel";
  let description = [{
    `x.sum()` of a million elements has one result and so no parallelism. The first reduced axis is cut into pieces of 16384, whose sums a
    second, short reduction adds. The pieces depend on the shape alone, so any number of threads gives the same bits.

    ```mlir
    %s = quernel.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1000000xf64>) -> tensor<f64>
    // becomes
    %p = quernel.reduce %x {kind = "sum", axes = array<i64: 0>, chunk = 16384} : (tensor<1000000xf64>) -> tensor<62xf64>
    %s = quernel.reduce %p {kind = "sum", axes = array<i64: 0>} : (tensor<62xf64>) -> tensor<f64>
    ```

    Assumes a graph. Guarantees that each reduction with `chunk` is read by one reduction without it, and that what is cut depends on sizes alone: a
    size that is no constant counts as long, unless a loop of the user's may change it. What counts how many elements a mask chooses of those that the
    turns before have left is cut all the same, since its pieces are also those in which they are stored.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def ShareArithmetic : Pass<"quernel-share-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "sizes, indices and elements are computed once, in time that grows with the number of operations";
  let description = [{
    Assumes structured control flow: a region has one block. Guarantees that no operation without effects and regions is computed again where its value is at hand.
  }];
}

def ShareSymbols : Pass<"quernel-share-symbols", "::mlir::func::FuncOp"> {
  let summary = "symbols of one value become one, and a condition is checked once";
  let description = [{
    Two calls of one function (`np.bincount(i, w)`, `np.bincount(i)`) find out one size twice. Common subexpressions are one value by then, but each
    call has its own symbol for it, so that arrays of that size have different shapes.

    Assumes a graph without common subexpressions. Guarantees that no block makes two symbols of one value with equal bounds, nor checks a condition twice: the
    second check can't fail.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def GroupScatters : Pass<"quernel-group-scatters", "::mlir::func::FuncOp"> {
  let summary = "brings together what is scattered to the same places";
  let description = [{
    The counts and the sums of one binning ask for the same places. Where one stands directly before the other, FormKernels makes one loop of them, which computes
    each place once.

    ```mlir
    %n = quernel.scatter %zeros, %ones, %i {…}
    quernel.check %ok …
    %s = quernel.scatter %zero, %w, %i {…}
    // becomes
    quernel.check %ok …
    %n = quernel.scatter %zeros, %ones, %i {…}
    %s = quernel.scatter %zero, %w, %i {…}
    ```

    Assumes a graph without common subexpressions. Guarantees the same values: a scatter moves down, with what is computed from it alone, and stays where a check, a loop or
    a branch asks for its result before. Nor does it move over what writes to an array that it reads, which would be a copy.
  }];
  let dependentDialects = ["::quernel::QuernelDialect"];
}

def FormKernels : Pass<"quernel-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "decides which arrays to store and turns each into a linalg.generic over an index function";
  let description = [{
    Results, operands of library calls, in-place updates and values that are dearer to compute again than to load are stored. Everything
    else is inlined into the body of its consumers: views as index arithmetic, reductions as nested scf.for. Stores over one index space share one
    generic with several results; what one mask chooses, or what goes to the same places, shares a loop.

    Assumes a graph, whose symbols are declared before sizes use them. Guarantees that no quernel operation is left but checks and counts, that
    integers have no signs but in the `types` of the function and of statements, that what has no axes is a scalar in programs with control flow, and that no body loads an element that its array doesn't
    have, also where the value isn't used in the end: arrays that may be empty are asked in an `scf.if` on their sizes. Array statements carry a
    `#quernel.statement` in their locations, and the loops of reductions say in their schedules what they reduce.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::affine::AffineDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

#endif
