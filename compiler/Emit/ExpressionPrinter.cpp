#include "compiler/Emit/ExpressionPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace quernel {

std::string parenthesize(const Expression &expression, Precedence least) {
  return expression.precedence < least ? "(" + expression.text + ")" : expression.text;
}

Expression ExpressionPrinter::unsupported(Operation *op, const Twine &why) {
  failed = true;
  op->emitOpError(why);
  return {"0"};
}

Expression ExpressionPrinter::expression(Value value) {
  if (auto found = names.find(value); found != names.end())
    return {found->second};
  if (Operation *op = value.getDefiningOp())
    return definition(op);
  // An argument that has been reported already.
  failed = true;
  return {"0"};
}

std::string ExpressionPrinter::operand(Value value, Precedence least) { return parenthesize(expression(value), least); }

/// A bfloat16 is printed as an integer of its bits: one that is computed with would be another number.
static bool computesWithBits(Operation *op) {
  if (!isa_and_present<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return false;
  auto isBits = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  return llvm::any_of(op->getOperandTypes(), isBits) || llvm::any_of(op->getResultTypes(), isBits);
}

Expression ExpressionPrinter::definition(Operation *op) {
  for (Type type : op->getResultTypes()) {
    bool isVector = isa<VectorType>(type);
    if (isVector && !hasVectors())
      return unsupported(op, "has a vector type, which CUDA kernels cannot have");
    if (isVector && !isPrintableVector(type))
      return unsupported(op, "has a vector type that is not of rank 1 with a power of two of printable elements");
    if (!isVector && !isa<MemRefType>(type) && !scalarName(type))
      return unsupported(op, "has a type that cannot be printed");
  }
  if (computesWithBits(op))
    return unsupported(op, "computes with a bfloat16, which is bits alone here");
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return {globals.lookup(global.getName())};
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (load.getIndices().size() != 1)
      return unsupported(op, "needs a memref of rank 1");
    return {operand(load.getMemRef(), Precedence::Primary) + "[" + expression(load.getIndices()[0]).text + "]"};
  }
  if (isa<memref::CastOp>(op))
    return expression(op->getOperand(0));
  for (auto print : {&ExpressionPrinter::arithmetic, &ExpressionPrinter::cast, &ExpressionPrinter::mathematics,
                     &ExpressionPrinter::vectorOp})
    if (std::optional<Expression> result = (this->*print)(op))
      return *result;
  return unsupported(op);
}

std::string ExpressionPrinter::typeName(Type type) {
  const std::string half = getElementTypeOrSelf(type).isF16() ? halfName() : "";
  if (auto vector = dyn_cast<VectorType>(type))
    return vectors.name(vector);
  if (type.isF16())
    return half;
  return scalarName(type).value_or("void");
}

std::string ExpressionPrinter::typeOf(Value value) {
  if (isMask(value.getType()))
    return vectors.integerName(masks.of(value), cast<VectorType>(value.getType()).getNumElements());
  return typeName(value.getType());
}

std::string ExpressionPrinter::pointer(Value base, ValueRange indices) {
  std::string text = operand(base, Precedence::Additive);
  if (indices.empty() || matchPattern(indices.front(), m_Zero()))
    return text;
  return text + " + " + operand(indices.front(), Precedence::Additive);
}

} // namespace quernel
