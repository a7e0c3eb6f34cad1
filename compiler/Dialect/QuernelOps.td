#ifndef QUERNEL_OPS
#define QUERNEL_OPS

include "Ufuncs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

class Quernel_ShapedOp<string mnemonic, list<Trait> traits = []>
    : Quernel_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<ShapeRuleOpInterface>], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

class Quernel_ViewOp<string mnemonic, string text, list<Trait> traits = []> : Quernel_ShapedOp<mnemonic, traits> {
  let summary = text;
  let results = (outs AnyRankedTensor:$result);
}

// Elementwise operations that aren't ufuncs

def CastOp : Quernel_ShapedOp<"cast", [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "converts to another dtype, as `astype` does";
  let arguments = (ins AnyRankedTensor:$x, TypeAttr:$dtype);
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
}

def BitcastOp : Quernel_ShapedOp<"bitcast", [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "the bytes of elements as those of another dtype of the same size, as `view` shows them";
  let arguments = (ins AnyRankedTensor:$x, TypeAttr:$dtype);
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
}

def WhereOp : Quernel_ShapedOp<"where", [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "`np.where(condition, x, y)`";
  let arguments = (ins AnyRankedTensor:$condition, AnyRankedTensor:$x, AnyRankedTensor:$y);
  let results = (outs AnyRankedTensor:$result);
}

// Reductions

def ReduceOp : Quernel_ShapedOp<"reduce"> {
  let summary = "reduces some axes by a combiner of Ufuncs.td";
  let description = [{
    The reduced axes disappear. With `chunk = B` the first reduced axis is cut into pieces of B elements and each piece gives one
    element along a new leading axis of `ceil(n / B)`; a second reduction over that axis finishes the work. The pieces depend on the shape
    alone, so the result doesn't depend on the number of threads.
  }];
  let arguments = (ins AnyRankedTensor:$x, StrAttr:$kind, DenseI64ArrayAttr:$axes, OptionalAttr<I64Attr>:$chunk);
  let results = (outs AnyRankedTensor:$result);
}

def ArgReduceOp : Quernel_ShapedOp<"argreduce"> {
  let summary = "index of the first minimum or maximum along an axis";
  let description = [{
    Gives the best value and its index; NaN wins, as in NumPy. With `payload` the index comes from there instead of the position, which
    is how the pieces of a `chunk`ed search are combined.
  }];
  let arguments = (ins AnyRankedTensor:$x, Optional<AnyRankedTensor>:$payload, StrAttr:$kind, I64Attr:$axis, OptionalAttr<I64Attr>:$chunk);
  let results = (outs AnyRankedTensor:$value, AnyRankedTensor:$index);
}

// Views: index arithmetic, no data moves

