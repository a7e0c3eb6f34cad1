// Gives a program the kernel ABI.
//
//   func @f(%n0: index, %X: tensor<?x2xf64>) -> tensor<?xf64>
//   func @f(%n0: index, %X: memref<?xf64>, %out: memref<?xf64>)
#include "compiler/Dialect/ShapeRules.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/TensorSizes.h"
#include "compiler/Transforms/IndexFunction.h"

namespace quernel {
#define GEN_PASS_DEF_BINDBUFFERS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

class Binder {
public:
  explicit Binder(func::FuncOp function)
      : function(function), body(function.getBody().front()), builder(body.getTerminator()), sizes(function) {}

  void run() {
    recordShapes();
    bindInputs();
    bindOutputs();
    finish();
  }

private:
  struct Parameter {
    Value pointer;
    SmallVector<OpFoldResult> sizes, strides;
  };

  /// A buffer of the caller's and the type of the array in it.
  struct Bound {
    BlockArgument argument;
    Value buffer;
    Type type;
  };

  void recordShapes();
  void bindInputs();
  void bindScalar(BlockArgument argument, Value scalar);
  void bindOutputs();
  void bindChecks(ArrayRef<int64_t> updates);
  const Bound &boundTo(BlockArgument argument) const {
    return *llvm::find_if(written, [&](const Bound &entry) { return entry.argument == argument; });
  }
  void store(Location loc, Value result, Bound target);
  void storeScalar(Location loc, Value scalar, Value buffer);
  void finish();
  BlockArgument addArgument(Type type, Location loc, const Argument &known);
  Value view(Parameter &parameter, Location loc, Type element);
  OpFoldResult fold(Dim dim);
  SmallVector<OpFoldResult> outputSizes(Value result);
  TypeAttr typeOfResult(unsigned number);

  func::FuncOp function;
  Block &body;
  OpBuilder builder;
  SmallVector<Shape> argumentShapes;
  SymbolSizes sizes;
  SmallVector<BlockArgument> old;
  SmallVector<DictionaryAttr> attributes; // of the new arguments, symbols first
  SmallVector<Bound> written;
  Operation *afterInputs = nullptr;
};

void Binder::recordShapes() {
  ShapeAnalysis shapes(function);
  for (BlockArgument argument : function.getArguments()) {
    old.push_back(argument);
    argumentShapes.push_back(argument.getType().isIndex() ? Shape() : Shape(shapes.shape(argument)));
    if (argument.getType().isIndex()) {
      Argument symbol = argumentOf(function, argument.getArgNumber());
      symbol.kind = ArgumentKind::symbol;
      attributes.push_back(attributesOf(function.getContext(), symbol));
    }
  }
}

BlockArgument Binder::addArgument(Type type, Location loc, const Argument &known) {
  attributes.push_back(attributesOf(function.getContext(), known));
  return body.addArgument(type, loc);
}

OpFoldResult Binder::fold(Dim dim) {
  if (auto constant = constantDim(dim))
    return builder.getIndexAttr(*constant);
  return sizes.value(builder, function.getLoc(), dim);
}

/// The sizes of a result. Moves the builder to where they are known, so that the view of the output stands as early as
/// it can: behind those of the inputs, or else where the result begins to exist.
SmallVector<OpFoldResult> Binder::outputSizes(Value result) {
  if (auto known = sizesBefore(builder, result, afterInputs)) {
    builder.setInsertionPoint(afterInputs);
    return *known;
  }
  builder.setInsertionPointAfterValue(result);
  auto known = sizesBefore(builder, result, &*builder.getInsertionPoint());
  return known ? *known : tensor::getMixedSizes(builder, result.getLoc(), result);
}

/// The type of an array that the program gives, with the sign and the constant sizes of the graph; null for a scalar.
TypeAttr Binder::typeOfResult(unsigned number) {
  auto type = dyn_cast<RankedTensorType>(body.getTerminator()->getOperand(number).getType());
  if (!type)
    return {};
  FunctionAttr known = functionAttrOf(function);
  if (!known || !known.getTypes())
    return TypeAttr::get(type);
  auto given = cast<RankedTensorType>(cast<TypeAttr>(known.getTypes()[number]).getValue());
  bool isFlat = type.hasStaticShape() && given.hasStaticShape() && type.getNumElements() == given.getNumElements();
  return TypeAttr::get(isFlat ? given : type.clone(given.getElementType()));
}

/// The ranked view of a pointer; the type forgets strides that follow from the sizes.
Value Binder::view(Parameter &parameter, Location loc, Type element) {
  bool contiguous = parameter.strides.empty();
  int64_t rank = parameter.sizes.size();
  SmallVector<OpFoldResult> strides = parameter.strides;
  if (contiguous) {
    strides.assign(rank, builder.getIndexAttr(1));
    for (int64_t axis = rank - 1; axis-- > 0;) {
      auto size = getConstantIntValue(parameter.sizes[axis + 1]), stride = getConstantIntValue(strides[axis + 1]);
      if (size && stride) {
        strides[axis] = builder.getIndexAttr(*size * *stride);
        continue;
      }
      Value left = getValueOrCreateConstantIndexOp(builder, loc, parameter.sizes[axis + 1]);
      Value right = getValueOrCreateConstantIndexOp(builder, loc, strides[axis + 1]);
      strides[axis] = builder.createOrFold<arith::MulIOp>(loc, left, right);
    }
  }
  Value cast = memref::ReinterpretCastOp::create(builder, loc, parameter.pointer, builder.getIndexAttr(0),
                                                 parameter.sizes, strides);
  if (!contiguous)
    return cast;
  auto sizes = llvm::map_to_vector(
      parameter.sizes, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
  return memref::CastOp::create(builder, loc, MemRefType::get(sizes, element), cast);
}

/// Scalars are only read by element, so no tensor of them remains.
void Binder::bindScalar(BlockArgument argument, Value scalar) {
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    cast<tensor::ExtractOp>(user).replaceAllUsesWith(scalar);
    if (builder.getInsertionPoint() == Block::iterator(user))
      builder.setInsertionPointAfter(user);
    user->erase();
  }
}

void Binder::bindInputs() {
  builder.setInsertionPointToStart(&body);
  // Strides come before all pointers.
  SmallVector<Parameter> parameters(old.size());
  for (BlockArgument argument : old) {
    unsigned number = argument.getArgNumber();
    Argument known = argumentOf(function, number);
    if (known.layout == ArrayLayout::contiguous)
      continue;
    for (size_t axis = 0; axis < argumentShapes[number].size(); ++axis) {
      auto name = builder.getStringAttr(known.nameOr("arg") + "_stride" + Twine(axis));
      parameters[number].strides.push_back(addArgument(builder.getIndexType(), argument.getLoc(), {.name = name}));
    }
  }
  for (BlockArgument argument : old) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    Location loc = argument.getLoc();
    Argument known = argumentOf(function, number);
    if (known.kind == ArgumentKind::scalar) {
      bindScalar(argument, addArgument(type.getElementType(), loc, {.name = known.name}));
      continue;
    }
    bool isWritten = llvm::is_contained(updatesOf(function), static_cast<int64_t>(number));
    Parameter &parameter = parameters[number];
    for (Dim dim : argumentShapes[number])
      parameter.sizes.push_back(fold(dim));
    auto pointer = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
    parameter.pointer = addArgument(pointer, loc, {.name = known.name, .readonly = !isWritten});
    Value buffer = view(parameter, loc, type.getElementType());
    argument.replaceAllUsesWith(
        bufferization::ToTensorOp::create(builder, loc, type, buffer, /*restrict=*/true, isWritten));
    written.push_back({argument, buffer, type});
  }
  afterInputs = &*builder.getInsertionPoint();
}

