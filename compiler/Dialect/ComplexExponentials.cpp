// Complex exponentials, logarithms, roots and powers.
#include "compiler/Dialect/ComplexFunctions.h"
#include "compiler/Dialect/Formula.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

/// exp(x) overflows beyond this, even where its product with a cosine doesn't.
static double largestExponent(Term x) { return x.value.getType().isF64() ? 709 : 88; }

Value quernel::complexExp(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  double limit = largestExponent(x);
  Term big = x > limit, bigger = x > 2 * limit, one = x.like(1);
  Term once = x.like(limit).exp();
  Term rest = bigger.choose(x - 2 * limit, big.choose(x - limit, x));
  Term scale = big.choose(once, one), scaleAgain = bigger.choose(once, one);
  Term length = rest.exp();
  Term re = y.apply<math::CosOp>() * scale * scaleAgain * length;
  Term im = y.apply<math::SinOp>() * scale * scaleAgain * length;
  im = (y == 0).choose(y, im);
  Term wild = !y.isFinite(), up = wild & (x == INFINITY), down = wild & (x == -INFINITY);
  re = up.choose(x, down.choose(x.like(0), re));
  im = down.choose(x.like(0).withSign(y), im);
  return joined({re, im});
}

Value quernel::complexExp2(ScalarBuilder &s, Value z) {
  return complexExp(s, s.eachPart(z, [&](Value x) { return s.mul(x, s.constantLike(x, M_LN2)); }));
}

Value quernel::complexExpm1(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  Term half = (y * 0.5).apply<math::SinOp>();
  Term re = x.apply<math::ExpM1Op>() * y.apply<math::CosOp>() - half * 2 * half;
  return joined({re, x.exp() * y.apply<math::SinOp>()});
}

namespace {
/// A sum or product with what rounding has lost of it.
struct Exact {
  Term value, lost;
};
} // namespace

static Exact twoSum(Term a, Term b) {
  Term sum = a + b, shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}

/// The square by Dekker's halves of the digits.
static Exact twoSquare(Term a) {
  Term split = a * 134217729.0, high = split - (split - a), low = a - high, square = a * a;
  return {square, (high * high - square) + high * low * 2 + low * low};
}

/// log|z|. Near 1 it is the logarithm of 1 + (|z|² - 1), whose difference is exact to double the digits.
static Term logOfLength(Term x, Term y) {
  Term a = x.abs(), b = y.abs(), aFirst = a > b;
  Term large = aFirst.choose(a, b), small = aFirst.choose(b, a);
  Term isHuge = large > 0x1p1022, isTiny = large < 0x1p-1021;
  Term scale = isHuge.choose(x.like(0.5), isTiny.choose(x.like(0x1p54), x.like(1)));
  Term shift = isHuge.choose(x.like(M_LN2), isTiny.choose(x.like(-54 * M_LN2), x.like(0)));
  Term length{x.s, x.s->hypot(a * scale, b * scale)};
  Term far = length.apply<math::LogOp>() + shift;
  Exact first = twoSquare(large), second = twoSquare(small);
  Exact less = twoSum(first.value, x.like(-1)), sum = twoSum(less.value, second.value);
  Term excess = sum.value + (less.lost + sum.lost + first.lost + second.lost);
  Term isNear = (large >= 0.5) & (large < 2) & (excess >= -0.5);
  return isNear.choose(excess.apply<math::Log1pOp>() * 0.5, far);
}

Value quernel::complexLog(ScalarBuilder &s, Value z) {
  return inDouble(s, z, [&](Value w) {
    auto [x, y] = termsOf(s, w);
    return joined({logOfLength(x, y), y.apply<math::Atan2Op>(x)});
  });
}

static Value scaledLog(ScalarBuilder &s, Value z, double factor) {
  return s.eachPart(complexLog(s, z), [&](Value x) { return s.mul(x, s.constantLike(x, factor)); });
}

Value quernel::complexLog2(ScalarBuilder &s, Value z) { return scaledLog(s, z, M_LOG2E); }
Value quernel::complexLog10(ScalarBuilder &s, Value z) { return scaledLog(s, z, M_LOG10E); }

Value quernel::complexLog1p(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  Term more = x + 1, length{&s, s.hypot(more, y)};
  return joined({length.apply<math::LogOp>(), y.apply<math::Atan2Op>(more)});
}

/// sqrt((|z| + |x|) / 2) is one part, and half of y divided by it the other; scaled where |z| would leave the range.
Value quernel::complexSqrt(ScalarBuilder &s, Value z) {
  return inDouble(s, z, [&](Value w) {
    auto [x, y] = termsOf(s, w);
    Term a = x.abs(), b = y.abs();
    Term isHuge = (a > 0x1p1020) | (b > 0x1p1020), isTiny = (a < 0x1p-960) & (b < 0x1p-960);
    Term scale = isHuge.choose(x.like(0x1p-4), isTiny.choose(x.like(0x1p108), x.like(1)));
    Term back = isHuge.choose(x.like(4), isTiny.choose(x.like(0x1p-54), x.like(1)));
    a = a * scale;
    b = b * scale;
    Term length{&s, s.hypot(a, b)};
    Term main = ((length + a) * 0.5).sqrt(), other = b / main * 0.5;
    other = (main == 0).choose(main, other) * back;
    main = main * back;
    Term right = x >= 0, re = right.choose(main, other), im = right.choose(other, main);
    return joined({y.isInf().choose(b, re), y.isInf().choose(y, im.withSign(y))});
  });
}

/// x to a whole power below 128 by squaring, in the order of NumPy's loop.
static Value wholePower(ScalarBuilder &s, Value x, Value exponent) {
  Value one = s.constantLike(x, 1), result = one, square = x;
  for (unsigned bit = 0; bit < 7; ++bit) {
    if (bit)
      square = s.mul(square, square);
    Value isSet = s.truth(s.make<arith::AndIOp>(exponent, s.constantLike(exponent, 1 << bit)));
    result = s.select(isSet, s.mul(result, square), result);
  }
  auto is = [&](int64_t n) { return s.compare(Order::eq, exponent, s.constantLike(exponent, n)); };
  Value doubled = s.mul(x, x);
  result = s.select(is(1), x, s.select(is(2), doubled, s.select(is(3), s.mul(x, doubled), result)));
  return result;
}

Value quernel::complexPower(ScalarBuilder &s, Value x, Value y) {
  auto [a, b] = termsOf(s, x);
  auto [c, d] = termsOf(s, y);
  Value general =
      inDouble(s, x, [&](Value base) { return complexExp(s, s.mul(s.cast(y, base.getType()), complexLog(s, base))); });
  Term number{&s, s.cast(c, s.builder.getI64Type())};
  Term whole{&s, s.cast(number, c.value.getType())};
  Term isWhole = (d == 0) & (c.abs() < 100) & (whole == c);
  Value positive = wholePower(s, x, s.absolute(number));
  Value inverse = s.divide(s.constantLike(x, 1), positive);
  Value result = s.select(isWhole, s.select(c < 0, inverse, positive), general);
  Term isZero = (a == 0) & (b == 0);
  Value nan = s.constantLike(x, NAN), zero = s.constantLike(x, 0);
  nan = s.join(s.real(nan), s.real(nan));
  result = s.select(isZero, s.select(c > 0, zero, nan), result);
  return s.select((c == 0) & (d == 0), s.constantLike(x, 1), result);
}
