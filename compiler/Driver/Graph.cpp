#include "compiler/Driver/Graph.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Driver/GraphState.h"
#include "compiler/Emit/Names.h"
#include "compiler/Pipeline/Pipeline.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace quernel;

// The dialects' registry is the same for all graphs, and building it takes longer than a graph.
static const DialectRegistry &sharedRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry made;
    registerPipelineDialects(made);
    return made;
  }();
  return registry;
}

GraphState::GraphState(const std::string &name)
    : context(sharedRegistry(), MLIRContext::Threading::DISABLED), builder(&context) {
  context.loadDialect<QuernelDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect, arith::ArithDialect>();
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, loc, sanitizeName(name), builder.getFunctionType({}, {}));
  function.addEntryBlock();
  builder.setInsertionPointToStart(&function.getBody().front());
}

GraphError GraphState::refuse(const GraphValue &value) const {
  if (value.id < 0 || value.id >= static_cast<int>(values.size()))
    return {GraphError::usage, "operand belongs to no graph"};
  if (!values[value.id])
    return {GraphError::usage, "operand belongs to a loop or branch that was forgotten"};
  return {};
}

Location GraphState::location(const GraphPlace &place) {
  if (place.file.empty())
    return builder.getUnknownLoc();
  return FileLineColLoc::get(&context, place.file, std::max(place.line, 0), std::max(place.callers, 0));
}

AffineMap GraphState::map(ArrayRef<Dim> dims) { return AffineMap::get(0, symbolValues.size(), dims, &context); }

Type GraphState::type(const std::string &dtype) { return elementTypeOf(dtype, &context); }

GraphValue GraphState::add(Value value, Shape shape, const std::shared_ptr<GraphState> &self) {
  GraphValue result;
  result.id = values.size();
  result.dtype = dtypeName(getElementTypeOrSelf(value));
  for (Dim dim : shape)
    result.shape.push_back(toGraph(dim, self));
  values.push_back(value);
  shapes.push_back(shape);
  return result;
}

Graph::Graph(const std::string &name) : shared(std::make_shared<GraphState>(name)) {}

static GraphError addArgument(GraphState &g, const std::string &name, const std::string &dtype, Shape shape,
                              Argument argument) {
  Type element = g.type(dtype);
  if (!element)
    return {GraphError::usage, "dtype '" + dtype + "' isn't supported"};
  argument.name = g.builder.getStringAttr(name);
  unsigned number = g.function.getNumArguments();
  (void)g.function.insertArgument(number, tensorType({shape, element}), attributesOf(&g.context, argument),
                                  NameLoc::get(argument.name));
  return {};
}

GraphError Graph::argument(const std::string &name, const std::string &dtype, const std::vector<GraphDim> &dims,
                           bool strided, GraphValue &result) {
  GraphState &g = *shared;
  Shape shape = llvm::map_to_vector<4>(dims, [&](const GraphDim &dim) { return g.dim(dim); });
  Argument argument{.layout = strided ? ArrayLayout::strided : ArrayLayout::contiguous,
                    .shape = AffineMapAttr::get(g.map(shape))};
  if (GraphError error = addArgument(g, name, dtype, shape, argument))
    return error;
  result = g.add(g.function.getArguments().back(), shape, shared);
  return {};
}

GraphError Graph::scalar(const std::string &name, const std::string &dtype, GraphValue &result) {
  GraphState &g = *shared;
  if (GraphError error = addArgument(g, name, dtype, {}, {.kind = ArgumentKind::scalar}))
    return error;
  result = g.add(g.function.getArguments().back(), {}, shared);
  return {};
}

GraphError Graph::constant(const std::string &bytes, const std::string &dtype, const std::vector<int64_t> &shape,
                           GraphValue &result) {
  GraphState &g = *shared;
  Type element = g.type(dtype);
  if (!element)
    return {GraphError::usage, "dtype '" + dtype + "' isn't supported"};
  auto type = RankedTensorType::get(shape, element);
  size_t width = elementBytes(element);
  if (bytes.size() != type.getNumElements() * width)
    return {GraphError::usage, "constant has " + std::to_string(bytes.size()) + " bytes, its shape needs " +
                                   std::to_string(type.getNumElements() * width)};
  DenseElementsAttr elements;
  if (element.isInteger(1)) {
    auto truths = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    elements = DenseElementsAttr::get(type, ArrayRef<bool>(truths));
  } else {
    elements = DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
  }
  auto op = ConstantOp::create(g.builder, g.builder.getUnknownLoc(), type, elements);
  Shape dims = llvm::map_to_vector<4>(shape, [&](int64_t size) { return g.builder.getAffineConstantExpr(size); });
  result = g.add(op.getResult(), dims, shared);
  return {};
}

