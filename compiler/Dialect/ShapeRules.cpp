#include "compiler/Dialect/ShapeRules.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
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

bool quernel::agree(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           return !x || !y || x == y;
         });
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

LogicalResult quernel::inferUfunc(const InferInput &input, StringRef kinds, StringRef result,
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
  if (result == "bool")
    element = IntegerType::get(input.context, 1);
  else if (result == "complex")
    element = ComplexType::get(element);
  else if (auto complex = dyn_cast<ComplexType>(element); complex && result == "part")
    element = complex.getElementType();
  results.push_back({shape, element});
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
    if (!argumentOf(interface, argument.getArgNumber()).shape && !type.hasStaticShape())
      return function->emitOpError("argument ") << argument.getArgNumber() << " needs a shape for its sizes";
  }
  return success();
}

/// A size as a sum of integer multiples of symbols and of rounded quotients and remainders.
using LinearForm = llvm::MapVector<Dim, int64_t>;

/// Adds a multiple of a size to a form and its constant; false where a number has no 64 bits.
static bool addTerms(Dim dim, int64_t factor, LinearForm &form, int64_t &constant) {
  int64_t product;
  if (auto value = constantDim(dim))
    return !llvm::MulOverflow(factor, *value, product) && !llvm::AddOverflow(constant, product, constant);
  auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
  if (binary && dim.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, form, constant) && addTerms(binary.getRHS(), factor, form, constant);
  auto scale = binary && dim.getKind() == AffineExprKind::Mul ? constantDim(binary.getRHS()) : std::nullopt;
  if (scale)
    return !llvm::MulOverflow(factor, *scale, product) && addTerms(binary.getLHS(), product, form, constant);
  return !llvm::AddOverflow(form[dim], factor, form[dim]);
}

/// Whether products of two such factors have 64 bits.
static bool isSmall(int64_t factor) { return llvm::AbsoluteValue(factor) < uint64_t(1) << 31; }

/// Whether a product has 64 bits, and also the sum of two such ones.
static bool isProductSmall(int64_t a, int64_t b) {
  int64_t product;
  return !llvm::MulOverflow(a, b, product) && llvm::AbsoluteValue(product) < uint64_t(1) << 62;
}

/// What `factor * term` is at least, times the returned positive number; null where nothing is known.
static std::pair<Dim, int64_t> leastMultiple(Dim term, int64_t factor, ArrayRef<SymbolBounds> bounds) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(term)) {
    if (symbol.getPosition() >= bounds.size())
      return {Dim(), 1};
    const SymbolBounds &bound = bounds[symbol.getPosition()];
    Dim extreme = factor > 0 ? bound.lower : bound.upper;
    auto known = extreme ? constantDim(extreme) : std::nullopt;
    if (!extreme || (known && !isProductSmall(*known, factor)))
      return {Dim(), 1};
    return {extreme * factor, 1};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(term);
  auto divisor = binary ? constantDim(binary.getRHS()) : std::nullopt;
  if (!divisor || *divisor <= 0 || !isSmall(*divisor))
    return {Dim(), 1};
  Dim x = binary.getLHS();
  switch (term.getKind()) {
  case AffineExprKind::FloorDiv: // x - (d - 1) <= d * (x floordiv d) <= x
    return {(factor > 0 ? x - (*divisor - 1) : x) * factor, *divisor};
  case AffineExprKind::CeilDiv:
    return {(factor > 0 ? x : x + (*divisor - 1)) * factor, *divisor};
  case AffineExprKind::Mod:
    return {getAffineConstantExpr(factor > 0 ? 0 : factor * (*divisor - 1), term.getContext()), 1};
  default:
    return {Dim(), 1};
  }
}

int64_t quernel::lastSymbol(Dim term) {
  int64_t last = -1;
  term.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      last = std::max<int64_t>(last, symbol.getPosition());
  });
  return last;
}

/// The greatest constant within reason that `dim` is proven not to be below.
static std::optional<int64_t> leastConstant(Dim dim, ArrayRef<SymbolBounds> bounds) {
  int64_t below = -(1 << 20), above = 1 << 20;
  if (!isNonNegative(dim - below, bounds))
    return std::nullopt;
  while (above - below > 1) {
    int64_t middle = below + (above - below) / 2;
    (isNonNegative(dim - middle, bounds) ? below : above) = middle;
  }
  return below;
}

