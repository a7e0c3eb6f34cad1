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

/// To a narrower float type. From 64 bits to 16 by way of 32: what these cut off is noted in the last bit that they
/// keep (they are rounded to odd), so that the second rounding sees it.
Value ScalarBuilder::narrowFloat(Value x, Type to) {
  if (!x.getType().isF64() || !to.isF16())
    return builder.createOrFold<arith::TruncFOp>(loc, to, x);
  Type single = builder.getF32Type(), bits = builder.getI32Type();
  Value near = builder.createOrFold<arith::TruncFOp>(loc, single, x);
  Value back = builder.createOrFold<arith::ExtFOp>(loc, x.getType(), near);
  // The neighbour on the other side of `x`: the magnitude's bits count up and down.
  Value isLess = compare(Order::lt, back, x), isMore = compare(Order::gt, back, x);
  Value isPositive = compare(Order::gt, x, constantLike(x, 0));
  Value up = builder.createOrFold<arith::SelectOp>(loc, isPositive, isLess, isMore);
  Value isCut = make<arith::OrIOp>(isLess, isMore);
  Value word = bitcast(near, bits);
  Value one = constant(bits, 1), other = select(up, make<arith::AddIOp>(word, one), make<arith::SubIOp>(word, one));
  Value isEven = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, make<arith::AndIOp>(word, one),
                                                     constant(bits, 0));
  Value odd = select(make<arith::AndIOp>(isCut, isEven), other, word);
  return builder.createOrFold<arith::TruncFOp>(loc, to, bitcast(odd, single));
}

/// A bfloat16 is the upper half of a float's bits, so that no processor needs to know it.
Value ScalarBuilder::fromBFloat(Value x) {
  Type half = builder.getI16Type(), word = builder.getI32Type();
  Value wide = builder.createOrFold<arith::ExtUIOp>(loc, word, bitcast(x, half));
  Value bits = builder.createOrFold<arith::ShLIOp>(loc, wide, constant(word, 16));
  return bitcast(bits, builder.getF32Type());
}

/// Of a float: rounded to the nearest, ties to even. NaN keeps its sign alone, as ml_dtypes has it.
Value ScalarBuilder::toBFloat(Value x) {
  Type half = builder.getI16Type(), word = builder.getI32Type();
  auto upper = [&](Value bits) { return builder.createOrFold<arith::ShRUIOp>(loc, bits, constant(word, 16)); };
  Value bits = bitcast(x, word), top = upper(bits);
  Value odd = make<arith::AndIOp>(top, constant(word, 1));
  Value rounded = upper(make<arith::AddIOp>(make<arith::AddIOp>(bits, constant(word, 0x7fff)), odd));
  Value sign = make<arith::AndIOp>(top, constant(word, 0x8000));
  Value nan = make<arith::OrIOp>(sign, constant(word, 0x7fc0));
  Value chosen = select(isnan(x), nan, rounded);
  return bitcast(builder.createOrFold<arith::TruncIOp>(loc, half, chosen), builder.getBF16Type());
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
  if (from.isBF16())
    return cast(fromBFloat(x), type);
  if (isComplex(x) && to.isInteger(1))
    return truth(x);
  if (isComplex(x) || isa<ComplexType>(to))
    return castComplex(x, type);
  if (to.isInteger(1))
    return truth(x);
  bool hasNoSign = isBool(x) || isUnsigned;
  Type single = builder.getF32Type();
  if (to.isBF16())
    return toBFloat(cast(x, single));
  if (from.isF16() && to != single) // as NumPy does, also for what rounds twice then
    return cast(builder.createOrFold<arith::ExtFOp>(loc, single, x), type);
  if (to.isF16() && !isFloat(x))
    return narrowFloat(cast(x, single), to);
  if (isa<FloatType>(to)) {
    if (isFloat(x))
      return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth() ? builder.createOrFold<arith::ExtFOp>(loc, to, x)
                                                                       : narrowFloat(x, to);
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