static GraphError toAttribute(GraphState &g, const GraphAttribute &from, Attribute &to) {
  if (auto *integer = std::get_if<int64_t>(&from.value)) {
    to = g.builder.getI64IntegerAttr(*integer);
  } else if (auto *text = std::get_if<std::string>(&from.value)) {
    to = g.builder.getStringAttr(*text);
    if (from.name == "dtype" || from.name == "dtypes") {
      SmallVector<StringRef> names;
      SmallVector<Type> types;
      StringRef(*text).split(names, ' ', -1, /*KeepEmpty=*/from.name == "dtype");
      for (StringRef name : names)
        if (!types.emplace_back(g.type(name.str())))
          return {GraphError::usage, "dtype '" + name.str() + "' isn't supported"};
      to = from.name == "dtype" ? Attribute(TypeAttr::get(types.front())) : g.builder.getTypeArrayAttr(types);
    }
  } else {
    auto &dims = std::get<std::vector<GraphDim>>(from.value);
    if (from.name == "axes" || from.name == "permutation" || from.name == "ranks") {
      auto integers = llvm::map_to_vector(dims, [](const GraphDim &dim) { return dim.value; });
      to = g.builder.getDenseI64ArrayAttr(integers);
    } else {
      Shape exprs = llvm::map_to_vector<4>(dims, [&](const GraphDim &dim) { return g.dim(dim); });
      to = AffineMapAttr::get(g.map(exprs));
    }
  }
  return {};
}

/// The attributes that an operation needs are there, each of its kind: a number, a text or a list.
static GraphError checkAttributes(const std::string &op, const RegisteredOperationName &info,
                                  const std::vector<GraphAttribute> &attributes) {
  auto kindOf = [](StringRef name) -> size_t {
    if (name == "axis" || name == "chunk" || name == "written")
      return 0;
    return name == "kind" || name == "dtype" || name == "dtypes" || name == "callee" ? 1 : 2;
  };
  for (StringAttr expected : info.getAttributeNames()) {
    auto found =
        llvm::find_if(attributes, [&](const GraphAttribute &given) { return given.name == expected.getValue(); });
    if (found == attributes.end() && expected.getValue() != "chunk")
      return {GraphError::usage, "operation '" + op + "' needs the attribute '" + expected.str() + "'"};
    if (found != attributes.end() && found->value.index() != kindOf(found->name))
      return {GraphError::usage, "attribute '" + found->name + "' of operation '" + op + "' has the wrong type"};
  }
  for (const GraphAttribute &given : attributes)
    if (llvm::none_of(info.getAttributeNames(), [&](StringAttr known) { return known.getValue() == given.name; }))
      return {GraphError::usage, "operation '" + op + "' has no attribute '" + given.name + "'"};
  return {};
}

/// Whether constant sizes and the size of an element make more bytes than 64 bits count. NumPy takes no notice of sizes
/// of 0.
static bool isTooBig(const ArrayInfo &array, int64_t bytes) {
  return llvm::any_of(array.shape, [&](Dim dim) {
    auto known = constantDim(dim);
    return known && *known > 0 && llvm::MulOverflow(bytes, *known, bytes);
  });
}

