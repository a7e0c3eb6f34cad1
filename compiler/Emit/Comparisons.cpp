// Comparisons, tests for NaN, and how masks are read.
#include "compiler/Emit/ExpressionPrinter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace quernel {

static bool isEquality(StringRef symbol) { return symbol == "==" || symbol == "!="; }

/// A call of a helper that asks something of each lane.
Expression ExpressionPrinter::predicate(StringRef name, StringRef condition, ValueRange values) {
  Expression call = helper(values.size() == 1 ? "predicate" : "predicate_two", name, condition, values);
  bool isVector = isa<VectorType>(values.front().getType());
  return {call.text, isVector ? Precedence::Predicate : Precedence::Primary};
}

/// Lanes of 8 bits are `char` or `signed char`, depending on the compiler.
Expression ExpressionPrinter::narrowLanes(Operation *op, Expression comparison) {
  auto vector = dyn_cast<VectorType>(op->getOperand(0).getType());
  if (!vector || elementBits(vector.getElementType()) > 16)
    return comparison;
  std::string type = vectors.integerName(elementBits(vector.getElementType()), vector.getNumElements());
  return {"(" + type + ")(" + comparison.text + ")", Precedence::Unary};
}

Expression ExpressionPrinter::comparison(Operation *op, StringRef symbol) {
  Precedence precedence = isEquality(symbol) ? Precedence::Equality : Precedence::Relational;
  auto [lhs, rhs] = infixOperands(op, Precedence::Additive, Precedence::Additive);
  return narrowLanes(op, {lhs + " " + symbol.str() + " " + rhs, precedence});
}

Expression ExpressionPrinter::negated(Expression expression, bool isVector) {
  return {(isVector ? "~" : "!") + parenthesize(expression, Precedence::Primary), Precedence::Unary};
}

Expression ExpressionPrinter::compareFloats(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  bool isVector = isa<VectorType>(op.getType());
  switch (op.getPredicate()) {
  case P::OEQ:
    return comparison(op, "==");
  case P::OGT:
    return comparison(op, ">");
  case P::OGE:
    return comparison(op, ">=");
  case P::OLT:
    return comparison(op, "<");
  case P::OLE:
    return comparison(op, "<=");
  case P::UGT:
    return negated(comparison(op, "<="), isVector);
  case P::UGE:
    return negated(comparison(op, "<"), isVector);
  case P::ULT:
    return negated(comparison(op, ">="), isVector);
  case P::ULE:
    return negated(comparison(op, ">"), isVector);
  case P::ONE:
    return predicate("less_or_greater", "(a < b) | (a > b)", op.getOperands());
  case P::UEQ:
    return negated(predicate("less_or_greater", "(a < b) | (a > b)", op.getOperands()), isVector);
  case P::UNE:
  case P::UNO:
  case P::ORD:
    break;
  case P::AlwaysFalse:
  case P::AlwaysTrue:
    return unsupported(op, "should have been folded");
  }
  if (op.getPredicate() == P::UNE && op.getLhs() != op.getRhs())
    return comparison(op, "!=");
  Expression unordered = op.getLhs() == op.getRhs() ? predicate("isnan", "x != x", op.getLhs())
                                                    : predicate("unordered", "(a != a) | (b != b)", op.getOperands());
  return op.getPredicate() == P::ORD ? negated(unordered, isVector) : unordered;
}

Expression ExpressionPrinter::compareIntegers(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  if (isMask(op.getLhs().getType()))
    return unsupported(op, "compares masks");
  StringRef symbol;
  bool isUnsigned = false;
  switch (op.getPredicate()) {
  case P::eq:
    return comparison(op, "==");
  case P::ne:
    return comparison(op, "!=");
  case P::ult:
    isUnsigned = true;
    [[fallthrough]];
  case P::slt:
    symbol = "<";
    break;
  case P::ule:
    isUnsigned = true;
    [[fallthrough]];
  case P::sle:
    symbol = "<=";
    break;
  case P::ugt:
    isUnsigned = true;
    [[fallthrough]];
  case P::sgt:
    symbol = ">";
    break;
  case P::uge:
    isUnsigned = true;
    [[fallthrough]];
  case P::sge:
    symbol = ">=";
    break;
  }
  if (op.getLhs().getType().isInteger(1))
    return unsupported(op, "orders booleans");
  if (!isUnsigned)
    return comparison(op, symbol);
  std::string lhs = parenthesize(asUnsigned(op.getLhs()), Precedence::Additive);
  std::string rhs = parenthesize(asUnsigned(op.getRhs()), Precedence::Additive);
  return narrowLanes(op, {lhs + " " + symbol.str() + " " + rhs, Precedence::Relational});
}

std::optional<Expression> ExpressionPrinter::classification(Operation *op) {
  if (isa<math::IsNaNOp>(op))
    return predicate("isnan", "x != x", op->getOperands());
  if (isa<math::IsInfOp>(op))
    return predicate("isinf", "(x == x) & (x - x != x - x)", op->getOperands());
  if (isa<math::IsFiniteOp>(op))
    return predicate("isfinite", "x - x == x - x", op->getOperands());
  return std::nullopt;
}

Expression ExpressionPrinter::mask(Value value, unsigned bits) {
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  std::string type = vectors.integerName(bits, lanes);
  Operation *op = names.contains(value) ? nullptr : value.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<vector::BroadcastOp>(op)) {
    prelude.require("splat");
    // Negation makes an int of a narrower number: the cast comes last.
    std::string number = "(" + *scalarName(IntegerType::get(op->getContext(), bits)) + ")-";
    return {"splat<" + type + ">(" + number + operand(broadcast.getSource(), Precedence::Unary) + ")"};
  }
  if (op && matchPattern(op, m_Zero()))
    return {type + "{}"};
  if (op && matchPattern(op, m_One()))
    return {"~" + type + "{}", Precedence::Unary};
  if (masks.of(value) == bits)
    return expression(value);
  return {"__builtin_convertvector(" + expression(value).text + ", " + type + ")"};
}

} // namespace quernel
