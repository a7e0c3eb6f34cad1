// arith's constants, operators and selects.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Emit/ExpressionPrinter.h"
#include "compiler/Emit/Literals.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace quernel {

std::string ExpressionPrinter::literal(TypedAttr attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return integerLiteral(number.getValue());
  const APFloat value = cast<FloatAttr>(attribute).getValue();
  if (attribute.getType().isBF16())
    return std::to_string(value.bitcastToAPInt().getSExtValue());
  return value.isFinite() ? floatLiteral(value) : specialFloat(value);
}

static Expression literalExpression(std::string text) {
  bool negative = StringRef(text).starts_with("-");
  return {std::move(text), negative ? Precedence::Unary : Precedence::Primary};
}

/// The one element that a constant repeats.
static TypedAttr scalarOf(arith::ConstantOp op) {
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>() : TypedAttr();
  return op.getValue();
}

/// The literal in the type of an element, which a bare literal of a narrow number doesn't have.
std::string ExpressionPrinter::number(Type element, TypedAttr attribute) {
  std::string text = literal(attribute);
  return hasNoLiterals(element) ? "(" + typeName(element) + ")" + text : text;
}

Expression ExpressionPrinter::constant(arith::ConstantOp op) {
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!vector && op.getType().isF16())
    return {number(op.getType(), op.getValue()), Precedence::Unary};
  if (!vector)
    return literalExpression(literal(op.getValue()));
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return unsupported(op);
  bool mask = isMask(vector);
  if (TypedAttr scalar = mask ? TypedAttr() : scalarOf(op)) {
    if (matchPattern(op.getOperation(), m_PosZeroFloat()) || matchPattern(op.getOperation(), m_Zero()))
      return {typeOf(op) + "{}"};
    prelude.require("splat");
    return {"splat<" + typeOf(op) + ">(" + number(vector.getElementType(), scalar) + ")"};
  }
  std::string text = typeOf(op) + "{";
  for (auto [index, element] : llvm::enumerate(elements.getValues<TypedAttr>())) {
    text += index ? ", " : "";
    text += mask ? (cast<BoolAttr>(element).getValue() ? "-1" : "0") : literal(element);
  }
  return {text + "}"};
}

std::optional<Expression> ExpressionPrinter::lane(Value value) {
  if (!isa<VectorType>(value.getType()) || names.contains(value))
    return std::nullopt;
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(broadcast.getSource().getType()))
      return expression(broadcast.getSource());
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    if (TypedAttr scalar = scalarOf(op))
      return literalExpression(literal(scalar));
  return std::nullopt;
}

std::string ExpressionPrinter::laneOrOperand(Value value, Precedence least) {
  std::optional<Expression> scalar = lane(value);
  return parenthesize(scalar ? *scalar : expression(value), least);
}

std::string ExpressionPrinter::splatted(Value value) {
  if (isMask(value.getType()))
    return mask(value, masks.of(value)).text;
  return expression(value).text;
}

bool ExpressionPrinter::isBareInteger(Value value) {
  Operation *op = names.contains(value) ? nullptr : value.getDefiningOp();
  if (!op || !value.getType().isIntOrIndex())
    return false;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return elementBits(op->getOperand(0).getType()) == elementBits(value.getType()) && isBareInteger(op->getOperand(0));
  return isa<arith::ConstantOp>(op);
}

Expression ExpressionPrinter::typed(Value value) {
  if (isBareInteger(value))
    return {"(" + typeName(value.getType()) + ")" + operand(value, Precedence::Unary), Precedence::Unary};
  return expression(value);
}

std::string ExpressionPrinter::argument(Value value) {
  return isBareInteger(value) ? typed(value).text : splatted(value);
}

/// Both operands' texts. One that repeats a scalar may stand as the scalar, as long as the other one shows the type.
std::pair<std::string, std::string> ExpressionPrinter::infixOperands(Operation *op, Precedence left, Precedence right) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool wide = elementBits(getElementTypeOrSelf(lhs.getType())) >= 32;
  if (!isa<VectorType>(lhs.getType()) || isMask(lhs.getType()) || !wide)
    return {operand(lhs, left), operand(rhs, right)};
  if (lane(rhs))
    return {operand(lhs, left), laneOrOperand(rhs, right)};
  return {laneOrOperand(lhs, left), operand(rhs, right)};
}

static Precedence tighter(Precedence precedence) { return static_cast<Precedence>(static_cast<int>(precedence) + 1); }