def ReshapeOp : Quernel_ViewOp<"reshape", "the same elements, in C order, under another shape"> {
  let description = [{
    Where the sizes don't prove that both shapes have as many elements, a check before it has seen to that.
  }];
  let arguments = (ins AnyRankedTensor:$x, AffineMapAttr:$shape);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TransposeOp : Quernel_ViewOp<"transpose", "permutes the axes: result axis i is operand axis permutation[i]"> {
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$permutation);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def BroadcastToOp : Quernel_ViewOp<"broadcast_to", "repeats axes of size 1, adds leading axes"> {
  let arguments = (ins AnyRankedTensor:$x, AffineMapAttr:$shape);
  let hasFolder = 1;
}

def SliceOp : Quernel_ViewOp<"slice", "result[i] = x[offset + i * stride] on every axis; strides may be negative"> {
  let arguments = (ins AnyRankedTensor:$x, AffineMapAttr:$offsets, AffineMapAttr:$sizes, AffineMapAttr:$strides);
  let hasFolder = 1;
}

def ConcatenateOp : Quernel_ViewOp<"concatenate", "joins arrays along an axis"> {
  let arguments = (ins Variadic<AnyRankedTensor>:$arrays, I64Attr:$axis);
}

// Creation

def FullOp : Quernel_ViewOp<"full", "one scalar everywhere"> {
  let arguments = (ins AnyRankedTensor:$value, AffineMapAttr:$shape);
}

// Every one is an array of its own, so no two of them may be joined.
def EmptyOp : Quernel_Op<"empty", [MemoryEffects<[MemAlloc]>, DeclareOpInterfaceMethods<ShapeRuleOpInterface>]> {
  let summary = "elements that nobody has written yet";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let results = (outs AnyRankedTensor:$result);
  let arguments = (ins AffineMapAttr:$shape, TypeAttr:$dtype);
}

def IotaOp : Quernel_ViewOp<"iota", "the index along an axis"> {
  let arguments = (ins AffineMapAttr:$shape, I64Attr:$axis, TypeAttr:$dtype);
}

def DimOp : Quernel_ViewOp<"dim", "a size of the program, as an int64 scalar"> {
  let arguments = (ins AffineMapAttr:$dim);
}

def ConstantOp : Quernel_ViewOp<"constant", "a constant array", [ConstantLike]> {
  let arguments = (ins ElementsAttr:$value);
  let hasFolder = 1;
}

// Indexing by arrays

def GatherOp : Quernel_ViewOp<"gather", "elements of `x` at index arrays along some axes"> {
  let description = [{
    `result[s, r] = x[…, indices[k][s] at axes[k], …]`: the indices' common shape comes first, then the axes of `x` that aren't indexed. The
    indices are int64 and inside; normalising negative ones and checking the bounds is the business of whoever builds the operation.
  }];
  let arguments = (ins AnyRankedTensor:$x, Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$axes);
}

def ScatterOp : Quernel_ViewOp<"scatter", "`base` with the elements at index arrays replaced, or combined with values"> {
  let description = [{
    The last duplicate wins with `kind = "set"`, in C order of the indices. The combiners of Ufuncs.td (`"sum"`, `"prod"`, …) combine, in an order that follows from
    the sizes alone. `value` has the shape that a gather would give.
  }];
  let arguments = (ins AnyRankedTensor:$base, AnyRankedTensor:$value, Variadic<AnyRankedTensor>:$indices,
                       DenseI64ArrayAttr:$axes, StrAttr:$kind);
}

def CompressOp : Quernel_ViewOp<"compress", "the elements of `x` where `mask` is true, in C order"> {
  let description = [{ `mask` has the leading axes of `x`; `size` is a symbol of the program: the number of true elements. }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$mask, AffineMapAttr:$size);
}

def ScanOp : Quernel_ViewOp<"scan", "running reduction along an axis, in order, by a combiner of Ufuncs.td"> {
  let arguments = (ins AnyRankedTensor:$x, StrAttr:$kind, I64Attr:$axis);
}

// Control flow. Loops and branches are upstream scf operations on tensors; scalars are tensors without axes.

def SymbolOp : Quernel_Op<"symbol"> {
  let summary = "makes an index or an int64 scalar a symbol of the sizes below";
  let description = [{
    Symbols are the variables of affine sizes. The first ones are the function's `index` arguments; loop counters and sizes that depend on data
    are numbered after them.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      quernel.symbol %i {number = 1 : i64} : index
      %row = quernel.slice %x {offsets = affine_map<()[s0, s1] -> (s1, 0)>, …} : (tensor<?x?xf64>) -> tensor<1x?xf64>
    ```
  }];
  let arguments = (ins AnyType:$value, I64Attr:$number, OptionalAttr<AffineMapAttr>:$lower, OptionalAttr<AffineMapAttr>:$upper);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def SizeOp : Quernel_Op<"size", [Pure]> {
  let summary = "an affine expression over the symbols, as an index";
  let arguments = (ins AffineMapAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def AssumeShapeOp : Quernel_ViewOp<"assume_shape", "the same array; names the sizes that a loop or branch hands over"> {
  let arguments = (ins AnyRankedTensor:$x, AffineMapAttr:$shape);
}

def EnterOp : Quernel_ViewOp<"enter", "an array as it is at the head of a loop or branch under construction"> {
  let arguments = (ins AnyRankedTensor:$x);
}

def CopyOp : Quernel_ViewOp<"copy", "the same elements as an array of its own"> {
  let arguments = (ins AnyRankedTensor:$x);
  let hasFolder = 1;
}

def CheckOp : Quernel_Op<"check", [AttrSizedOperandSegments]> {
  let summary = "ends the program with an exception where the condition is false";
  let description = [{
    `{0}`, `{1}` in the message stand for the values. `state` is what the function's written arguments hold by then, in the order of
    `quernel.updates` (while the function is built: pairs of an argument and what it holds); `memory` is the caller's memory of each.
  }];
  let arguments = (ins AnyType:$ok, Variadic<AnyType>:$values, Variadic<AnyType>:$state, Variadic<AnyMemRef>:$memory, StrAttr:$exception,
                       StrAttr:$message);
  let assemblyFormat = [{
    $ok (`,` $values^)? (`state` $state^)? (`in` $memory^)? attr-dict `:`
    type($ok) (`,` type($values)^)? (`state` type($state)^)? (`in` type($memory)^)?
  }];
  let hasVerifier = 1;
}

def CountOp : Quernel_Op<"count", [Pure]> {
  let summary = "the product of sizes, or the greatest index where it doesn't fit";
  let description = [{ Sizes that are negative count as they are. Memory is never asked for by a product that has wrapped. }];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs Index:$result);
  let assemblyFormat = "`(` $sizes `)` attr-dict";
  let hasFolder = 1;
}

def DivisorOp : Quernel_Op<"divisor", [Pure]> {
  let summary = "the divisor; the processor's flags tell where NumPy warns of the quotient";
  let description = [{
    A zero sets the flag of divisions by zero, and the least integer over -1 that of overflows where the dividend is given. Integers with
    and without signs have one type here: without signs there is no dividend.
  }];
  let arguments = (ins SignlessIntegerLike:$divisor, Variadic<SignlessIntegerLike>:$dividend);
  let results = (outs SignlessIntegerLike:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def AllocatedOp : Quernel_Op<"allocated"> {
  let summary = "ends the program with NumPy's MemoryError or ValueError where an allocation has no memory";
  let description = [{
    Stands in the block of the allocation, before anything reads or writes it. The shape and the dtype are those of the array that the
    user would have been told of.
  }];
  let arguments = (ins AnyMemRef:$memory, Variadic<Index>:$shape, StrAttr:$dtype);
  let assemblyFormat = "$memory `(` $shape `)` attr-dict `:` type($memory)";
}

def HandOverOp : Quernel_Op<"hand_over", [DeclareOpInterfaceMethods<ShapeRuleOpInterface>]> {
  let summary = "gives the caller the memory of an array whose sizes only the run says: its address, as an int64 scalar";
  let arguments = (ins AnyRankedTensor:$array);
  let results = (outs AnyRankedTensor:$address);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def AddressOp : Quernel_Op<"address"> {
  let summary = "the address of an array's memory, which nothing else has, and which the caller takes over";
  let description = [{
    What `hand_over` becomes. Stands at the end of the program, where all arrays have their elements. A program that ends with an error keeps
    the memory.
  }];
  let arguments = (ins AnyShaped:$array);
  let results = (outs I64:$address);
  let assemblyFormat = "$array attr-dict `:` type($array)";
  let hasVerifier = 1;
}

// Programs for a device

def LaunchOp : Quernel_Op<"launch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel on the device, behind all that was asked of it before";
  let description = [{
    `turns` are those of the kernel's grid along x, y and z, as many as it has axes; those along x count once for each lane that shares a turn. A kernel whose grid shares none
    has one. A block has `block` threads at most, which the axes share at the launch as their turns ask for, and `shared` bytes of memory besides what the kernel declares. Where an axis has no turn nothing runs.
    Where `worker` says how many threads a worker has, a block has one turn, and more workers the fewer turns there are.

    ```mlir
    quernel.launch @f_add(%x, %out, %n, %m) turns %m, %n block 256 : memref<?xf64>, memref<?xf64>, index, index
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$arguments, Variadic<Index>:$turns, FlatSymbolRefAttr:$kernel, I64Attr:$block, DefaultValuedAttr<I64Attr, "0">:$shared,
                       DefaultValuedAttr<I64Attr, "0">:$worker);
  let assemblyFormat = "$kernel `(` $arguments `)` `turns` $turns `block` $block (`worker` $worker^)? (`shared` $shared^)? attr-dict (`:` type($arguments)^)?";
  let hasVerifier = 1;
}

def ReadOp : Quernel_Op<"read", [TypesMatchWith<"the result is an element", "memory", "result", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "an element of an array in the device's memory, when all that was asked of the device before is done";
  let arguments = (ins MemRefRankOf<[AnyType], [1]>:$memory, Index:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$memory `[` $index `]` attr-dict `:` type($memory)";
}

def WriteOp : Quernel_Op<"write", [TypesMatchWith<"the value is an element", "memory", "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "stores a number of the program in an array in the device's memory";
  let arguments = (ins AnyType:$value, MemRefRankOf<[AnyType], [1]>:$memory, Index:$index);
  let assemblyFormat = "$value `,` $memory `[` $index `]` attr-dict `:` type($memory)";
}

def RepeatOp : Quernel_Op<"repeat", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a loop of a device's program of which the device says when it ends";
  let description = [{
    Asks for what `test` has, and then, as long as the element of `goes_on` holds when all of that is done, for what `turn` and `test` have. The program asks for the same in
    each turn, whatever the turns compute: launches with the same grids and arguments. So the device can repeat them by itself. What turns hand on lies in the device's memory.

    ```mlir
    quernel.repeat %goes_on test {
      quernel.launch @f_is_large(%x, %goes_on) turns %c1 block 1 : memref<?xf64>, memref<1xi1>
    } turn {
      quernel.launch @f_halve(%x, %n) turns %n block 256 : memref<?xf64>, index
    } : memref<1xi1>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I1], [1]>:$goesOn);
  let regions = (region SizedRegion<1>:$test, SizedRegion<1>:$turn);
  let assemblyFormat = "$goesOn `test` $test `turn` $turn attr-dict `:` type($goesOn)";
  let hasRegionVerifier = 1;
}

// Packs: elements of turns beside each other, which a thread loads or stores at once

def PackTurnsOp : Quernel_Op<"pack_turns", [Pure, SameVariadicOperandSize]> {
  let summary = "how many of the first turns of a loop packs can take";
  let description = [{
    The greatest multiple of `lanes` that is at most `turns`, or 0 where an element of the arrays doesn't lie where a pack of so many of its kind may begin: at a multiple of their bytes. `widths` says for each array how many elements are copied at once, where these aren't `lanes`, as turns have several elements.

    ```mlir
    %whole = quernel.pack_turns %n by 4 of %x, %out at %first, %c0 : memref<?xf32>, memref<?xf32>
    ```
  }];
  let arguments = (ins Index:$turns, I64Attr:$lanes, OptionalAttr<DenseI64ArrayAttr>:$widths, Variadic<MemRefRankOf<[AnyType], [1]>>:$arrays, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "$turns `by` $lanes (`widths` $widths^)? `of` $arrays `at` $indices attr-dict `:` type($arrays)";
  let hasVerifier = 1;
}

def CopyPackOp : Quernel_Op<"copy_pack"> {
  let summary = "copies a pack of elements between an array and a thread's own memory at once";
  let description = [{
    The pack begins where `pack_turns` allows it.

    ```mlir
    quernel.copy_pack 4 of %x[%i] to %pack[%c0] : memref<?xf32> to memref<4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$lanes, Arg<MemRefRankOf<[AnyType], [1]>, "", [MemRead]>:$from, Index:$fromIndex,
                       Arg<MemRefRankOf<[AnyType], [1]>, "", [MemWrite]>:$to, Index:$toIndex);
  let assemblyFormat = "$lanes `of` $from `[` $fromIndex `]` `to` $to `[` $toIndex `]` attr-dict `:` type($from) `to` type($to)";
  let hasVerifier = 1;
}

// Lanes: threads of a device's kernel that compute one turn of the grid together

def LaneOp : Quernel_Op<"lane", [Pure]> {
  let summary = "which of the threads that share a turn of the grid this one is";
  let description = [{
    All of a kernel's lanes are as many: a power of two, at most 32. Neighbours among threads share a turn. All lanes of a turn come to the same
    operations of the next three kinds, in the same order.
  }];
  let arguments = (ins I64Attr:$lanes);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $lanes attr-dict";
  let hasVerifier = 1;
}

def LaneValueOp : Quernel_Op<"lane_value", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value that one lane has, in all lanes";
  let arguments = (ins AnyType:$value, I64Attr:$lane, I64Attr:$lanes);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `at` $lane `of` $lanes attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def LaneBehindOp : Quernel_Op<"lane_behind", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value that the lane has which is so far behind this one; anything where there is none";
  let arguments = (ins AnyType:$value, I64Attr:$distance, I64Attr:$lanes);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `by` $distance `of` $lanes attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def JoinLanesOp : Quernel_Op<"join_lanes"> {
  let summary = "lanes wait for each other, and see what the others have stored";
  let arguments = (ins I64Attr:$lanes);
  let assemblyFormat = "`of` $lanes attr-dict";
  let hasVerifier = 1;
}

// Workers: parts of a block that compute one turn of the grid together, each with its lanes

def WorkerOp : Quernel_Op<"worker", [Pure]> {
  let summary = "which of the workers that share a turn of the grid this thread belongs to, and how many there are";
  let description = [{
    A block has one turn at a time, and as many workers of `lanes` threads as the launch gives it, at most `most`.

    ```mlir
    %worker, %workers = quernel.worker of 32 most 16
    ```
  }];
  let arguments = (ins I64Attr:$lanes, I64Attr:$most);
  let results = (outs Index:$worker, Index:$workers);
  let assemblyFormat = "`of` $lanes `most` $most attr-dict";
  let hasVerifier = 1;
}

def BarrierOp : Quernel_Op<"barrier"> {
  let summary = "all threads of a block wait for each other, and see what the others have stored";
  let description = [{
    Stands in no branch, since all threads have to come to it.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

// Library calls and stores

def RoutineOp : Quernel_ShapedOp<"routine"> {
  let summary = "a routine of a library, of those that Routines.h has, for each problem of a batch";
  let description = [{
    The routine's axes follow each other from `axis` on, in every array that has some; the others are those of the batch. `sizes` are those of axes that only
    outputs have, in the order of their letters. No routine ends the program: one that may fail says so by its last result.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$arrays, StrAttr:$kind, I64Attr:$axis, AffineMapAttr:$sizes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

def UserCallOp : Quernel_ShapedOp<"user_call"> {
  let summary = "a function of the user's own text, which has the kernel ABI";
  let description = [{
    The last `written` arrays are what the function writes: their new values are the first results. The other results have the dtypes of
    `dtypes`, and as many axes as `ranks` says, whose sizes follow each other in `shapes`. The function gets `sizes`, and pointers to
    the arrays and to these results. Equal calls give equal results, so they may be shared.

    ```mlir
    %0 = quernel.user_call %a, %x {callee = "scaled_ab12", written = 0 : i64, sizes = affine_map<()[s0] -> (s0)>, ranks = array<i64: 1>,
                                   shapes = affine_map<()[s0] -> (s0)>, dtypes = [f64]} : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$arrays, StrAttr:$callee, I64Attr:$written, AffineMapAttr:$sizes, DenseI64ArrayAttr:$ranks,
                       AffineMapAttr:$shapes, TypeArrayAttr:$dtypes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

def MatmulOp : Quernel_ViewOp<"matmul", "`np.matmul`: matrix product with broadcast leading axes"> {
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b);
}

def UpdateSliceOp : Quernel_ViewOp<"update_slice", "`base` with one region replaced by `value`"> {
  let description = [{ The value form of `base[region] = value`. CoalesceBuffers writes in place where the old base isn't needed any more. }];
  let arguments = (ins AnyRankedTensor:$base, AnyRankedTensor:$value, AffineMapAttr:$offsets, AffineMapAttr:$sizes, AffineMapAttr:$strides);
  let hasFolder = 1;
}

#endif
