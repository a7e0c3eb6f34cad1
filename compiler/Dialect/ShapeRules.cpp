#include "compiler/Dialect/ShapeRules.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quernel;

LogicalResult InferInput::fail(const Twine &message) const {
  if (error)
    *error = message.str();
  return failure();
}
int64_t InferInput::integer(StringRef name) const { return attributes.getAs<IntegerAttr>(name).getInt(); }
StringRef InferInput::string(StringRef name) const { return attributes.getAs<StringAttr>(name).getValue(); }
ArrayRef<int64_t> InferInput::integers(StringRef name) const {
  return attributes.getAs<DenseI64ArrayAttr>(name).asArrayRef();
}
Shape InferInput::dims(StringRef name) const {
  return Shape(attributes.getAs<AffineMapAttr>(name).getValue().getResults());
}

std::optional<int64_t> quernel::constantDim(Dim dim) {
  if (auto constant = llvm::dyn_cast_or_null<AffineConstantExpr>(dim))
    return constant.getValue();
  return std::nullopt;
}

std::string quernel::shapeText(ArrayRef<Dim> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '(';
  llvm::interleave(
      shape,
      [&](Dim dim) {
        if (dim)
          stream << dim;
        else
          stream << '?';
      },
      [&] { stream << ','; });
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

RankedTensorType quernel::tensorType(const ArrayInfo &info) {
  auto sizes = llvm::map_to_vector(info.shape, [](Dim dim) { return constantDim(dim).value_or(ShapedType::kDynamic); });
  return RankedTensorType::get(sizes, info.element);
}

static bool isOne(Dim dim) { return constantDim(dim) == 1; }

LogicalResult quernel::broadcastShapes(const InferInput &input, ArrayRef<Dim> a, ArrayRef<Dim> b, Shape &out) {
  ArrayRef<Dim> first = a, second = b;
  if (a.size() < b.size())
    std::swap(a, b);
  size_t lead = a.size() - b.size();
  out.assign(a.begin(), a.end());
  for (auto [i, dim] : llvm::enumerate(b)) {
    Dim &result = out[lead + i];
    if (isOne(dim) || result == dim)
      continue;
    if (isOne(result) || !result)
      result = dim;
    else if (dim)
      return input.fail("operands could not be broadcast together with shapes " + shapeText(first) + " " +
                        shapeText(second));
  }
  return success();
}

LogicalResult quernel::broadcastOperands(const InferInput &input, Shape &out) {
  out.clear();
  for (const ArrayInfo &operand : input.operands) {
    Shape next;
    if (failed(broadcastShapes(input, out, operand.shape, next)))
      return failure();
    out = next;
  }
  return success();
}

static char kindOf(Type type) {
  if (type.isInteger(1))
    return 'b';
  return isa<IntegerType>(type) ? 'i' : 'f';
}

LogicalResult quernel::inferUfunc(const InferInput &input, StringRef kinds, bool predicate,
                                  SmallVectorImpl<ArrayInfo> &results) {
  Type element = input.operands.front().element;
  for (const ArrayInfo &operand : input.operands)
    if (operand.element != element)
      return input.fail("operands need one dtype");
  if (!kinds.contains(kindOf(element)))
    return input.fail("dtype isn't supported by this operation");
  Shape shape;
  if (failed(broadcastOperands(input, shape)))
    return failure();
  results.push_back({shape, predicate ? IntegerType::get(input.context, 1) : element});
  return success();
}

static ArrayInfo infoOfType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Shape shape = llvm::map_to_vector<4>(type.getShape(), [&](int64_t size) {
    return ShapedType::isDynamic(size) ? Dim() : getAffineConstantExpr(size, type.getContext());
  });
  return {shape, type.getElementType()};
}

static bool agrees(const ArrayInfo &info, RankedTensorType type) {
  if (info.element != type.getElementType() || info.shape.size() != static_cast<size_t>(type.getRank()))
    return false;
  for (auto [dim, size] : llvm::zip(info.shape, type.getShape())) {
    auto constant = constantDim(dim);
    if (constant && !ShapedType::isDynamic(size) && *constant != size)
      return false;
  }
  return true;
}

LogicalResult quernel::verifyShapeRule(Operation *op, function_ref<InferFunction> rule) {
  SmallVector<ArrayInfo> operands = llvm::map_to_vector(op->getOperands(), infoOfType);
  std::string error;
  SmallVector<ArrayInfo> results;
  if (failed(rule({op->getContext(), operands, op->getAttrDictionary(), &error}, results)))
    return op->emitOpError(error);
  for (auto [info, type] : llvm::zip_equal(results, op->getResultTypes()))
    if (!agrees(info, cast<RankedTensorType>(type)))
      return op->emitOpError("has result type ") << type << ", but its rule gives " << tensorType(info);
  return success();
}

LogicalResult quernel::verifyArgumentShapes(Operation *function) {
  auto interface = cast<FunctionOpInterface>(function);
  for (BlockArgument argument : interface.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto map = interface.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), "quernel.shape");
    if (!map && !type.hasStaticShape())
      return function->emitOpError("argument ") << argument.getArgNumber() << " needs its sizes in 'quernel.shape'";
    if (map && map.getValue().getNumResults() != static_cast<unsigned>(type.getRank()))
      return function->emitOpError("argument ")
             << argument.getArgNumber() << " has another rank than its 'quernel.shape'";
  }
  return success();
}

ShapeAnalysis::ShapeAnalysis(Operation *function) : function(function) {
  auto interface = cast<FunctionOpInterface>(function);
  for (BlockArgument argument : interface.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    Shape shape = infoOfType(argument).shape;
    if (auto map = interface.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), "quernel.shape"))
      shape.assign(map.getValue().getResults().begin(), map.getValue().getResults().end());
    shapes[argument.getAsOpaquePointer()] = shape;
  }
}

ArrayRef<Dim> ShapeAnalysis::shape(Value value) {
  if (!shapes.count(value.getAsOpaquePointer()))
    visit(value.getDefiningOp());
  return shapes[value.getAsOpaquePointer()];
}

void ShapeAnalysis::visit(Operation *op) {
  auto rule = dyn_cast<ShapeRuleOpInterface>(op);
  SmallVector<ArrayInfo> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back({Shape(shape(operand)), cast<RankedTensorType>(operand.getType()).getElementType()});
  if (!rule || failed(rule.inferResults({op->getContext(), operands, op->getAttrDictionary(), nullptr}, results)))
    results = llvm::map_to_vector(op->getResults(), [](OpResult result) { return infoOfType(result); });
  for (auto [result, info] : llvm::zip_equal(op->getResults(), results))
    shapes[result.getAsOpaquePointer()] = info.shape;
}