/// Operators whose precedence few people remember get parentheses around operands.
static bool isBitwise(Precedence precedence) {
  return precedence >= Precedence::BitOr && precedence <= Precedence::BitAnd;
}

/// C++ computes narrow integers as `int`; the cast gives a result its own type again.
Expression ExpressionPrinter::ownType(Operation *op, Expression expression) {
  Type type = op->getResult(0).getType();
  if (!isNarrow(type))
    return expression;
  return {"(" + typeName(type) + ")(" + expression.text + ")", Precedence::Unary};
}

Expression ExpressionPrinter::infix(Operation *op, StringRef symbol, Precedence precedence) {
  // x + -1 reads better as x - 1.
  APInt number;
  if (symbol == "+" && op->getOperand(0).getType().isIndex() &&
      matchPattern(op->getOperand(1), m_ConstantInt(&number)) && number.isNegative() && !number.isMinSignedValue())
    return {operand(op->getOperand(0), precedence) + " - " + integerLiteral(-number), precedence};
  Precedence left = precedence, right = tighter(precedence);
  if (isBitwise(precedence) || precedence == Precedence::Shift)
    left = right = Precedence::Unary;
  auto [lhs, rhs] = infixOperands(op, left, right);
  // What is shifted gives the result its type, so that no scalar may stand for it there.
  if (precedence == Precedence::Shift)
    lhs = parenthesize(typed(op->getOperand(0)), left);
  return ownType(op, {lhs + " " + symbol.str() + " " + rhs, precedence});
}

Expression ExpressionPrinter::helper(StringRef fragment, StringRef name, StringRef condition, ValueRange values) {
  prelude.require(fragment, {{"NAME", name.str()}, {"CONDITION", condition.str()}});
  std::string text = name.str() + "(";
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : "") + argument(value);
  return {text + ")"};
}

std::optional<Expression> ExpressionPrinter::arithmetic(Operation *op) {
  if (auto number = dyn_cast<arith::ConstantOp>(op))
    return constant(number);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return select(choice);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(compare);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compareIntegers(compare);
  if (isa<arith::NegFOp>(op))
    return Expression{"-" + operand(op->getOperand(0), Precedence::Primary), Precedence::Unary};
  StringRef name = op->getName().getStringRef();
  StringRef symbol = llvm::StringSwitch<StringRef>(name)
                         .Case("arith.addf", "+")
                         .Case("arith.subf", "-")
                         .Case("arith.mulf", "*")
                         .Case("arith.divf", "/")
                         .Default("");
  if (symbol == "/" && isa<VectorType>(op->getResult(0).getType()) &&
      op->getOperand(1).getDefiningOp<arith::SelectOp>()) {
    // Clang makes `c ? x : x / y` of `x / (c ? 1 : y)`, and divides by what was to be left out.
    prelude.require("computed");
    return Expression{operand(op->getOperand(0), Precedence::Multiplicative) + " / computed(" +
                          expression(op->getOperand(1)).text + ")",
                      Precedence::Multiplicative};
  }
  if (!symbol.empty())
    return infix(op, symbol, symbol == "+" || symbol == "-" ? Precedence::Additive : Precedence::Multiplicative);
  // As in NumPy, of two zeros the first one wins.
  auto [function, condition] = llvm::StringSwitch<std::pair<StringRef, StringRef>>(name)
                                   .Case("arith.maximumf", {"maximum", "(a >= b) | (a != a)"})
                                   .Case("arith.minimumf", {"minimum", "(a <= b) | (a != a)"})
                                   .Case("arith.maxnumf", {"fmax", "(a >= b) | (b != b)"})
                                   .Case("arith.minnumf", {"fmin", "(a <= b) | (b != b)"})
                                   .Case("arith.maxsi", {"max", "a >= b"})
                                   .Case("arith.minsi", {"min", "a <= b"})
                                   .Default({"", ""});
  if (!function.empty())
    return helper("select", function, condition, op->getOperands());
  return integerArithmetic(op);
}

/// The greater or the lesser of two integers without signs.
Expression ExpressionPrinter::unsignedExtreme(Operation *op, StringRef name, StringRef condition) {
  prelude.require("select", {{"NAME", name.str()}, {"CONDITION", condition.str()}});
  std::string both = asUnsigned(op->getOperand(0)).text + ", " + asUnsigned(op->getOperand(1)).text;
  return {"(" + typeOf(op->getResult(0)) + ")" + name.str() + "(" + both + ")", Precedence::Unary};
}