GraphError Graph::op(const std::string &name, const std::vector<GraphValue> &operands,
                     const std::vector<GraphAttribute> &attributes, const GraphPlace &place,
                     std::vector<GraphValue> &results) {
  GraphState &g = *shared;
  OperationName operation("quernel." + name, &g.context);
  auto info = operation.getRegisteredInfo();
  if (!info || !info->hasInterface<ShapeRuleOpInterface>() || g.finished)
    return {GraphError::usage, g.finished ? "the graph is finished" : "unknown operation '" + name + "'"};
  if (GraphError error = checkAttributes(name, *info, attributes))
    return error;
  NamedAttrList named;
  for (const GraphAttribute &attribute : attributes) {
    Attribute value;
    if (GraphError error = toAttribute(g, attribute, value))
      return error;
    named.set(attribute.name, value);
  }
  SmallVector<ArrayInfo> inputs;
  SmallVector<Value> values;
  for (const GraphValue &operand : operands) {
    if (GraphError error = g.refuse(operand))
      return error;
    values.push_back(g.visible(g.values[operand.id]));
    inputs.push_back({g.shapes[operand.id], getElementTypeOrSelf(values.back())});
  }
  std::string message;
  SmallVector<ArrayInfo> inferred;
  auto *rule = info->getInterface<ShapeRuleOpInterface>();
  if (failed(rule->inferResults({&g.context, inputs, named.getDictionary(&g.context), &message}, inferred)))
    return {GraphError::shape, message};
  canonicalize(inferred);
  // In a loop, which may have no turn, the program looks by itself; but it can't have so many elements.
  bool inLoop = llvm::any_of(g.open, [](const OpenRegion &region) { return region.kind != OpenRegion::branch; });
  if (llvm::any_of(inferred,
                   [&](const ArrayInfo &array) { return isTooBig(array, inLoop ? 1 : elementBytes(array.element)); }))
    return {GraphError::size,
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."};
  OperationState state(g.location(place), operation, values,
                       llvm::map_to_vector(inferred, [](const ArrayInfo &array) -> Type { return tensorType(array); }),
                       named.getAttrs());
  Operation *made = g.builder.create(state);
  for (auto [result, array] : llvm::zip_equal(made->getResults(), inferred))
    results.push_back(g.add(result, array.shape, shared));
  return {};
}

void Graph::name(const GraphValue &value, const std::string &name) {
  Value named = shared->values[value.id];
  if (Operation *op = named.getDefiningOp())
    op->setLoc(NameLoc::get(shared->builder.getStringAttr(name), op->getLoc()));
}

void Graph::source(const std::string &file, int line, const std::string &text) {
  GraphState &g = *shared;
  Operation *module = g.module->getOperation();
  NamedAttrList lines(sourceLinesOf(module));
  lines.set(file + ":" + std::to_string(line), g.builder.getStringAttr(text));
  setSourceLines(module, lines.getDictionary(&g.context));
}

void Graph::userText(const UserText &text) {
  std::vector<UserText> &known = shared->userTexts;
  if (llvm::none_of(known, [&](const UserText &other) { return other.text == text.text; }))
    known.push_back(text);
}

/// Leaves of a check's pairs the values of the arguments that the function writes, in the order of its updates. What
/// the check knows nothing of holds what it held at the beginning.
static void keepState(CheckOp check, ArrayRef<int64_t> updates) {
  SmallVector<Value> held(check.getState()), state;
  auto function = check->getParentOfType<func::FuncOp>();
  for (int64_t number : updates) {
    Value value = function.getArgument(number);
    for (size_t i = 0; i < held.size(); i += 2)
      if (held[i] == function.getArgument(number))
        value = held[i + 1];
    state.push_back(value);
  }
  check.getStateMutable().assign(state);
}

GraphError Graph::fixScalar(const GraphValue &argument, const std::string &bytes, bool &isDone) {
  GraphState &g = *shared;
  if (GraphError error = g.refuse(argument))
    return error;
  auto old = dyn_cast<BlockArgument>(g.values[argument.id]);
  if (!old || old.getOwner() != &g.function.front() || !argument.shape.empty())
    return {GraphError::usage, "only a scalar argument can become a number"};
  isDone = old.use_empty();
  if (!isDone)
    return {};
  GraphValue number;
  OpBuilder::InsertionGuard guard(g.builder);
  g.builder.setInsertionPointToStart(&g.function.front());
  if (GraphError error = constant(bytes, argument.dtype, {}, number))
    return error;
  g.values[argument.id] = g.values[number.id];
  (void)g.function.eraseArgument(old.getArgNumber());
  return {};
}

GraphError Graph::finish(const std::vector<GraphValue> &results,
                         const std::vector<std::pair<GraphValue, GraphValue>> &updates) {
  GraphState &g = *shared;
  if (g.finished || !g.open.empty())
    return {GraphError::usage, g.finished ? "the graph is finished" : "a loop or branch isn't ended"};
  SmallVector<Value> returned;
  for (const GraphValue &result : results)
    if (GraphError error = g.refuse(result))
      return error;
  for (const GraphValue &result : results)
    returned.push_back(g.visible(g.values[result.id]));
  SmallVector<int64_t> targets;
  for (const auto &[argument, value] : updates) {
    auto target = dyn_cast<BlockArgument>(g.values[argument.id]);
    if (!target || g.shapes[argument.id] != g.shapes[value.id])
      return {GraphError::usage, "an update needs an argument and a value of its shape"};
    targets.push_back(target.getArgNumber());
    returned.push_back(g.visible(g.values[value.id]));
  }
  func::ReturnOp::create(g.builder, g.builder.getUnknownLoc(), returned);
  g.function.walk([&](CheckOp check) { keepState(check, targets); });
  g.function.setType(
      g.builder.getFunctionType(g.function.getBody().front().getArgumentTypes(), ValueRange(returned).getTypes()));
  if (!targets.empty())
    setFunctionAttr(g.function, FunctionAttr::get(&g.context, FunctionRole::graph, targets));
  g.finished = true;
  if (failed(verify(*g.module)))
    return {GraphError::usage, "the graph doesn't verify"};
  return {};
}

std::string Graph::text() const {
  std::string result;
  llvm::raw_string_ostream stream(result);
  shared->module->print(stream);
  return result;
}

std::vector<UfuncRow> quernel::ufuncRows() {
  std::vector<UfuncRow> rows;
  for (const UfuncInfo &info : ufuncTable())
    rows.push_back({info.name.str(), info.arity, info.predicate, info.kinds.str(), info.ulp, info.combiner.str()});
  return rows;
}
