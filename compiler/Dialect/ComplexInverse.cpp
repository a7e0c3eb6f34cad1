// Inverse functions of complex sines, cosines and tangents, by Kahan's formulas: branch cuts follow the signs of zeros.
#include "compiler/Dialect/ComplexFunctions.h"
#include "compiler/Dialect/Formula.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

static Term atan2(Term y, Term x) { return y.apply<math::Atan2Op>(x); }
static Term asinh(Term x) { return x.apply<math::AsinhOp>(); }
static Term hypot(Term x, Term y) { return {x.s, x.s->hypot(x, y)}; }

static ComplexTerm sqrt(Term x, Term y) { return termsOf(*x.s, complexSqrt(*x.s, joined({x, y}))); }

/// Where squares overflow, or a part is infinite.
static Term isLarge(Term x, Term y) { return (x.abs() > 0x1p1020) | (y.abs() > 0x1p1020); }

/// log |2 z|
static Term logOfTwice(Term x, Term y) { return hypot(x * 0.5, y * 0.5).apply<math::LogOp>() + 2 * M_LN2; }

static ComplexTerm arcsinh(Term x, Term y) {
  Term one = x.like(1);
  ComplexTerm a = sqrt(one + y, -x), b = sqrt(one - y, x);
  Term re = asinh(a.re * b.im - b.re * a.im), im = atan2(y, a.re * b.re - a.im * b.im);
  Term large = isLarge(x, y);
  re = large.choose(logOfTwice(x, y), re.abs()).withSign(x);
  im = large.choose(atan2(y, x.abs()), im);
  return {re, (y == 0).choose(y, im)};
}

static ComplexTerm arccos(Term x, Term y) {
  Term one = x.like(1);
  ComplexTerm a = sqrt(one - x, -y), b = sqrt(one + x, y);
  Term re = atan2(a.re, b.re) * 2, im = asinh(b.re * a.im - b.im * a.re);
  Term large = isLarge(x, y);
  re = large.choose(atan2(y.abs(), x), re);
  im = large.choose(logOfTwice(x, y), im.abs()).withSign(-y);
  return {((x == 0) & y.isNan()).choose(x.like(M_PI_2), re), im};
}

static ComplexTerm arccosh(Term x, Term y) {
  ComplexTerm a = sqrt(x - 1, y), b = sqrt(x + 1, y);
  Term re = asinh(a.re * b.re + a.im * b.im), im = atan2(a.im, b.re) * 2;
  Term large = isLarge(x, y);
  im = large.choose(atan2(y, x), im);
  return {large.choose(logOfTwice(x, y), re), ((x == 0) & y.isNan()).choose(x.like(M_PI_2), im)};
}

static ComplexTerm arctanh(Term x, Term y) {
  Term a = x.abs(), b = y.abs(), one = x.like(1), half = hypot(a * 0.5, b * 0.5);
  Term large = (a > 0x1p510) | (b > 0x1p510);
  Term infinite = x.isInf() | y.isInf();
  Term far = infinite.choose(x.like(0), a * 0.25 / half / half);
  // Close to 1 the quotient below overflows.
  Term close = (a == 1) & (b < 0x1p-510);
  Term nearOne = -(b.sqrt() / hypot(b, one + one).sqrt()).apply<math::LogOp>();
  Term distance = one - a, quotient = a * 4 / (distance * distance + b * b);
  Term re = large.choose(far, close.choose(nearOne, quotient.apply<math::Log1pOp>() * 0.25));
  Term im = atan2(b * 2, distance * (one + a) - b * b) * 0.5;
  im = close.choose(atan2(one + one, -b) * 0.5, im);
  im = (large & !(x.isNan() & !y.isInf()) & !y.isNan()).choose(x.like(M_PI_2), im);
  re = (x == 0).choose(x.like(0), re);
  return {re.withSign(x), ((a == 1) & (b == 0)).choose(b, im).withSign(y)};
}

template <typename Function> static Value inDoubleParts(ScalarBuilder &s, Value z, Function function) {
  return inDouble(s, z, [&](Value w) {
    auto [x, y] = termsOf(s, w);
    return joined(function(x, y));
  });
}

Value quernel::complexArcsinh(ScalarBuilder &s, Value z) { return inDoubleParts(s, z, arcsinh); }
Value quernel::complexArccos(ScalarBuilder &s, Value z) { return inDoubleParts(s, z, arccos); }
Value quernel::complexArccosh(ScalarBuilder &s, Value z) { return inDoubleParts(s, z, arccosh); }
Value quernel::complexArctanh(ScalarBuilder &s, Value z) { return inDoubleParts(s, z, arctanh); }

// The circular ones are the hyperbolic ones turned by i: arcsin z = -i arcsinh iz.

Value quernel::complexArcsin(ScalarBuilder &s, Value z) {
  return inDoubleParts(s, z, [](Term x, Term y) {
    auto [re, im] = arcsinh(-y, x);
    return ComplexTerm{im, -re};
  });
}

Value quernel::complexArctan(ScalarBuilder &s, Value z) {
  return inDoubleParts(s, z, [](Term x, Term y) {
    auto [re, im] = arctanh(-y, x);
    return ComplexTerm{im, -re};
  });
}