/// Makes an operator that wraps around available for the value's type. Narrow integers are added as 32 bits: as 16, a
/// product could overflow the `int` that C++ computes it in.
void ExpressionPrinter::requireWrap(Value value, StringRef name, StringRef symbol) {
  std::string text = typeOf(value);
  std::string unsignedText = isNarrow(value.getType()) ? "uint32_t" : unsignedName(text);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    vectors.integerName(elementBits(vector.getElementType()), vector.getNumElements(), false);
  prelude.require("wrap_types");
  prelude.require("wrap_type", {{"SIGNED", text}, {"UNSIGNED", unsignedText}});
  prelude.require("wrap", {{"NAME", name.str()}, {"OPERATOR", symbol.str()}});
}

/// Overflow is undefined in C++ and in `index` arithmetic, but not in the user's integers.
Expression ExpressionPrinter::wrapping(Operation *op, StringRef name, StringRef symbol, Precedence precedence) {
  auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr().getValue();
  Type type = op->getResult(0).getType();
  if (getElementTypeOrSelf(type).isIndex() || bitEnumContainsAll(flags, arith::IntegerOverflowFlags::nsw))
    return infix(op, symbol, precedence);
  requireWrap(op->getResult(0), name, symbol);
  std::string second = isa<VectorType>(type) ? splatted(op->getOperand(1)) : expression(op->getOperand(1)).text;
  return {name.str() + "(" + argument(op->getOperand(0)) + ", " + second + ")"};
}

std::optional<Expression> ExpressionPrinter::integerArithmetic(Operation *op) {
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return logical(op);
  bool isBoolean = op->getNumResults() == 1 && getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  if (isBoolean && isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return unsupported(op, "is not printed on booleans");
  if (isa<arith::MaxUIOp>(op))
    return unsignedExtreme(op, "max", "a >= b");
  if (isa<arith::MinUIOp>(op))
    return unsignedExtreme(op, "min", "a <= b");
  if (isa<arith::AddIOp>(op))
    return wrapping(op, "wrap_add", "+", Precedence::Additive);
  if (isa<arith::SubIOp>(op))
    return wrapping(op, "wrap_sub", "-", Precedence::Additive);
  if (isa<arith::MulIOp>(op))
    return wrapping(op, "wrap_mul", "*", Precedence::Multiplicative);
  if (isa<arith::DivSIOp>(op))
    return infix(op, "/", Precedence::Multiplicative);
  if (isa<arith::RemSIOp>(op))
    return infix(op, "%", Precedence::Multiplicative);
  if (isa<arith::ShRSIOp>(op))
    return infix(op, ">>", Precedence::Shift);
  if (isa<arith::ShLIOp>(op))
    return unsignedInfix(op, "<<");
  if (isa<arith::ShRUIOp>(op))
    return unsignedInfix(op, ">>");
  if (isa<arith::DivUIOp>(op))
    return unsignedInfix(op, "/");
  if (isa<arith::RemUIOp>(op))
    return unsignedInfix(op, "%");
  if (isa<CountOp>(op))
    return helper("count", "element_count", "", op->getOperands());
  if (isa<DivisorOp>(op)) {
    StringRef name = isa<VectorType>(op->getResult(0).getType()) ? "divisors" : "divisor";
    return helper(name, name, "", op->getOperands());
  }
  if (isa<arith::FloorDivSIOp>(op) && !isa<VectorType>(op->getResult(0).getType()))
    return helper("floor_div", "floor_div", "", op->getOperands());
  if (isa<arith::CeilDivSIOp>(op) && !isa<VectorType>(op->getResult(0).getType()))
    return helper("ceil_div", "ceil_div", "", op->getOperands());
  return std::nullopt;
}

Expression ExpressionPrinter::unsignedInfix(Operation *op, StringRef symbol, bool unsignedResult) {
  std::string lhs = parenthesize(asUnsigned(op->getOperand(0)), Precedence::Unary);
  std::string rhs = parenthesize(asUnsigned(op->getOperand(1)), Precedence::Unary);
  std::string both = "(" + lhs + " " + symbol.str() + " " + rhs + ")";
  return {"(" + typeOf(op->getResult(0)) + ")" + both, Precedence::Unary};
}

/// `and`, `or` and `xor` of integers, booleans or masks.
Expression ExpressionPrinter::logical(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), result = op->getResult(0);
  bool both = isa<arith::AndIOp>(op), either = isa<arith::OrIOp>(op);
  Precedence bitwise = both ? Precedence::BitAnd : either ? Precedence::BitOr : Precedence::BitXor;
  const char *symbol = both ? "&" : either ? "|" : "^";
  if (!getElementTypeOrSelf(result.getType()).isInteger(1))
    return infix(op, symbol, bitwise);
  if (isMask(result.getType())) {
    unsigned bits = masks.of(result);
    if (!both && !either && matchPattern(rhs, m_One()))
      return {"~" + parenthesize(mask(lhs, bits), Precedence::Primary), Precedence::Unary};
    return {parenthesize(mask(lhs, bits), Precedence::Unary) + " " + symbol + " " +
                parenthesize(mask(rhs, bits), Precedence::Unary),
            bitwise};
  }
  if (!both && !either && matchPattern(rhs, m_One()))
    return {"!" + operand(lhs, Precedence::Primary), Precedence::Unary};
  if (!both && !either)
    return {operand(lhs, Precedence::Additive) + " != " + operand(rhs, Precedence::Additive), Precedence::Equality};
  Precedence precedence = both ? Precedence::LogicalAnd : Precedence::LogicalOr;
  auto inner = [&](Value value) {
    Expression text = expression(value);
    bool mixed = text.precedence == Precedence::LogicalAnd && precedence == Precedence::LogicalOr;
    return mixed ? "(" + text.text + ")" : parenthesize(text, precedence);
  };
  return {inner(lhs) + (both ? " && " : " || ") + inner(rhs), precedence};
}

