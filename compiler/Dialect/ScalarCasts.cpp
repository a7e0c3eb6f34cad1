// Conversions between dtypes.
#include "compiler/Dialect/ScalarBuilder.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

/// Numbers out of range give what x86-64 gives in C: narrow integers are cut from wider ones.
Value ScalarBuilder::floatToInteger(Value x, IntegerType type) {
  unsigned width = type.getWidth();
  auto target = cast<IntegerType>(signless(type));
  if (type.isUnsigned() && width == 64) {
    Value limit = constantLike(x, std::ldexp(1.0, 63));
    Value low = builder.createOrFold<arith::FPToSIOp>(loc, target, x);
    Value high = builder.createOrFold<arith::FPToSIOp>(loc, target, sub(x, limit));
    Value sign = constant(target, builder.getIntegerAttr(target, APInt::getSignedMinValue(64)));
    return select(compare(Order::ge, x, limit), make<arith::XOrIOp>(high, sign), low);
  }
  unsigned through = width == 64 || (width == 32 && type.isUnsigned()) ? 64 : 32;
  Value wide = builder.createOrFold<arith::FPToSIOp>(loc, builder.getIntegerType(through), x);
  return through == width ? wide : builder.createOrFold<arith::TruncIOp>(loc, target, wide);
}

/// To or from a complex type. Reals have no imaginary part, and get none.
Value ScalarBuilder::castComplex(Value z, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return cast(real(z), type);
  Type part = complex.getElementType();
  return join(cast(real(z), part), isComplex(z) ? cast(imag(z), part) : constant(part, 0));
}

Value ScalarBuilder::cast(Value x, Type type) {
  Type from = x.getType(), to = signless(type);
  if (from == to)
    return x;
  if (isComplex(x) && to.isInteger(1))
    return truth(x);
  if (isComplex(x) || isa<ComplexType>(to))
    return castComplex(x, type);
  if (to.isInteger(1))
    return truth(x);
  bool hasNoSign = isBool(x) || isUnsigned;
  if (isa<FloatType>(to)) {
    if (isFloat(x))
      return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()
                 ? builder.createOrFold<arith::ExtFOp>(loc, to, x)
                 : builder.createOrFold<arith::TruncFOp>(loc, to, x);
    return hasNoSign ? builder.createOrFold<arith::UIToFPOp>(loc, to, x)
                     : builder.createOrFold<arith::SIToFPOp>(loc, to, x);
  }
  if (isFloat(x))
    return floatToInteger(x, llvm::cast<IntegerType>(type));
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return builder.createOrFold<arith::TruncIOp>(loc, to, x);
  return hasNoSign ? builder.createOrFold<arith::ExtUIOp>(loc, to, x)
                   : builder.createOrFold<arith::ExtSIOp>(loc, to, x);
}

/// The same bits as a number of another type.
Value ScalarBuilder::bitcast(Value x, Type type) {
  Type to = signless(type);
  return x.getType() == to ? x : builder.createOrFold<arith::BitcastOp>(loc, to, x);
}
