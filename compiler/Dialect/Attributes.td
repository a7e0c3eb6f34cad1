// What passes tell each other about functions, arguments and loops. Attributes.h has the access to it.
#ifndef QUERNEL_ATTRIBUTES
#define QUERNEL_ATTRIBUTES

include "QuernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Quernel_Enum<string name, string summary, list<EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::quernel";
}

def TurnOrder : Quernel_Enum<"TurnOrder", "in which order the turns of a loop may run", [
  I32EnumCase<"sequential", 0>,
  // Neighbouring turns may run side by side if all of their loads come before all of their stores.
  I32EnumCase<"lanes", 1>,
  // No element that one turn stores is loaded or stored in another.
  I32EnumCase<"parallel", 2>,
  // The same; a turn may also call libraries and keep arrays of its own. Threads share the turns in the program itself.
  I32EnumCase<"tasks", 3>]>;

def VectorForm : Quernel_Enum<"VectorForm", "how a loop becomes vectors", [
  I32EnumCase<"none", 0>,
  // Each lane has an accumulator of its own.
  I32EnumCase<"lanes", 1>,
  // Each lane is another turn.
  I32EnumCase<"parallel", 2>]>;

def ReductionKind : Quernel_Enum<"ReductionKind", "what a loop does with a value that it carries", [
  I32EnumCase<"sum", 0>, I32EnumCase<"prod", 1>, I32EnumCase<"any", 2>, I32EnumCase<"all", 3>,
  I32EnumCase<"min", 4>, I32EnumCase<"max", 5>, I32EnumCase<"argmin", 6>, I32EnumCase<"argmax", 7>,
  // The same without signs.
  I32EnumCase<"umin", 8>, I32EnumCase<"umax", 9>, I32EnumCase<"uargmin", 10>, I32EnumCase<"uargmax", 11>,
  // Where the best value was, which is the carried value before this one.
  I32EnumCase<"index", 12>,
  // `any`, `all` and this one are of bools, and of the bits of integers.
  I32EnumCase<"parity", 13, "xor">]>;

def FunctionRole : Quernel_Enum<"FunctionRole", "what a function is to the program", [
  // Arrays in, arrays out; the last results are what the arguments of `updates` hold in the end.
  I32EnumCase<"graph", 0>,
  // Has the kernel ABI: symbols and strides, pointers to inputs, pointers to outputs.
  I32EnumCase<"program", 1>,
  // A nest of loops over plain pointers, called by a program.
  I32EnumCase<"kernel", 2>,
  // Symbols in, every dimension of every output out.
  I32EnumCase<"shapes", 3>,
  // The declaration of what the runtime's libraries compute.
  I32EnumCase<"library", 4>,
  // The declaration of what a text of the user's computes; it has the kernel ABI.
  I32EnumCase<"user", 5>]>;

def ArgumentKind : Quernel_Enum<"ArgumentKind", "what an argument is", [
  I32EnumCase<"array", 0>,
  // A number that is handed over by value.
  I32EnumCase<"scalar", 1>,
  // A size of the program's arrays, at least 2.
  I32EnumCase<"symbol", 2>]>;

def ArrayLayout : Quernel_Enum<"ArrayLayout", "where an array's elements are", [
  I32EnumCase<"contiguous", 0>, I32EnumCase<"strided", 1>]>;

class Quernel_Attr<string name, string mnemonic_> : AttrDef<Quernel_Dialect, name> {
  let mnemonic = mnemonic_;
}

def ScheduleAttr : Quernel_Attr<"Schedule", "schedule"> {
  let summary = "how a loop may run, and what was decided about it";
  let description = [{
    Fields that aren't there have their default. `maybe_empty`: it isn't proven that the loop has a turn, so nothing may be loaded before it
    that its body would load. `polled`: it may run for long, so the program asks in it whether the user wants to stop. `rolled`: a C++ compiler
    must not unroll it. `outlined`: the nest becomes one serial kernel. `in_order`: a sum of few terms, which every form of the loop adds one after the other. `grain`: the least trip count that is worth a second thread.
    `reduce`: what the loop does with each value that it carries.

    ```mlir
    scf.for … {quernel.schedule = #quernel.schedule<parallel, maybe_empty>}
    scf.for … iter_args(…) {quernel.schedule = #quernel.schedule<vector = lanes, reduce = [sum, argmin, index]>}
    scf.parallel … {quernel.schedule = #quernel.schedule<grain = 64>}
    ```
  }];
  let parameters = (ins "::quernel::TurnOrder":$order, "::quernel::VectorForm":$vector, "bool":$maybeEmpty, "bool":$polled,
                        "bool":$rolled, "bool":$outlined, "bool":$inOrder, "int64_t":$grain,
                        ArrayRefParameter<"::quernel::ReductionKind">:$reduces);
  let hasCustomAssemblyFormat = 1;
}

def TargetAttr : Quernel_Attr<"Target", "target"> {
  let summary = "the machine that a module is compiled for; TargetInfo.h says what the fields are";
  let description = [{
    ```mlir
    module attributes {quernel.target = #quernel.target<cpu, vector_bytes = 32, fma, cache = 524288, last_cache = 2097152, fork = 65536, round_trip = 12>}
    ```
  }];
  let parameters = (ins "::quernel::TargetKind":$kind, "int64_t":$vectorBytes, "bool":$fma, "int64_t":$cacheBytes, "int64_t":$lastCacheBytes, "int64_t":$fork,
                        "int64_t":$roundTrip, "int64_t":$multiprocessors, "int64_t":$sharedBytes, "int64_t":$registers);
  let extraClassDeclaration = [{
    ::quernel::TargetInfo info() const;
    static TargetAttr of(::mlir::MLIRContext *context, const ::quernel::TargetInfo &target);
  }];
  let hasCustomAssemblyFormat = 1;
}