/// What a check leaves behind in written arguments goes to their memory.
void Binder::bindChecks(ArrayRef<int64_t> updates) {
  auto buffers = llvm::map_to_vector(updates, [&](int64_t number) { return boundTo(old[number]).buffer; });
  function.walk([&](CheckOp check) {
    if (!check.getState().empty()) // a check of sizes knows of no arrays
      check.getMemoryMutable().assign(buffers);
  });
}

void Binder::bindOutputs() {
  Operation *terminator = body.getTerminator();
  ArrayRef<int64_t> updates = updatesOf(function);
  bindChecks(updates);
  size_t outputCount = terminator->getNumOperands() - updates.size();
  builder.setInsertionPoint(terminator);
  for (auto [i, result] : llvm::enumerate(llvm::to_vector(terminator->getOperands()))) {
    Location loc = result.getLoc();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Bound target;
    if (i >= outputCount) {
      target = boundTo(old[updates[i - outputCount]]);
    } else {
      Parameter parameter;
      Type element = result.getType().isIndex() ? builder.getI64Type() : getElementTypeOrSelf(result);
      auto pointer = MemRefType::get({ShapedType::kDynamic}, element);
      auto name = builder.getStringAttr(outputCount == 1 ? "out" : "out" + std::to_string(i));
      parameter.pointer = addArgument(pointer, loc, {.name = name, .output = typeOfResult(i)});
      target.buffer = parameter.pointer;
      target.type = type;
      if (type) {
        OpBuilder::InsertionGuard guard(builder);
        parameter.sizes = outputSizes(result);
        target.buffer = view(parameter, loc, element);
      }
    }
    store(loc, result, target);
  }
}

/// Puts a result into the caller's memory.
void Binder::store(Location loc, Value result, Bound target) {
  if (!isa<RankedTensorType>(result.getType()))
    return storeScalar(loc, result, target.buffer);
  bool isOnlyView = target.type == result.getType();
  if (!isOnlyView) { // a written scalar: a stored one has an axis
    Parameter parameter{target.buffer.getDefiningOp()->getOperand(0), {builder.getIndexAttr(1)}, {}};
    target.buffer = view(parameter, loc, getElementTypeOrSelf(result));
  }
  bufferization::MaterializeInDestinationOp::create(builder, loc, Type(), result, target.buffer,
                                                    /*restrict=*/isOnlyView, /*writable=*/true);
}

void Binder::storeScalar(Location loc, Value scalar, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (scalar.getType() != element)
    scalar = arith::IndexCastOp::create(builder, loc, element, scalar);
  SmallVector<Value> first(cast<MemRefType>(buffer.getType()).getRank(),
                           arith::ConstantIndexOp::create(builder, loc, 0));
  memref::StoreOp::create(builder, loc, scalar, buffer, first);
}

void Binder::finish() {
  body.getTerminator()->setOperands({});
  for (BlockArgument argument : llvm::reverse(old))
    if (!argument.getType().isIndex())
      body.eraseArgument(argument.getArgNumber());
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
  function.setAllArgAttrs(attributes);
  setFunctionAttr(function, FunctionAttr::get(function.getContext(), FunctionRole::program));
}

struct BindBuffers : quernel::impl::BindBuffersBase<BindBuffers> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    Binder(getOperation()).run();
  }
};

} // namespace
