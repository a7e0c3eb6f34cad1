// Scalar arithmetic with NumPy's semantics, from upstream operations, without branches. Everything works on vectors
// too, lane by lane.
#ifndef QUERNEL_DIALECT_SCALARBUILDER_H
#define QUERNEL_DIALECT_SCALARBUILDER_H

#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace quernel {

enum class Order { eq, ne, lt, le, gt, ge };

/// Builds scalar code at the builder's insertion point. Values are signless; `dtype`, the operands' type in the quernel
/// dialect, tells whether they are unsigned.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type dtype = {})
      : builder(builder), loc(loc), isUnsigned(dtype && mlir::getElementTypeOrSelf(dtype).isUnsignedInteger()) {}

  template <typename Op> mlir::Value make(mlir::Value x) { return builder.createOrFold<Op>(loc, x); }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) { return builder.createOrFold<Op>(loc, x, y); }

  static bool isFloat(mlir::Value x) { return llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(x)); }
  static bool isComplex(mlir::Value x);
  static bool isInteger(mlir::Value x) { return !isFloat(x) && !isComplex(x); }
  static bool isBool(mlir::Value x) { return mlir::getElementTypeOrSelf(x).isInteger(1); }

  /// A constant of a scalar type, or the same in every lane of a vector type.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::Type type, mlir::Attribute scalar);
  mlir::Value constantLike(mlir::Value x, double value) { return constant(x.getType(), value); }
  mlir::Value index(int64_t value);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value compare(Order order, mlir::Value x, mlir::Value y);
  mlir::Value invert(mlir::Value x);
  /// Nonzero; NaN is true.
  mlir::Value truth(mlir::Value x);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  /// x * y + z of floats, rounded once where the processor can, as NumPy's vector loops do.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);
  /// Of floats and complex numbers.
  mlir::Value divide(mlir::Value x, mlir::Value y);
  mlir::Value negate(mlir::Value x);
  mlir::Value reciprocal(mlir::Value x);
  mlir::Value absolute(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  /// sqrt(x² + y²), with the bits of the C library.
  mlir::Value hypot(mlir::Value x, mlir::Value y);
  /// Division rounds down; an integer divided by zero is 0, as in NumPy.
  mlir::Value floorDivide(mlir::Value x, mlir::Value y);
  /// The result has the divisor's sign.
  mlir::Value remainder(mlir::Value x, mlir::Value y);
  /// The result has the dividend's sign.
  mlir::Value fmod(mlir::Value x, mlir::Value y);
  /// An integer's power wraps around; the exponent isn't negative.
  mlir::Value power(mlir::Value x, mlir::Value y);
  /// Counts outside the type's width give 0, or the sign on the right.
  mlir::Value shift(mlir::Value x, mlir::Value count, bool left);

  /// The greatest common divisor; not negative, but where an absolute value isn't an integer of the type.
  mlir::Value greatestDivisor(mlir::Value x, mlir::Value y);
  /// How many bits of the absolute value are set.
  mlir::Value bitCount(mlir::Value x);
  /// The float beside `x` on the way to `y`.
  mlir::Value nextafter(mlir::Value x, mlir::Value y);
  /// How far the next float away from 0 is, with the sign of `x`.
  mlir::Value spacing(mlir::Value x);

  /// NaN wins.
  mlir::Value maximum(mlir::Value x, mlir::Value y);
  mlir::Value minimum(mlir::Value x, mlir::Value y);
  /// NaN loses.
  mlir::Value fmax(mlir::Value x, mlir::Value y);
  mlir::Value fmin(mlir::Value x, mlir::Value y);

  /// To the nearest whole number, halves to even ones.
  mlir::Value rint(mlir::Value x);

  mlir::Value isnan(mlir::Value x);
  mlir::Value isinf(mlir::Value x);
  mlir::Value isfinite(mlir::Value x);
  mlir::Value signbit(mlir::Value x);

  /// The parts of a complex number, and a complex number of its parts. A real number is its own real part.
  mlir::Value real(mlir::Value z);
  mlir::Value imag(mlir::Value z);
  mlir::Value join(mlir::Value re, mlir::Value im);
  mlir::Value conjugate(mlir::Value z);
  mlir::Value eachPart(mlir::Value z, llvm::function_ref<mlir::Value(mlir::Value)> function);
  mlir::Value eachPart(mlir::Value x, mlir::Value y,
                       llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> function);

  /// Conversion to a type of the quernel dialect as `astype` does it: to bool by truth, to integers by truncation.
  mlir::Value cast(mlir::Value x, mlir::Type type);
  mlir::Value bitcast(mlir::Value x, mlir::Type type);

  /// What a loop calls an operation's reduction of a dtype: signless operands don't tell that `umin` orders them
  /// without signs.
  static ReductionKind loopKind(llvm::StringRef kind, mlir::Type dtype);
  /// Whether elements may be combined in pieces and in lanes, and what these give then. Products of floats may not: a
  /// piece that is 0 and one that overflows make NaN of a product that is 0, or infinite, in NumPy's order.
  static bool mayRegroup(ReductionKind kind, mlir::Type type);
  /// Whether `x` beats `best` in a search (argmin argmax uargmin uargmax); NaN beats all but NaN.
  mlir::Value beats(ReductionKind kind, mlir::Value x, mlir::Value best);

  /// The value that changes nothing in a reduction.
  mlir::Value identity(ReductionKind kind, mlir::Type type);
  /// One step of a reduction.
  mlir::Value combine(ReductionKind kind, mlir::Value sofar, mlir::Value next);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Whether integers are unsigned.
  bool isUnsigned;

private:
  ScalarBuilder forKind(ReductionKind &kind) const;
  mlir::Value multiplyComplex(mlir::Value x, mlir::Value y);
  mlir::Value lengthOf(mlir::Value z);
  mlir::Value signComplex(mlir::Value z);
  mlir::Value compareComplex(Order order, mlir::Value x, mlir::Value y);
  mlir::Value extremeComplex(Order order, mlir::Value x, mlir::Value y, bool nanWins);
  mlir::Value castComplex(mlir::Value z, mlir::Type type);
  mlir::Value floatToInteger(mlir::Value x, mlir::IntegerType type);
  mlir::Value narrowFloat(mlir::Value x, mlir::Type to);
  mlir::Value fromBFloat(mlir::Value x);
  mlir::Value toBFloat(mlir::Value x);
  mlir::Value compareBools(Order order, mlir::Value x, mlir::Value y);
  mlir::Value floatRemainder(mlir::Value x, mlir::Value y);
  mlir::Value toldDivisor(mlir::Value y, mlir::Value dividend = {});
  mlir::Value guardedDivisor(mlir::Value x, mlir::Value y);
  mlir::Value integerPower(mlir::Value x, mlir::Value y);
  mlir::Value stepped(mlir::Value x, mlir::Value isUp);
};

} // namespace quernel

#endif
