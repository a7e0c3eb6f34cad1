// Stores that aren't plain kernels: library calls, updates in place and scans.
#include "compiler/Transforms/KernelFormer.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace quernel;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// The array that a product reads, as a view of a stored one where it can be.
Value KernelFormer::viewOf(const MatmulOperand &operand) {
  Value source = tensorOf(operand.source);
  SliceOp slice = operand.slice;
  if (!operand.joined.empty())
    return tensor::CollapseShapeOp::create(builder, operand.source.getLoc(), source, operand.joined);
  if (!slice)
    return source;
  SmallVector<OpFoldResult> offsets, extents, strides;
  SmallVector<int64_t> kept;
  auto fold = [&](Dim dim) { return sizes.folded(builder, slice.getLoc(), dim); };
  for (auto [offset, size, stride] : llvm::zip_equal(slice.getOffsets().getResults(), slice.getSizes().getResults(),
                                                     slice.getStrides().getResults())) {
    // A part without elements begins where there is an element.
    offsets.push_back(constantDim(size) == 0 ? OpFoldResult(builder.getIndexAttr(0)) : fold(offset));
    extents.push_back(fold(size));
    strides.push_back(fold(stride));
    if (constantDim(size) != 1 || !operand.dropsUnitAxes)
      kept.push_back(constantDim(size).value_or(ShapedType::kDynamic));
  }
  auto type = RankedTensorType::get(kept, elementOf(operand.source));
  return tensor::ExtractSliceOp::create(builder, slice.getLoc(), type, source, offsets, extents, strides);
}