/// Replaces quotients that grow with the whole by their least constant values, which is exact where a scaled form
/// isn't.
static Dim withLeastQuotients(Dim dim, ArrayRef<SymbolBounds> bounds) {
  LinearForm form;
  int64_t constant = 0;
  if (!addTerms(dim, 1, form, constant))
    return dim;
  Dim result = getAffineConstantExpr(constant, dim.getContext());
  for (auto &[term, factor] : form) {
    bool isCeil = term.getKind() == AffineExprKind::CeilDiv;
    auto quotient = isCeil || term.getKind() == AffineExprKind::FloorDiv ? dyn_cast<AffineBinaryOpExpr>(term)
                                                                         : AffineBinaryOpExpr(nullptr);
    auto divisor = quotient && factor > 0 ? constantDim(quotient.getRHS()) : std::nullopt;
    auto least = divisor && *divisor > 0 ? leastConstant(quotient.getLHS(), bounds) : std::nullopt;
    if (least)
      least = isCeil ? llvm::divideCeilSigned(*least, *divisor) : llvm::divideFloorSigned(*least, *divisor);
    result = result + (least ? getAffineConstantExpr(*least, dim.getContext()) : term) * factor;
  }
  return result;
}

static bool proveByBounds(Dim dim, ArrayRef<SymbolBounds> bounds);

bool quernel::isNonNegative(Dim dim, ArrayRef<SymbolBounds> bounds) {
  if (proveByBounds(dim, bounds))
    return true;
  Dim exact = withLeastQuotients(dim, bounds);
  return exact != dim && proveByBounds(exact, bounds);
}

static bool proveByBounds(Dim dim, ArrayRef<SymbolBounds> bounds) {
  for (unsigned step = 0; step < 64; ++step) {
    LinearForm form;
    int64_t constant = 0;
    if (!addTerms(dim, 1, form, constant))
      return false;
    form.remove_if([](auto &entry) { return entry.second == 0; });
    if (form.empty())
      return constant >= 0;
    // What was defined last is replaced by its bounds first.
    auto *chosen = llvm::max_element(form, [](auto &a, auto &b) { return lastSymbol(a.first) < lastSymbol(b.first); });
    if (!llvm::all_of(form, [](auto &entry) { return isSmall(entry.second); }))
      return false;
    auto [least, scale] = leastMultiple(chosen->first, chosen->second, bounds);
    if (!least || !isProductSmall(constant, scale))
      return false;
    Dim rest = getAffineConstantExpr(constant, dim.getContext());
    for (auto &[term, factor] : form)
      if (term != chosen->first)
        rest = rest + term * factor;
    dim = rest * scale + least;
  }
  return false;
}

ShapeAnalysis::ShapeAnalysis(Operation *function) {
  auto interface = cast<FunctionOpInterface>(function);
  for (BlockArgument argument : interface.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    Shape shape = infoOfType(argument).shape;
    if (AffineMapAttr map = argumentOf(interface, argument.getArgNumber()).shape)
      shape.assign(map.getValue().getResults().begin(), map.getValue().getResults().end());
    shapes[argument.getAsOpaquePointer()] = shape;
  }
}

ArrayRef<Dim> ShapeAnalysis::shape(Value value) {
  if (!shapes.count(value.getAsOpaquePointer())) {
    if (Operation *op = value.getDefiningOp())
      visit(op);
    else // of a loop; where its sizes aren't constant, quernel.assume_shape names them
      shapes[value.getAsOpaquePointer()] = infoOfType(value).shape;
  }
  return shapes[value.getAsOpaquePointer()];
}

void ShapeAnalysis::visit(Operation *op) {
  auto rule = dyn_cast<ShapeRuleOpInterface>(op);
  SmallVector<ArrayInfo> operands, results;
  if (rule)
    for (Value operand : op->getOperands())
      operands.push_back({Shape(shape(operand)), cast<RankedTensorType>(operand.getType()).getElementType()});
  if (!rule || failed(rule.inferResults({op->getContext(), operands, op->getAttrDictionary(), nullptr}, results)))
    results = llvm::map_to_vector(op->getResults(), [](OpResult result) {
      return isa<RankedTensorType>(result.getType()) ? infoOfType(result) : ArrayInfo{{}, result.getType()};
    });
  canonicalize(results);
  for (auto [result, info] : llvm::zip_equal(op->getResults(), results))
    shapes[result.getAsOpaquePointer()] = info.shape;
}
