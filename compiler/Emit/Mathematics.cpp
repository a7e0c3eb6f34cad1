#include "compiler/Emit/Mathematics.h"
#include "compiler/Emit/ExpressionPrinter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace quernel {

static const MathFunction functions[] = {
    {"sqrt", 1, "", "sqrt"},  {"floor", 1, "", "floor"}, {"ceil", 1, "", "ceil"}, {"trunc", 1, "", "trunc"},
    {"rint", 1, "", "rint"},  {"round", 1, "", "round"}, {"fabs", 1, "", "abs"},  {"copysign", 2, "", "copysign"},
    {"fma", 3, "", "fma"},    {"sin", 1, "_u10", ""},    {"cos", 1, "_u10", ""},  {"tan", 1, "_u10", ""},
    {"asin", 1, "_u10", ""},  {"acos", 1, "_u10", ""},   {"atan", 1, "_u10", ""}, {"atan2", 2, "_u10", ""},
    {"sinh", 1, "_u10", ""},  {"cosh", 1, "_u10", ""},   {"tanh", 1, "_u10", ""}, {"asinh", 1, "_u10", ""},
    {"acosh", 1, "_u10", ""}, {"atanh", 1, "_u10", ""},  {"exp", 1, "_u10", ""},  {"exp2", 1, "_u10", ""},
    {"expm1", 1, "_u10", ""}, {"log", 1, "_u10", ""},    {"log2", 1, "_u10", ""}, {"log10", 1, "_u10", ""},
    {"log1p", 1, "_u10", ""}, {"cbrt", 1, "_u10", ""},   {"pow", 2, "_u10", ""},  {"erf", 1, "_u10", ""},
    {"erfc", 1, "_u15", ""},  {"fmod", 2, "_", ""},
};

llvm::ArrayRef<MathFunction> mathFunctions() { return functions; }

const MathFunction *findMathFunction(StringRef name) {
  auto found = llvm::find_if(functions, [&](const MathFunction &function) { return function.name == name; });
  return found == std::end(functions) ? nullptr : found;
}

/// The name in C where the op's name differs from it.
static StringRef nameInC(StringRef opName) {
  return llvm::StringSwitch<StringRef>(opName)
      .Case("math.absf", "fabs")
      .Case("math.powf", "pow")
      .Case("math.roundeven", "rint")
      .Case("arith.remf", "fmod")
      .Default(opName.starts_with("math.") ? opName.drop_front(5) : "");
}

const MathFunction *mathFunctionOf(Operation *op) { return findMathFunction(nameInC(op->getName().getStringRef())); }

Expression ExpressionPrinter::mathCall(Operation *op, const MathFunction &function) {
  requireMath(function, op->getResult(0).getType());
  std::string text = function.name.str() + "(";
  for (auto [index, value] : llvm::enumerate(op->getOperands()))
    text += (index ? ", " : "") + argument(value);
  return {text + ")"};
}

std::optional<Expression> ExpressionPrinter::mathematics(Operation *op) {
  if (const MathFunction *function = mathFunctionOf(op))
    return mathCall(op, *function);
  if (auto absolute = dyn_cast<math::AbsIOp>(op)) {
    // Through the unsigned type, since the least integer's absolute value is itself.
    std::string text = argument(absolute.getOperand());
    requireWrap(absolute.getResult(), "wrap_sub", "-");
    prelude.require("absolute");
    return Expression{"absolute(" + text + ")"};
  }
  return classification(op);
}

} // namespace quernel
