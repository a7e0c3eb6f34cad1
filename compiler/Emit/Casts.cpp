// arith's conversions.
#include "compiler/Emit/ExpressionPrinter.h"

using namespace mlir;

namespace quernel {

Expression ExpressionPrinter::asUnsigned(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  unsigned bits = elementBits(getElementTypeOrSelf(value.getType()));
  std::string type =
      vector ? vectors.integerName(bits, vector.getNumElements(), false) : unsignedName(typeName(value.getType()));
  return {"(" + type + ")" + operand(value, Precedence::Unary), Precedence::Unary};
}

Expression ExpressionPrinter::castTo(Operation *op, bool unsignedSource, bool unsignedTarget) {
  Value source = op->getOperand(0);
  Expression from = unsignedSource ? asUnsigned(source) : expression(source);
  std::string target = typeOf(op->getResult(0));
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector) {
    std::string text = parenthesize(from, Precedence::Unary);
    // Out of an unsigned integer's range a plain cast of a float is undefined, so it goes by the unsigned type.
    std::string through = unsignedTarget ? "(" + unsignedName(target) + ")" : "";
    return {"(" + target + ")" + through + text, Precedence::Unary};
  }
  if (unsignedTarget) {
    unsigned bits = elementBits(vector.getElementType());
    std::string through = vectors.integerName(bits, vector.getNumElements(), false);
    return {"(" + target + ")__builtin_convertvector(" + from.text + ", " + through + ")", Precedence::Unary};
  }
  return {"__builtin_convertvector(" + from.text + ", " + target + ")"};
}

/// A float that is out of the integer's range may be converted, and NaN too: a program may do so for a value that
/// nobody needs then.
Expression ExpressionPrinter::floatToInteger(Operation *op) {
  bool isVector = isa<VectorType>(op->getResult(0).getType());
  std::string name = isVector ? "to_integers" : "to_integer";
  prelude.require(name);
  return {name + "<" + typeOf(op->getResult(0)) + ">(" + expression(op->getOperand(0)).text + ")"};
}

/// A boolean as a number: true is 1, or -1 where its one bit is a sign.
Expression ExpressionPrinter::fromBoolean(Operation *op, bool isSigned) {
  Value source = op->getOperand(0);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  std::string target = typeOf(op->getResult(0));
  if (!isMask(source.getType()))
    return {"(" + target + ")" + (isSigned ? "-" : "") + operand(source, Precedence::Unary), Precedence::Unary};
  unsigned bits = elementBits(element);
  bool isFloat = isa<FloatType>(element);
  Expression lanes = mask(source, bits);
  // A comparison's own type is a vector of `long long`, which templates don't take for one of int64_t.
  std::string typed = (isFloat || lanes.precedence == Precedence::Primary ? "" : "(" + target + ")") +
                      parenthesize(lanes, Precedence::Primary);
  if (!isFloat && isSigned)
    return {typed, Precedence::Unary};
  std::string number = "-" + typed;
  if (!isFloat)
    return {number, Precedence::Unary};
  return {"__builtin_convertvector(" + (isSigned ? lanes.text : number) + ", " + target + ")"};
}

Expression ExpressionPrinter::toBoolean(Operation *op) {
  Value source = op->getOperand(0);
  if (!isa<VectorType>(source.getType()))
    return {"(" + operand(source, Precedence::Unary) + " & 1) != 0", Precedence::Equality};
  return narrowLanes(op, {"(" + operand(source, Precedence::Unary) + " & 1) != 0", Precedence::Equality});
}

std::optional<Expression> ExpressionPrinter::cast(Operation *op) {
  if (!isa<CastOpInterface>(op) || op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()), to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<arith::BitcastOp>(op)) {
    if (isa<VectorType>(op->getResult(0).getType()))
      return Expression{"(" + typeOf(op->getResult(0)) + ")" + operand(op->getOperand(0), Precedence::Unary),
                        Precedence::Unary};
    return Expression{"__builtin_bit_cast(" + typeOf(op->getResult(0)) + ", " + argument(op->getOperand(0)) + ")"};
  }
  if (to.isInteger(1) && isa<arith::TruncIOp>(op))
    return toBoolean(op);
  if (to.isInteger(1))
    return std::nullopt;
  if (from.isInteger(1))
    return fromBoolean(op, isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && elementBits(from) == elementBits(to))
    return expression(op->getOperand(0));
  if (isa<arith::ExtSIOp, arith::ExtFOp, arith::TruncIOp, arith::TruncFOp, arith::SIToFPOp, arith::IndexCastOp>(op))
    return castTo(op);
  if (isa<arith::FPToSIOp>(op))
    return floatToInteger(op);
  if (isa<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(op))
    return castTo(op, /*unsignedSource=*/true);
  if (isa<arith::FPToUIOp>(op))
    return castTo(op, false, /*unsignedTarget=*/true);
  return std::nullopt;
}

} // namespace quernel
