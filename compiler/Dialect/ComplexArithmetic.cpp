// Complex numbers as pairs of floats, by the formulas of NumPy's loops.
#include "compiler/Dialect/Formula.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace quernel;

bool ScalarBuilder::isComplex(Value x) { return isa<ComplexType>(x.getType()); }

Value ScalarBuilder::real(Value z) { return isComplex(z) ? make<complex::ReOp>(z) : z; }
Value ScalarBuilder::imag(Value z) { return make<complex::ImOp>(z); }

Value ScalarBuilder::join(Value re, Value im) {
  return builder.createOrFold<complex::CreateOp>(loc, ComplexType::get(re.getType()), re, im);
}

Value ScalarBuilder::eachPart(Value z, llvm::function_ref<Value(Value)> function) {
  return join(function(real(z)), function(imag(z)));
}

Value ScalarBuilder::eachPart(Value x, Value y, llvm::function_ref<Value(Value, Value)> function) {
  return join(function(real(x), real(y)), function(imag(x), imag(y)));
}

Value ScalarBuilder::conjugate(Value z) { return isComplex(z) ? join(real(z), negate(imag(z))) : z; }

Value ScalarBuilder::multiplyAdd(Value x, Value y, Value z) {
  constexpr auto fused = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(builder, loc, x, y, fused);
  return arith::AddFOp::create(builder, loc, product, z, fused);
}

Value ScalarBuilder::multiplyComplex(Value x, Value y) {
  auto [a, b] = termsOf(*this, x);
  auto [c, d] = termsOf(*this, y);
  return join(multiplyAdd(a, c, -(b * d)), multiplyAdd(a, d, b * c));
}

/// Smith's method: the quotient of the divisor's parts keeps squares from overflowing.
Value ScalarBuilder::divide(Value x, Value y) {
  if (!isComplex(x))
    return make<arith::DivFOp>(x, y);
  auto [a, b] = termsOf(*this, x);
  auto [c, d] = termsOf(*this, y);
  Term one = c.like(1), realFirst = c.abs() >= d.abs(), zero = realFirst & (c.abs() == 0) & (d.abs() == 0);
  Term large = realFirst.choose(c, d), small = realFirst.choose(d, c);
  Term ratio = small / large, scale = one / (large + small * ratio);
  Term re = realFirst.choose(a + b * ratio, a * ratio + b) * scale;
  Term im = realFirst.choose(b - a * ratio, b * ratio - a) * scale;
  return joined({zero.choose(a / c.abs(), re), zero.choose(b / c.abs(), im)});
}

Value ScalarBuilder::reciprocal(Value z) {
  if (isInteger(z)) { // as C converts 1.0 / x
    Type type = z.getType(), wide = builder.getF64Type();
    auto signs = isUnsigned ? IntegerType::Unsigned : IntegerType::Signless;
    Value quotient = make<arith::DivFOp>(constant(wide, 1), cast(z, wide));
    return floatToInteger(quotient, IntegerType::get(builder.getContext(), type.getIntOrFloatBitWidth(), signs));
  }
  if (!isComplex(z))
    return make<arith::DivFOp>(constantLike(z, 1), z);
  auto [c, d] = termsOf(*this, z);
  Term one = c.like(1), realFirst = d.abs() <= c.abs();
  Term large = realFirst.choose(c, d), small = realFirst.choose(d, c);
  Term ratio = small / large, divisor = large + small * ratio;
  return joined({realFirst.choose(one, ratio) / divisor, realFirst.choose(-ratio, one.like(-1)) / divisor});
}

/// |z| as NumPy's vector loop computes it, by the quotient of the parts.
Value ScalarBuilder::lengthOf(Value z) {
  auto [re, im] = termsOf(*this, z);
  Term a = re.abs(), b = im.abs(), swapped = a < b;
  Term large = swapped.choose(b, a), small = swapped.choose(a, b), infinite = re.isInf() | im.isInf();
  // No 0 / 0 and no inf / inf, whose flags would tell of what NumPy doesn't warn of.
  Term divisor = (infinite | (large == 0)).choose(a.like(1), large);
  Term ratio = infinite.choose(a.like(0), small) / divisor;
  Term length = large * Term{this, multiplyAdd(ratio, ratio, ratio.like(1))}.sqrt();
  return infinite.choose(a.like(INFINITY), length);
}

/// z / |z|, which is ±1 or ±i where one part is infinite.
Value ScalarBuilder::signComplex(Value z) {
  auto [a, b] = termsOf(*this, z);
  Term length{this, hypot(a, b)}, zero = a.like(0), one = a.like(1);
  Term both = a.isInf() & b.isInf();
  auto part = [&](Term own) {
    Term direction = own.isInf().choose(one.withSign(own), zero);
    Term infinite = both.choose(own.like(NAN), direction);
    Term finite = (length == 0).choose(zero, own / length);
    return length.isInf().choose(infinite, length.isNan().choose(length, finite));
  };
  return joined({part(a), part(b)});
}

/// By the real parts, then by the imaginary ones. Where one is NaN, all orders but `ne` are false.
Value ScalarBuilder::compareComplex(Order order, Value x, Value y) {
  auto [a, b] = termsOf(*this, x);
  auto [c, d] = termsOf(*this, y);
  if (order == Order::eq)
    return (a == c) & (b == d);
  if (order == Order::ne)
    return make<arith::OrIOp>(compare(Order::ne, a, c), compare(Order::ne, b, d));
  bool greater = order == Order::gt || order == Order::ge;
  Term before{this, compare(greater ? Order::gt : Order::lt, a, c)}, last{this, compare(order, b, d)};
  return (before & !(b.isNan() | d.isNan())) | ((a == c) & last);
}

/// The first of two equal ones; with `nanWins` any NaN, else anything but NaN.
Value ScalarBuilder::extremeComplex(Order order, Value x, Value y, bool nanWins) {
  Value first = make<arith::OrIOp>(compareComplex(order, x, y), isnan(nanWins ? x : y));
  return select(first, x, y);
}