def StatementAttr : Quernel_Attr<"Statement", "statement"> {
  let summary = "what an array statement of the user's computes";
  let description = [{
    The metadata of a fused location, and of the kernels that come from it. `types` are those of what it computes, where kernels don't have
    the sign of one, or may not have the sizes. Statements of one `sweep` follow each other and go through the rows of the same arrays; one loop
    over these rows may hold them all. `decisions` are sentences about what was stored, with the costs that were compared.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::ArrayAttr":$ops, OptionalParameter<"::mlir::ArrayAttr">:$types,
                        OptionalParameter<"::mlir::IntegerAttr">:$sweep, OptionalParameter<"::mlir::ArrayAttr">:$decisions);
  let builders = [AttrBuilder<(ins "::mlir::StringAttr":$name, "::mlir::ArrayAttr":$ops, CArg<"::mlir::ArrayAttr", "{}">:$decisions),
                              [{ return $_get($_ctxt, name, ops, nullptr, nullptr, decisions); }]>];
  let assemblyFormat = "`<` struct(params) `>`";
}

def WorkAttr : Quernel_Attr<"Work", "work"> {
  let summary = "what one run of a kernel moves and computes, as its loops say";
  let description = [{
    Elements that turns of a loop read again count once, unless the kernel writes to their array. Of a branch the side with more
    operations counts, and what both sides touch. Where a loop's number
    of turns isn't known it counts as 1024, and `assumed` says of how many loops that is so.
  }];
  let parameters = (ins "int64_t":$bytes_read, "int64_t":$bytes_written, "int64_t":$operations, "int64_t":$assumed);
  let assemblyFormat = "`<` struct(params) `>`";
}

def FunctionAttr : Quernel_Attr<"Function", "function"> {
  let summary = "what a function is to the program, and what is known of a kernel";
  let description = [{
    `updates` are the arguments that a graph writes, `types` those of its results, where kernels don't have the sign of one, or may not have the sizes. A kernel has the user's `lines`, the `source` of each where it is known, the `statement` that
    it computes, which a mere copy doesn't have, and the `work` of one run. A kernel of a device is launched with `block` threads in a block at most; 0 where that isn't said.

    ```mlir
    func.func @f(…) attributes {quernel.function = #quernel.function<graph, updates = [0]>}
    func.func private @f_sum(…) attributes {quernel.function = #quernel.function<kernel, lines = ["f.py:6"], block = 256>}
    ```
  }];
  let parameters = (ins "::quernel::FunctionRole":$role, ArrayRefParameter<"int64_t">:$updates,
                        OptionalParameter<"::mlir::ArrayAttr">:$lines, OptionalParameter<"::mlir::ArrayAttr">:$source,
                        OptionalParameter<"::quernel::StatementAttr">:$statement, OptionalParameter<"::quernel::WorkAttr">:$work,
                        OptionalParameter<"::mlir::ArrayAttr">:$types, "int64_t":$block);
  let builders = [AttrBuilder<(ins "::quernel::FunctionRole":$role, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$updates),
                              [{ return $_get($_ctxt, role, updates, nullptr, nullptr, nullptr, nullptr, nullptr, 0); }]>,
                  AttrBuilder<(ins "::quernel::FunctionRole":$role, "::llvm::ArrayRef<int64_t>":$updates, "::mlir::ArrayAttr":$lines, "::mlir::ArrayAttr":$source,
                                   "::quernel::StatementAttr":$statement, "::quernel::WorkAttr":$work, "::mlir::ArrayAttr":$types),
                              [{ return $_get($_ctxt, role, updates, lines, source, statement, work, types, 0); }]>];
  let extraClassDeclaration = [{
    /// The same with blocks of so many threads.
    FunctionAttr withBlock(int64_t threads) const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def ArgumentAttr : Quernel_Attr<"Argument", "argument"> {
  let summary = "what is known of a function's argument";
  let description = [{
    `shape` has the sizes of a graph's array over the function's symbols. Nobody writes to a `readonly` array. `output` is the type, with
    signs, of the result that a program stores there, until the program looks for its memory. A symbol is at least 2, where it isn't of `any_size`.

    ```mlir
    %x: tensor<?x2xf64> {quernel.argument = #quernel.argument<"x", strided, shape = affine_map<()[n0] -> (n0, 2)>>}
    %x: memref<?xf64> {quernel.argument = #quernel.argument<"x", readonly>}
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$name, "::quernel::ArgumentKind":$kind,
                        "::quernel::ArrayLayout":$layout, "bool":$readonly, OptionalParameter<"::mlir::AffineMapAttr">:$shape,
                        OptionalParameter<"::mlir::TypeAttr">:$output, "bool":$anySize);
  let hasCustomAssemblyFormat = 1;
}

def AxesAttr : Quernel_Attr<"Axes", "axes"> {
  let summary = "what each axis of a library call's iteration space is";
  let description = [{
    A character for each axis: a letter of the routine's signature, or `*` for an axis of the batch. A letter that is missing is a size of 1.

    ```mlir
    linalg.generic {..., library_call = "qn_matmul_f64"} ... attrs = {quernel.axes = #quernel.axes<"*ikj">}
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$letters);
  let assemblyFormat = "`<` $letters `>`";
}

#endif
