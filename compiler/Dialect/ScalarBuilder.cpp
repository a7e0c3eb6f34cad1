#include "compiler/Dialect/ScalarBuilder.h"
#include "compiler/Dialect/ComplexFunctions.h"
#include "compiler/Dialect/Formula.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

Value ScalarBuilder::constant(Type type, Attribute scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vector, ArrayRef<Attribute>(scalar)));
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto parts = llvm::cast<ArrayAttr>(scalar);
    Type part = complex.getElementType();
    return join(constant(part, parts[0]), constant(part, parts[1]));
  }
  return arith::ConstantOp::create(builder, loc, llvm::cast<TypedAttr>(scalar));
}

Value ScalarBuilder::constant(Type type, double value) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return join(constant(complex.getElementType(), value), constant(complex.getElementType(), 0));
  Type element = getElementTypeOrSelf(type);
  if (auto floating = dyn_cast<FloatType>(element))
    return constant(type, builder.getFloatAttr(floating, value));
  return constant(type, builder.getIntegerAttr(element, static_cast<int64_t>(value)));
}

Value ScalarBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value ScalarBuilder::select(Value condition, Value x, Value y) {
  if (isComplex(x))
    return eachPart(x, y, [&](Value a, Value b) { return select(condition, a, b); });
  return builder.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

static arith::CmpFPredicate floatPredicate(Order order) {
  using P = arith::CmpFPredicate;
  constexpr P table[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
  return table[static_cast<int>(order)];
}

static arith::CmpIPredicate integerPredicate(Order order, bool isUnsigned) {
  using P = arith::CmpIPredicate;
  constexpr P table[2][6] = {{P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge},
                             {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge}};
  return table[isUnsigned][static_cast<int>(order)];
}

/// Booleans compare by logic alone, so that masks stay masks.
Value ScalarBuilder::compareBools(Order order, Value x, Value y) {
  switch (order) {
  case Order::eq:
    return invert(make<arith::XOrIOp>(x, y));
  case Order::ne:
    return make<arith::XOrIOp>(x, y);
  case Order::lt:
    return make<arith::AndIOp>(invert(x), y);
  case Order::le:
    return make<arith::OrIOp>(invert(x), y);
  case Order::gt:
    return make<arith::AndIOp>(x, invert(y));
  default:
    return make<arith::OrIOp>(x, invert(y));
  }
}

Value ScalarBuilder::compare(Order order, Value x, Value y) {
  if (isComplex(x))
    return compareComplex(order, x, y);
  if (isFloat(x))
    return builder.createOrFold<arith::CmpFOp>(loc, floatPredicate(order), x, y);
  if (isBool(x))
    return compareBools(order, x, y);
  return builder.createOrFold<arith::CmpIOp>(loc, integerPredicate(order, isUnsigned), x, y);
}

Value ScalarBuilder::invert(Value x) { return make<arith::XOrIOp>(x, constantLike(x, -1)); }

Value ScalarBuilder::truth(Value x) { return isBool(x) ? x : compare(Order::ne, x, constantLike(x, 0)); }

Value ScalarBuilder::add(Value x, Value y) {
  if (isComplex(x))
    return eachPart(x, y, [&](Value a, Value b) { return add(a, b); });
  if (isFloat(x))
    return make<arith::AddFOp>(x, y);
  return isBool(x) ? make<arith::OrIOp>(x, y) : make<arith::AddIOp>(x, y);
}

Value ScalarBuilder::sub(Value x, Value y) {
  if (isComplex(x))
    return eachPart(x, y, [&](Value a, Value b) { return sub(a, b); });
  return isFloat(x) ? make<arith::SubFOp>(x, y) : make<arith::SubIOp>(x, y);
}

Value ScalarBuilder::mul(Value x, Value y) {
  if (isComplex(x))
    return multiplyComplex(x, y);
  if (isFloat(x))
    return make<arith::MulFOp>(x, y);
  return isBool(x) ? make<arith::AndIOp>(x, y) : make<arith::MulIOp>(x, y);
}

Value ScalarBuilder::negate(Value x) {
  if (isComplex(x))
    return eachPart(x, [&](Value a) { return negate(a); });
  return isFloat(x) ? make<arith::NegFOp>(x) : make<arith::SubIOp>(constantLike(x, 0), x);
}

Value ScalarBuilder::absolute(Value x) {
  if (isComplex(x))
    return lengthOf(x);
  if (isFloat(x))
    return make<math::AbsFOp>(x);
  return isBool(x) || isUnsigned ? x : select(compare(Order::lt, x, constantLike(x, 0)), negate(x), x);
}

Value ScalarBuilder::sign(Value x) {
  if (isComplex(x))
    return signComplex(x);
  Value zero = constantLike(x, 0);
  if (isUnsigned)
    return select(compare(Order::ne, x, zero), constantLike(x, 1), zero);
  Value signs = select(compare(Order::gt, x, zero), constantLike(x, 1),
                       select(compare(Order::lt, x, zero), constantLike(x, -1), zero));
  return isFloat(x) ? select(isnan(x), x, signs) : signs;
}

/// What the C library computes for ax >= ay, neither of whose squares leaves the range: Borges' corrected root.
static Term hypotOfOrdered(Term ax, Term ay) {
  Term h = (ax * ax + ay * ay).sqrt(), alike = h <= ay * 2;
  Term toSmall = h - ay, toLarge = h - ax;
  Term first = alike.choose(ax * (toSmall * 2 - ax), toLarge * 2 * (ax - ay * 2));
  Term second = alike.choose((toSmall - (ax - ay) * 2) * toSmall, (toLarge * 4 - ay) * ay + toLarge * toLarge);
  return h - (first + second) / (h * 2);
}

Value ScalarBuilder::hypot(Value x, Value y) {
  Term infinity{this, constantLike(x, INFINITY)};
  Term infinite{this, make<arith::OrIOp>(isinf(x), isinf(y))};
  if (getElementTypeOrSelf(x).isF32()) {
    Type wide = builder.getF64Type();
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      wide = vector.clone(wide);
    Term a{this, cast(x, wide)}, b{this, cast(y, wide)};
    return infinite.choose(infinity, {this, cast((a * a + b * b).sqrt(), x.getType())});
  }
  Term a = Term{this, x}.abs(), b = Term{this, y}.abs(), swapped = a < b;
  Term large = swapped.choose(b, a), small = swapped.choose(a, b);
  Term isHuge = large > 0x1p511, isTiny = small < 0x1p-459, one = a.like(1);
  Term scale = isHuge.choose(a.like(0x1p-600), isTiny.choose(a.like(0x1p600), one));
  Term back = isHuge.choose(a.like(0x1p600), isTiny.choose(a.like(0x1p-600), one));
  // Zeros and infinities would set flags of what NumPy doesn't warn of.
  Term isSum = infinite | small <= large * 0x1p-54;
  Term ax = isSum.choose(one, large * scale), ay = isSum.choose(a.like(0), small * scale);
  return infinite.choose(infinity, isSum.choose(large + small, hypotOfOrdered(ax, ay) * back));
}

/// The divisor, of which the flags tell where NumPy warns: of zeros, and of a quotient that overflows.
Value ScalarBuilder::toldDivisor(Value y, Value dividend) {
  ValueRange told = dividend && !isUnsigned ? ValueRange(dividend) : ValueRange();
  return builder.createOrFold<DivisorOp>(loc, y.getType(), y, told);
}

/// 1 where dividing would trap or overflow (by 0, or the least integer by -1), else the divisor.
Value ScalarBuilder::guardedDivisor(Value x, Value y) {
  Value zero = compare(Order::eq, y, constantLike(y, 0));
  if (isUnsigned)
    return select(zero, constantLike(y, 1), y);
  Value minusOne = compare(Order::eq, y, constantLike(y, -1));
  return select(make<arith::OrIOp>(zero, minusOne), constantLike(y, 1), y);
}

Value ScalarBuilder::floatRemainder(Value x, Value y) {
  Value zero = constantLike(x, 0);
  Value mod = make<arith::RemFOp>(x, y);
  Value wrongSign = make<arith::XOrIOp>(compare(Order::lt, y, zero), compare(Order::lt, mod, zero));
  Value shifted = select(wrongSign, add(mod, y), mod);
  return select(compare(Order::ne, mod, zero), shifted, make<math::CopySignOp>(zero, y));
}

Value ScalarBuilder::floorDivide(Value x, Value y) {
  Value zero = constantLike(x, 0), one = constantLike(x, 1);
  if (isFloat(x)) {
    Value mod = make<arith::RemFOp>(x, y);
    Value wrongSign = make<arith::XOrIOp>(compare(Order::lt, y, zero), compare(Order::lt, mod, zero));
    wrongSign = make<arith::AndIOp>(wrongSign, compare(Order::ne, mod, zero));
    Value div = make<arith::DivFOp>(sub(x, mod), y);
    div = select(wrongSign, sub(div, one), div);
    Value floor = make<math::FloorOp>(div);
    Value half = compare(Order::gt, sub(div, floor), constantLike(x, 0.5));
    Value rounded = select(half, add(floor, one), floor);
    Value quotient = make<arith::DivFOp>(x, y);
    Value result = select(compare(Order::ne, div, zero), rounded, make<math::CopySignOp>(zero, quotient));
    return select(compare(Order::eq, y, zero), quotient, result);
  }
  if (APInt divisor; !isUnsigned && matchPattern(y, m_ConstantInt(&divisor)) && divisor.isStrictlyPositive()) {
    // Of a negative number it is -1 less the quotient of -1 less the number, as `~` has it.
    Value sign = make<arith::ShRSIOp>(x, constantLike(x, divisor.getBitWidth() - 1));
    Value quotient = make<arith::DivUIOp>(make<arith::XOrIOp>(x, sign), y);
    return make<arith::XOrIOp>(quotient, sign);
  }
  y = toldDivisor(y, x);
  Value safe = guardedDivisor(x, y);
  if (isUnsigned)
    return select(compare(Order::eq, y, zero), zero, make<arith::DivUIOp>(x, safe));
  Value quotient = make<arith::DivSIOp>(x, safe);
  Value mod = sub(x, mul(quotient, safe));
  Value wrongSign = make<arith::XOrIOp>(compare(Order::lt, mod, zero), compare(Order::lt, safe, zero));
  Value down = make<arith::AndIOp>(compare(Order::ne, mod, zero), wrongSign);
  Value result = select(down, sub(quotient, one), quotient);
  result = select(compare(Order::eq, y, constantLike(y, -1)), negate(x), result);
  return select(compare(Order::eq, y, zero), zero, result);
}

Value ScalarBuilder::remainder(Value x, Value y) {
  if (isFloat(x))
    return floatRemainder(x, y);
  Value zero = constantLike(x, 0);
  Value safe = guardedDivisor(x, toldDivisor(y));
  if (isUnsigned)
    return make<arith::RemUIOp>(x, safe);
  Value mod = make<arith::RemSIOp>(x, safe);
  Value wrongSign = make<arith::XOrIOp>(compare(Order::lt, mod, zero), compare(Order::lt, safe, zero));
  Value shift = make<arith::AndIOp>(compare(Order::ne, mod, zero), wrongSign);
  return select(shift, add(mod, safe), mod);
}

Value ScalarBuilder::fmod(Value x, Value y) {
  if (isFloat(x))
    return make<arith::RemFOp>(x, y);
  Value safe = guardedDivisor(x, toldDivisor(y));
  return isUnsigned ? make<arith::RemUIOp>(x, safe) : make<arith::RemSIOp>(x, safe);
}

/// By squaring, one turn for each bit of the exponent that is left.
Value ScalarBuilder::integerPower(Value x, Value y) {
  SmallVector<Value> init{constantLike(x, 1), x, y};
  auto isOpen = [](OpBuilder &inner, Location loc, ValueRange carried) {
    scf::ConditionOp::create(inner, loc, ScalarBuilder(inner, loc).truth(carried[2]), carried);
  };
  auto step = [](OpBuilder &inner, Location loc, ValueRange carried) {
    ScalarBuilder s(inner, loc);
    Value product = carried[0], square = carried[1], exponent = carried[2], one = s.constantLike(exponent, 1);
    Value isOdd = s.truth(s.make<arith::AndIOp>(exponent, one));
    product = s.select(isOdd, s.mul(product, square), product);
    scf::YieldOp::create(inner, loc, {product, s.mul(square, square), s.make<arith::ShRUIOp>(exponent, one)});
  };
  return scf::WhileOp::create(builder, loc, ValueRange(init).getTypes(), init, isOpen, step).getResult(0);
}

/// A square is a product, a cube or a fourth power two, within 2 ULP, and the power -1 a quotient; any other power of
/// floats is a function's.
Value ScalarBuilder::power(Value x, Value y) {
  if (isComplex(x))
    return complexPower(*this, x, y);
  if (!isFloat(x))
    return integerPower(x, y);
  APFloat exponent(0.0);
  bool isKnown = matchPattern(y, m_ConstantFloat(&exponent));
  if (isKnown && exponent.isExactlyValue(2.0))
    return mul(x, x);
  if (isKnown && exponent.isExactlyValue(-1.0))
    return reciprocal(x);
  if (isKnown && (exponent.isExactlyValue(3.0) || exponent.isExactlyValue(4.0))) {
    Value square = mul(x, x);
    return mul(square, exponent.isExactlyValue(3.0) ? x : square);
  }
  return make<math::PowFOp>(x, y);
}

Value ScalarBuilder::shift(Value x, Value count, bool left) {
  int64_t width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  Value inside = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, count, constantLike(x, width));
  bool keepsSign = !left && !isUnsigned;
  Value safe = select(inside, count, constantLike(x, keepsSign ? width - 1 : 0));
  if (keepsSign)
    return make<arith::ShRSIOp>(x, safe);
  Value shifted = left ? make<arith::ShLIOp>(x, safe) : make<arith::ShRUIOp>(x, safe);
  return select(inside, shifted, constantLike(x, 0));
}

/// Euclid's steps, without signs: the least number has a magnitude of its own then.
Value ScalarBuilder::greatestDivisor(Value x, Value y) {
  SmallVector<Value> init{absolute(x), absolute(y)};
  auto isOpen = [](OpBuilder &inner, Location loc, ValueRange carried) {
    scf::ConditionOp::create(inner, loc, ScalarBuilder(inner, loc).truth(carried[0]), carried);
  };
  auto step = [](OpBuilder &inner, Location loc, ValueRange carried) {
    Value rest = arith::RemUIOp::create(inner, loc, carried[1], carried[0]);
    scf::YieldOp::create(inner, loc, {rest, carried[0]});
  };
  return scf::WhileOp::create(builder, loc, ValueRange(init).getTypes(), init, isOpen, step).getResult(1);
}

/// Sums of neighbouring groups of bits, of twice the width in each step.
Value ScalarBuilder::bitCount(Value x) {
  Type type = x.getType();
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = element.getWidth();
  auto bits = [&](uint64_t byte) {
    return constant(type, builder.getIntegerAttr(element, APInt::getSplat(width, APInt(8, byte))));
  };
  auto shifted = [&](Value value, int64_t by) { return make<arith::ShRUIOp>(value, constantLike(x, by)); };
  auto masked = [&](Value value, uint64_t byte) { return make<arith::AndIOp>(value, bits(byte)); };
  Value sums = absolute(x);
  sums = sub(sums, masked(shifted(sums, 1), 0x55));
  sums = add(masked(sums, 0x33), masked(shifted(sums, 2), 0x33));
  sums = masked(add(sums, shifted(sums, 4)), 0x0f);
  return width == 8 ? sums : shifted(mul(sums, bits(1)), width - 8);
}

/// The next float: bits of finite floats of one sign are in their order.
Value ScalarBuilder::stepped(Value x, Value isUp) {
  Type integer = builder.getIntegerType(getElementTypeOrSelf(x).getIntOrFloatBitWidth());
  Value bits = bitcast(x, integer), one = constantLike(bits, 1);
  Value isNegative = compare(Order::lt, x, constantLike(x, 0));
  Value grows = make<arith::XOrIOp>(isUp, isNegative);
  return bitcast(select(grows, make<arith::AddIOp>(bits, one), make<arith::SubIOp>(bits, one)),
                 getElementTypeOrSelf(x));
}

Value ScalarBuilder::nextafter(Value x, Value y) {
  auto element = cast<FloatType>(getElementTypeOrSelf(x));
  Value least = constant(x.getType(), builder.getFloatAttr(element, APFloat::getSmallest(element.getFloatSemantics())));
  Value next = stepped(x, compare(Order::lt, x, y));
  next = select(compare(Order::eq, x, constantLike(x, 0)), make<math::CopySignOp>(least, y), next);
  next = select(compare(Order::eq, x, y), y, next);
  return select(make<arith::OrIOp>(isnan(x), isnan(y)), add(x, y), next);
}

Value ScalarBuilder::spacing(Value x) {
  auto element = cast<FloatType>(getElementTypeOrSelf(x));
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  Value least = constant(x.getType(), builder.getFloatAttr(element, APFloat::getSmallest(semantics)));
  Value size = make<math::AbsFOp>(x);
  Value distance = sub(stepped(size, constant(builder.getI1Type(), builder.getBoolAttr(true))), size);
  distance = make<math::CopySignOp>(distance, x);
  distance = select(compare(Order::eq, x, constantLike(x, 0)), least, distance);
  return select(isinf(x), constant(x.getType(), builder.getFloatAttr(element, APFloat::getNaN(semantics))),
                select(isnan(x), x, distance));
}

Value ScalarBuilder::maximum(Value x, Value y) {
  if (isComplex(x))
    return extremeComplex(Order::ge, x, y, /*nanWins=*/true);
  if (isFloat(x))
    return make<arith::MaximumFOp>(x, y);
  if (isBool(x))
    return make<arith::OrIOp>(x, y);
  return isUnsigned ? make<arith::MaxUIOp>(x, y) : make<arith::MaxSIOp>(x, y);
}

Value ScalarBuilder::minimum(Value x, Value y) {
  if (isComplex(x))
    return extremeComplex(Order::le, x, y, /*nanWins=*/true);
  if (isFloat(x))
    return make<arith::MinimumFOp>(x, y);
  if (isBool(x))
    return make<arith::AndIOp>(x, y);
  return isUnsigned ? make<arith::MinUIOp>(x, y) : make<arith::MinSIOp>(x, y);
}

Value ScalarBuilder::fmax(Value x, Value y) {
  if (isComplex(x))
    return extremeComplex(Order::ge, x, y, /*nanWins=*/false);
  return isFloat(x) ? make<arith::MaxNumFOp>(x, y) : maximum(x, y);
}

Value ScalarBuilder::fmin(Value x, Value y) {
  if (isComplex(x))
    return extremeComplex(Order::le, x, y, /*nanWins=*/false);
  return isFloat(x) ? make<arith::MinNumFOp>(x, y) : minimum(x, y);
}

Value ScalarBuilder::rint(Value x) {
  if (isComplex(x))
    return eachPart(x, [&](Value a) { return rint(a); });
  return make<math::RoundEvenOp>(x);
}

Value ScalarBuilder::isnan(Value x) {
  if (isComplex(x))
    return make<arith::OrIOp>(isnan(real(x)), isnan(imag(x)));
  if (!isFloat(x))
    return constant(builder.getI1Type(), 0);
  return builder.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, x, x);
}

Value ScalarBuilder::isinf(Value x) {
  if (isComplex(x))
    return make<arith::OrIOp>(isinf(real(x)), isinf(imag(x)));
  if (!isFloat(x))
    return constant(builder.getI1Type(), 0);
  return compare(Order::eq, absolute(x), constantLike(x, INFINITY));
}

Value ScalarBuilder::isfinite(Value x) {
  if (isComplex(x))
    return make<arith::AndIOp>(isfinite(real(x)), isfinite(imag(x)));
  if (!isFloat(x))
    return constant(builder.getI1Type(), 1);
  return compare(Order::lt, absolute(x), constantLike(x, INFINITY));
}

Value ScalarBuilder::signbit(Value x) {
  Value one = make<math::CopySignOp>(constantLike(x, 1), x);
  return compare(Order::lt, one, constantLike(x, 0));
}