/// A product has its batch axes first, then rows `i` and columns `k` as far as its operands are matrices, then `j`,
/// which is summed.
void KernelFormer::storeMatmul(MatmulOp op) {
  Location loc = op.getLoc();
  ArrayRef<Dim> shape = shapes.shape(op.getResult());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  struct Operand {
    Value tensor;
    SmallVector<int64_t> permutation;
  };
  auto operandOf = [&](unsigned side) -> Operand {
    MatmulOperand operand(op, side, shapes);
    return {viewOf(operand), operand.permutation};
  };
  Operand a = operandOf(0), b = operandOf(1);
  const size_t rankA = a.permutation.size(), rankB = b.permutation.size();
  const size_t batches = std::max<size_t>({rankA, rankB, 2}) - 2;
  std::string axes(batches, '*');
  auto position = [&](char axis) -> AffineExpr { return builder.getAffineDimExpr(axes.find(axis)); };
  if (rankA > 1)
    axes.push_back('i');
  if (rankB > 1)
    axes.push_back('k');
  if (axes.empty()) // a stored scalar has one axis
    axes.push_back('*');
  auto out = llvm::map_to_vector(llvm::seq<size_t>(0, axes.size()),
                                 [&](size_t axis) { return builder.getAffineDimExpr(axis); });
  axes.push_back('j');
  auto mapOf = [&](const Operand &operand, Value value, char row, char column, bool vectorIsColumn) {
    const size_t rank = operand.permutation.size();
    SmallVector<AffineExpr> exprs, inMemory(cast<RankedTensorType>(operand.tensor.getType()).getRank());
    for (size_t axis = 0; axis + 2 < rank; ++axis)
      exprs.push_back(constantDim(shapes.shape(value)[axis]) == 1
                          ? builder.getAffineConstantExpr(0)
                          : builder.getAffineDimExpr(batches + 2 - rank + axis));
    if (rank == 1)
      exprs.push_back(position(vectorIsColumn ? row : column));
    else
      exprs.append({position(row), position(column)});
    for (auto [axis, expr] : llvm::zip_equal(operand.permutation, exprs))
      if (axis >= 0)
        inMemory[axis] = expr;
    return AffineMap::get(axes.size(), 0, inMemory, builder.getContext());
  };
  SmallVector<AffineMap> maps{mapOf(a, op.getA(), 'i', 'j', false), mapOf(b, op.getB(), 'j', 'k', true),
                              AffineMap::get(axes.size(), 0, out, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(axes.size(), utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value output = empty(loc, shape, element, false);
  // The body says what the library computes per element; the library call replaces the whole operation.
  auto generic =
      linalg::GenericOp::create(builder, describe(op.getResult()), output.getType(), ValueRange{a.tensor, b.tensor},
                                ValueRange(output), maps, iterators, [&](OpBuilder &inner, Location, ValueRange x) {
                                  linalg::YieldOp::create(inner, loc, ScalarBuilder(inner, loc).mul(x[0], x[1]));
                                });
  generic.setLibraryCall(RoutineFunction::nameOf("matmul", element));
  setAxes(generic, axes);
  stored[op.getResult()] = {generic.getResult(0)};
}

void KernelFormer::storePieces(ConcatenateOp op) {
  Location loc = op.getLoc();
  Value joined = unwritten(loc, shapes.shape(op.getResult()), elementOf(op.getResult()));
  Dim at = builder.getAffineConstantExpr(0);
  auto fold = [&](Dim dim) { return sizes.folded(builder, loc, dim); };
  for (Value piece : op.getArrays()) {
    ArrayRef<Dim> shape = shapes.shape(piece);
    if (llvm::any_of(shape, [](Dim size) { return constantDim(size) == 0; }))
      continue;
    SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
        strides(shape.size(), builder.getIndexAttr(1));
    offsets[op.getAxis()] = fold(at);
    Value part = stored.count(piece) ? tensorOf(piece) : makeGeneric(shape, piece, false).getResult(0);
    joined =
        tensor::InsertSliceOp::create(builder, loc, part, joined, offsets, llvm::map_to_vector(shape, fold), strides);
    at = at + shape[op.getAxis()];
  }
  stored[op.getResult()] = {joined};
}

void KernelFormer::storeUpdate(UpdateSliceOp op) {
  bool isSingle = llvm::all_of(op.getSizes().getResults(), [](Dim size) { return constantDim(size) == 1; });
  if (hasControlFlow && isSingle && op.getSizes().getNumResults() > 0)
    return storeElement(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets, extents, strides;
  SmallVector<bool> reversed;
  Shape region(op.getSizes().getResults());
  auto fold = [&](Dim dim) { return sizes.folded(builder, loc, dim); };
  for (auto [offset, size, stride] :
       llvm::zip_equal(op.getOffsets().getResults(), op.getSizes().getResults(), op.getStrides().getResults())) {
    int64_t step = constantDim(stride).value_or(1);
    reversed.push_back(step < 0);
    offsets.push_back(fold(step < 0 ? offset + (size - 1) * step : offset));
    extents.push_back(fold(size));
    strides.push_back(builder.getIndexAttr(std::abs(step)));
  }
  Value value = op.getValue();
  if (stored.count(value) && op.getBase().getDefiningOp<EmptyOp>() && shapes.shape(value) == ArrayRef(region) &&
      !llvm::is_contained(reversed, true)) { // it may be made in its place
    stored[op.getResult()] = {tensor::InsertSliceOp::create(builder, describe(op.getResult()), tensorOf(value),
                                                            tensorOf(op.getBase()), offsets, extents, strides)};
    return;
  }
  Value output = empty(loc, region, cast<RankedTensorType>(value.getType()).getElementType(), false);
  int64_t rank = region.size();
  int64_t valueRank = shapes.shape(value).size();
  auto generic = linalg::GenericOp::create(
      builder, describe(op.getResult()), output.getType(), ValueRange(), output,
      builder.getMultiDimIdentityMap(std::max<int64_t>(rank, 1)),
      SmallVector<utils::IteratorType>(std::max<int64_t>(rank, 1), utils::IteratorType::parallel), nullptr);
  fillBody(generic, [&](OpBuilder &inner, IndexFunction &indexFunction) {
    SmallVector<Value> indices;
    for (int64_t axis = rank - valueRank; axis < rank; ++axis) {
      Dim extent = shapes.shape(value)[axis - (rank - valueRank)];
      Value i = linalg::IndexOp::create(inner, loc, axis);
      if (constantDim(extent) == 1)
        i = arith::ConstantIndexOp::create(inner, loc, 0);
      else if (reversed[axis])
        i = arith::SubIOp::create(inner, loc, indexFunction.size(loc, region[axis] - 1), i);
      indices.push_back(i);
    }
    return SmallVector<Value>{indexFunction.element(value, indices)};
  });
  Value base = tensorOf(op.getBase());
  if (rank == 0) {
    stored[op.getResult()] = {generic.getResult(0)};
    return;
  }
  Value updated = tensor::InsertSliceOp::create(builder, loc, generic.getResult(0), base, offsets, extents, strides);
  stored[op.getResult()] = {updated};
}

/// A single element of an array, in a program that has loops of its own.
void KernelFormer::storeElement(UpdateSliceOp op) {
  Location loc = op.getLoc();
  IndexFunction elements = here();
  Values zeros(shapes.shape(op.getValue()).size(), elements.size(loc, builder.getAffineConstantExpr(0)));
  Value scalar = elements.element(op.getValue(), zeros);
  Values position;
  for (Dim offset : op.getOffsets().getResults())
    position.push_back(sizes.value(builder, loc, offset));
  stored[op.getResult()] = {tensor::InsertOp::create(builder, loc, scalar, tensorOf(op.getBase()), position)};
}

IndexFunction KernelFormer::here() {
  return IndexFunction(shapes, sizes, stored, flatArguments, builder.getInsertionBlock());
}

KernelFormer::Values KernelFormer::loop(Location loc, Value lower, Value upper, Values carried, Nest &outer,
                                        function_ref<Values(Nest &)> build) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, one, carried);
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  outer.indices.push_back(loop.getInductionVar());
  outer.carried = Values(loop.getRegionIterArgs());
  Values next = build(outer);
  outer.indices.pop_back();
  scf::YieldOp::create(builder, loc, next);
  return Values(loop.getResults());
}

KernelFormer::Values KernelFormer::nest(Location loc, ArrayRef<Dim> space, Values carried, Nest &outer,
                                        function_ref<Values(Nest &)> build) {
  outer.carried = carried;
  if (space.empty())
    return build(outer);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return loop(loc, zero, sizes.value(builder, loc, space.front()), carried, outer,
              [&](Nest &inner) { return nest(loc, space.drop_front(), inner.carried, inner, build); });
}

void KernelFormer::storeScan(ScanOp op) {
  Location loc = op.getLoc();
  Type dtype = elementOf(op.getResult());
  Shape others(shapes.shape(op.getX()));
  Dim extent = others[op.getAxis()];
  others.erase(others.begin() + op.getAxis());
  Nest outer;
  Value output = unwritten(loc, shapes.shape(op.getResult()), dtype);
  ReductionKind kind = ScalarBuilder::loopKind(op.getKind(), dtype);
  Values result = nest(loc, others, {output}, outer, [&](Nest &lane) -> Values {
    Value start = ScalarBuilder(builder, loc, dtype).identity(kind, signless(dtype));
    Nest along;
    return {nest(loc, {extent}, {lane.carried[0], start}, along, [&](Nest &inner) -> Values {
      Values position(lane.indices);
      position.insert(position.begin() + op.getAxis(), inner.indices[0]);
      Value scalar = here().element(op.getX(), position);
      Value sofar = ScalarBuilder(builder, loc, dtype).combine(kind, inner.carried[1], scalar);
      return {tensor::InsertOp::create(builder, loc, sofar, inner.carried[0], position), sofar};
    })[0]};
  });
  stored[op.getResult()] = {result[0]};
}

/// The axes of what holds an operand of a routine, whose iteration space has the axes of the batch first, then the
/// routine's letters.
AffineMap KernelFormer::axesOf(RoutineOp op, const Routine &routine, StringRef letters, Value operand, Value holder) {
  const int64_t rank = shapes.shape(operand).size();
  if (rank == 0 && routine.takesNumbers())
    letters = "";
  SmallVector<char> all = routine.letters();
  const unsigned batch = routine.batchRank(shapes.shape(op.getArrays()[0]).size());
  SmallVector<AffineExpr> exprs, own;
  for (char letter : letters)
    own.push_back(builder.getAffineDimExpr(batch + (llvm::find(all, letter) - all.begin())));
  if (rank > static_cast<int64_t>(own.size())) // else all problems share it
    for (unsigned position = 0; position < batch; ++position)
      exprs.push_back(builder.getAffineDimExpr(position));
  exprs.insert(exprs.begin() + (exprs.empty() ? 0 : op.getAxis()), own.begin(), own.end());
  if (rank < cast<RankedTensorType>(holder.getType()).getRank()) // a number is stored in an array of one element
    exprs.push_back(builder.getAffineConstantExpr(0));
  return AffineMap::get(batch + all.size(), 0, exprs, builder.getContext());
}

/// Whether a value is an array that a caller handed to the program.
static bool isHandedOver(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  return function && argumentOf(function, argument.getArgNumber()).kind == ArgumentKind::array;
}

/// What holds an operand of a routine; of a number that no array holds, an array of one element.
Value KernelFormer::inMemory(Location loc, Value operand) {
  Value holder = tensorOf(operand);
  auto type = dyn_cast<RankedTensorType>(holder.getType());
  if (type && (type.getRank() > 0 || isHandedOver(holder)))
    return holder;
  Value number = here().element(operand, {});
  Value one = empty(loc, {getAffineConstantExpr(1, builder.getContext())}, elementOf(operand), false);
  return tensor::InsertOp::create(builder, loc, number, one,
                                  ValueRange{arith::ConstantIndexOp::create(builder, loc, 0)});
}

void KernelFormer::storeRoutine(RoutineOp op) {
  Location loc = op.getLoc();
  const Routine &routine = *findRoutine(op.getKind());
  Values inputs, outputs;
  SmallVector<AffineMap> maps;
  for (auto [array, operand] : llvm::zip_equal(op.getArrays(), routine.inputs)) {
    inputs.push_back(inMemory(loc, array));
    maps.push_back(axesOf(op, routine, operand.axes, array, inputs.back()));
  }
  for (auto [k, result] : llvm::enumerate(op->getResults())) {
    outputs.push_back(empty(loc, shapes.shape(result), elementOf(result), false));
    StringRef letters = k < routine.outputs.size() ? routine.outputs[k].axes : "";
    maps.push_back(axesOf(op, routine, letters, result, outputs.back()));
  }
  SmallVector<utils::IteratorType> iterators(maps[0].getNumDims(), utils::IteratorType::parallel);
  // The body says nothing of the routine; the library call replaces the whole operation.
  auto generic = linalg::GenericOp::create(builder, describe(op->getResult(0)), ValueRange(outputs).getTypes(), inputs,
                                           outputs, maps, iterators, [&](OpBuilder &inner, Location, ValueRange x) {
                                             linalg::YieldOp::create(inner, loc, x.take_back(outputs.size()));
                                           });
  generic.setLibraryCall(RoutineFunction::nameOf(op.getKind(), elementOf(op.getArrays()[0])));
  const llvm::SmallVector<char> letters = routine.letters();
  setAxes(generic,
          std::string(maps[0].getNumDims() - letters.size(), '*') + std::string(letters.begin(), letters.end()));
  for (auto [old, made] : llvm::zip_equal(op->getResults(), generic.getResults()))
    stored[old] = {made};
}

/// A number of a type of memory that says nothing.
static Value anyNumber(OpBuilder &builder, Location loc, Type element) {
  Type type = signless(element);
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  Attribute zero = builder.getZeroAttr(complex.getElementType());
  return complex::ConstantOp::create(builder, loc, type, builder.getArrayAttr({zero, zero}));
}

/// What a function of the user's reads: arrays, and numbers by their values, but for complex ones, which no program
/// has.
Value KernelFormer::handedOver(Location loc, Value operand) {
  const bool isArray = cast<RankedTensorType>(operand.getType()).getRank() > 0;
  return isArray || isa<ComplexType>(elementOf(operand)) ? inMemory(loc, operand) : here().element(operand, {});
}

/// The sizes come before all that the function reads and writes; each axis of an array is one of the iteration space.
/// The body gives what an array holds already where the function may read it, else anything.
void KernelFormer::storeUserCall(UserCallOp op) {
  Location loc = op.getLoc();
  const size_t written = op.getWritten();
  Values inputs, outputs;
  for (Dim size : op.getSizes().getResults())
    inputs.push_back(sizes.value(builder, loc, size));
  for (Value operand : op.getArrays().drop_back(written))
    inputs.push_back(handedOver(loc, operand));
  for (Value array : op.getArrays().take_back(written))
    outputs.push_back(inMemory(loc, array));
  for (Value result : op->getResults().drop_front(written))
    outputs.push_back(empty(loc, shapes.shape(result), elementOf(result), false));
  unsigned axes = 0;
  SmallVector<unsigned> first;
  for (Value array : llvm::concat<Value>(inputs, outputs)) {
    first.push_back(axes);
    if (auto type = dyn_cast<RankedTensorType>(array.getType()))
      axes += type.getRank();
  }
  first.push_back(axes);
  SmallVector<AffineMap> maps;
  for (size_t k = 0; k + 1 < first.size(); ++k) {
    SmallVector<AffineExpr> own;
    for (unsigned axis = first[k]; axis < first[k + 1]; ++axis)
      own.push_back(builder.getAffineDimExpr(axis));
    maps.push_back(AffineMap::get(axes, 0, own, builder.getContext()));
  }
  SmallVector<utils::IteratorType> iterators(axes, utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(builder, describe(Values(op->getResults())), ValueRange(outputs).getTypes(), inputs,
                                outputs, maps, iterators, [&](OpBuilder &inner, Location, ValueRange x) {
                                  Values given(x.slice(inputs.size(), written));
                                  for (Value result : op->getResults().drop_front(written))
                                    given.push_back(anyNumber(inner, loc, elementOf(result)));
                                  linalg::YieldOp::create(inner, loc, given);
                                });
  generic.setLibraryCall(op.getCallee());
  for (auto [old, made] : llvm::zip_equal(op->getResults(), generic.getResults()))
    stored[old] = {made};
}
