// Values as C++ expressions. The statements around them are StatementPrinter's.
#ifndef QUERNEL_COMPILER_EMIT_EXPRESSIONPRINTER_H
#define QUERNEL_COMPILER_EMIT_EXPRESSIONPRINTER_H

#include "compiler/Emit/Emit.h"
#include "compiler/Emit/ExpressionPlan.h"
#include "compiler/Emit/Masks.h"
#include "compiler/Emit/Prelude.h"
#include "compiler/Emit/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace quernel {

struct MathFunction;

/// C++'s operators, from the loosest to the tightest.
enum class Precedence {
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary,
  Predicate, ///< a call of a helper that returns a comparison's own type, a vector of `long long`
};

struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;
};

class ExpressionPrinter {
public:
  virtual ~ExpressionPrinter() = default;

protected:
  ExpressionPrinter(const EmitOptions &options, llvm::StringRef functionQualifier)
      : options(options), prelude(functionQualifier) {}

  /// What the two languages spell differently.
  virtual bool hasVectors() const = 0;
  virtual std::string halfName() = 0;
  virtual std::string specialFloat(const llvm::APFloat &value) = 0;
  /// Makes the function available for the type, scalar or vector.
  virtual void requireMath(const MathFunction &function, mlir::Type type) = 0;

  /// The value's variable, or the text of the op that is inlined here.
  Expression expression(mlir::Value value);
  /// The text of an op with one result.
  Expression definition(mlir::Operation *op);
  /// The value as an operand of an operator that binds as tightly as `least`.
  std::string operand(mlir::Value value, Precedence least);
  /// The value as an argument of a helper, in its full type.
  std::string argument(mlir::Value value);
  /// Whether the value is printed as a bare integer, which is an `int` in C++ whatever its type in MLIR is.
  bool isBareInteger(mlir::Value value);
  /// The value's expression, which has the value's type in C++ too, with a cast where it is a bare integer.
  Expression typed(mlir::Value value);
  /// A scalar that the compiler spreads over the lanes of the other operand, or the value itself.
  std::string laneOrOperand(mlir::Value value, Precedence least);
  /// The mask as a vector of integers with so many bits each.
  Expression mask(mlir::Value value, unsigned bits);

  std::string literal(mlir::TypedAttr attribute);
  /// The C++ type of a value's variable.
  std::string typeOf(mlir::Value value);
  std::string typeName(mlir::Type type);
  std::string pointer(mlir::Value base, mlir::ValueRange indices);
  bool isInlined(mlir::Operation *op) const { return plan && plan->isInlined(op); }

  /// Reports the op once and lets printing go on, so that one run reports every problem.
  Expression unsupported(mlir::Operation *op, const llvm::Twine &why = "cannot be printed");

  const EmitOptions &options;
  Prelude prelude;
  VectorTypes vectors;
  MaskWidths masks;
  std::optional<ExpressionPlan> plan;
  llvm::DenseMap<mlir::Value, std::string> names;
  /// C++ names of the module's constants.
  llvm::StringMap<std::string> globals;
  bool failed = false;

private:
  // Arithmetic.cpp
  Expression constant(mlir::arith::ConstantOp op);
  Expression infix(mlir::Operation *op, llvm::StringRef symbol, Precedence precedence);
  std::pair<std::string, std::string> infixOperands(mlir::Operation *op, Precedence left, Precedence right);
  std::optional<Expression> arithmetic(mlir::Operation *op);
  std::optional<Expression> integerArithmetic(mlir::Operation *op);
  Expression unsignedInfix(mlir::Operation *op, llvm::StringRef symbol, bool unsignedResult = false);
  Expression ownType(mlir::Operation *op, Expression expression);
  Expression unsignedExtreme(mlir::Operation *op, llvm::StringRef name, llvm::StringRef condition);
  std::string number(mlir::Type element, mlir::TypedAttr attribute);
  void requireWrap(mlir::Value value, llvm::StringRef name, llvm::StringRef symbol);
  Expression wrapping(mlir::Operation *op, llvm::StringRef name, llvm::StringRef symbol, Precedence precedence);
  Expression logical(mlir::Operation *op);
  std::string chosenSide(mlir::Value side, const std::string &text);
  Expression select(mlir::arith::SelectOp op);
  Expression helper(llvm::StringRef fragment, llvm::StringRef name, llvm::StringRef condition, mlir::ValueRange values);
  Expression predicate(llvm::StringRef name, llvm::StringRef condition, mlir::ValueRange values);
  std::string splatted(mlir::Value value);
  std::optional<Expression> lane(mlir::Value value);

  // Comparisons.cpp
  Expression compareFloats(mlir::arith::CmpFOp op);
  Expression compareIntegers(mlir::arith::CmpIOp op);
  Expression comparison(mlir::Operation *op, llvm::StringRef symbol);
  Expression negated(Expression expression, bool isVector);
  Expression narrowLanes(mlir::Operation *op, Expression comparison);
  std::optional<Expression> classification(mlir::Operation *op);

  // Casts.cpp
  std::optional<Expression> cast(mlir::Operation *op);
  Expression floatToInteger(mlir::Operation *op);
  Expression castTo(mlir::Operation *op, bool unsignedSource = false, bool unsignedTarget = false);
  Expression fromBoolean(mlir::Operation *op, bool isSigned);
  Expression toBoolean(mlir::Operation *op);
  Expression asUnsigned(mlir::Value value);

  // Mathematics.cpp
  std::optional<Expression> mathematics(mlir::Operation *op);
  Expression mathCall(mlir::Operation *op, const MathFunction &function);

  // VectorAccess.cpp
  std::optional<Expression> vectorOp(mlir::Operation *op);
  Expression load(mlir::vector::LoadOp op);
  Expression gather(mlir::vector::GatherOp op);
  void requireStrided(mlir::VectorType type, llvm::StringRef stride);
  Expression extract(mlir::vector::ExtractOp op);
  Expression insert(mlir::vector::InsertOp op);
  Expression shuffle(mlir::vector::ShuffleOp op);
  Expression interleave(mlir::vector::InterleaveOp op);
  Expression fromElements(mlir::vector::FromElementsOp op);

protected:
  /// `base + index + start`, and the stride, where the index vector is a progression.
  struct Strided {
    std::string pointer;
    std::string stride;
    bool isConstant;
  };
  std::optional<Strided> strided(mlir::Value base, mlir::ValueRange offsets, mlir::Value indices);
  static bool isFullMask(mlir::Value mask);
};

/// The expression, in parentheses if it binds less tightly.
std::string parenthesize(const Expression &expression, Precedence least);

} // namespace quernel

#endif