/// One side of a choice between lanes. NumPy computes both sides, and warns of divisions and roots in either.
std::string ExpressionPrinter::chosenSide(Value side, const std::string &text) {
  Operation *op = side.getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, math::SqrtOp>(op) || !isInlined(op))
    return text;
  prelude.require("computed");
  return "computed(" + text + ")";
}

Expression ExpressionPrinter::select(arith::SelectOp op) {
  Value condition = op.getCondition(), yes = op.getTrueValue(), no = op.getFalseValue();
  if (isMask(op.getType())) {
    unsigned bits = masks.of(op);
    Expression chooser = isMask(condition.getType()) ? mask(condition, bits) : expression(condition);
    std::string type = vectors.integerName(bits, cast<VectorType>(op.getType()).getNumElements(), true);
    // Both sides have to be of one type; a comparison's own is a vector of `long long`.
    Expression first = mask(yes, bits), second = mask(no, bits);
    auto isComparison = [](const Expression &side) {
      return side.precedence == Precedence::Equality || side.precedence == Precedence::Relational;
    };
    bool alike = isComparison(first) && isComparison(second);
    auto typed = [&](const Expression &side) {
      if (alike || side.precedence == Precedence::Primary)
        return parenthesize(side, Precedence::LogicalOr);
      return "(" + type + ")" + parenthesize(side, Precedence::Primary);
    };
    return {parenthesize(chooser, Precedence::LogicalOr) + " ? " + typed(first) + " : " + typed(second),
            Precedence::Conditional};
  }
  if (!isMask(condition.getType())) {
    // Of two literals one has to show the type.
    bool bare = isBareInteger(yes) && isBareInteger(no) && elementBits(op.getType()) == 64;
    std::string first = parenthesize(bare ? typed(yes) : expression(yes), Precedence::LogicalOr);
    return ownType(
        op, {operand(condition, Precedence::LogicalOr) + " ? " + first + " : " + operand(no, Precedence::LogicalOr),
             Precedence::Conditional});
  }
  Type element = getElementTypeOrSelf(op.getType());
  unsigned bits = elementBits(element);
  std::string first = operand(yes, Precedence::LogicalOr), second = operand(no, Precedence::LogicalOr);
  // A scalar beside a vector has to have the lanes' very type, which integer literals don't have.
  if (isa<FloatType>(element) && lane(no))
    second = laneOrOperand(no, Precedence::LogicalOr);
  else if (isa<FloatType>(element))
    first = laneOrOperand(yes, Precedence::LogicalOr);
  first = chosenSide(yes, first);
  second = chosenSide(no, second);
  return {parenthesize(mask(condition, bits), Precedence::LogicalOr) + " ? " + first + " : " + second,
          Precedence::Conditional};
}

} // namespace quernel
