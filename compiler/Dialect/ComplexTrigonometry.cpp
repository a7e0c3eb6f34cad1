// Complex sines, cosines and tangents, circular and hyperbolic.
#include "compiler/Dialect/ComplexFunctions.h"
#include "compiler/Dialect/Formula.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

namespace {
/// cosh and sinh, which are to be multiplied by `scale` as well where they alone would overflow.
struct Hyperbolic {
  Term cosine, sine, scale;
};
} // namespace

static Hyperbolic hyperbolicOf(Term y) {
  double limit = y.value.getType().isF64() ? 709 : 88;
  Term size = y.abs(), big = size > limit, half = (size - limit).exp() * 0.5;
  return {big.choose(half, y.apply<math::CoshOp>()), big.choose(half.withSign(y), y.apply<math::SinhOp>()),
          big.choose(y.like(limit).exp(), y.like(1))};
}

/// sin x cosh y + i cos x sinh y; a zero part stays zero whatever the other one is.
static ComplexTerm sine(Term x, Term y) {
  Hyperbolic h = hyperbolicOf(y);
  Term re = x.apply<math::SinOp>() * h.cosine * h.scale, im = x.apply<math::CosOp>() * h.sine * h.scale;
  Term infinite = y.isInf() & !x.isFinite();
  return {(x == 0).choose(x, re), (y == 0).choose(y, infinite.choose(y.abs(), im))};
}

/// cos x cosh y - i sin x sinh y.
static ComplexTerm cosine(Term x, Term y) {
  Hyperbolic h = hyperbolicOf(y);
  Term re = x.apply<math::CosOp>() * h.cosine * h.scale, im = -(x.apply<math::SinOp>() * h.sine * h.scale);
  Term zero = x.like(0), sign = zero.like(1).withSign(x) * zero.like(-1).withSign(-y);
  Term infinite = y.isInf() & !x.isFinite();
  return {infinite.choose(y.abs(), re), ((x == 0) | (y == 0)).choose(zero.withSign(sign), im)};
}

/// (sin x cos x + i sinh y cosh y) / (cos² x + sinh² y); far from the real axis ±i but for a vanishing real part.
static ComplexTerm tangent(Term x, Term y) {
  double far = y.value.getType().isF64() ? 20 : 10;
  Term size = y.abs(), isFar = (size > far) & (x.isFinite() | y.isInf());
  Term near = isFar.choose(y.like(1), y);
  Term sin = x.apply<math::SinOp>(), cos = x.apply<math::CosOp>();
  Term sinh = near.apply<math::SinhOp>(), cosh = near.apply<math::CoshOp>();
  Term divisor = cos * cos + sinh * sinh;
  Term vanishing = sin * cos * 4 * (size * -2).exp();
  Term re = isFar.choose(vanishing, sin * cos / divisor);
  Term im = isFar.choose(y.like(1).withSign(y), sinh * cosh / divisor);
  Term atInfinity = y.isInf() & !x.isFinite();
  return {((x == 0) | atInfinity).choose(x.like(0).withSign(x), re), (y == 0).choose(y, im)};
}

Value quernel::complexSin(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  return joined(sine(x, y));
}

Value quernel::complexCos(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  return joined(cosine(x, y));
}

Value quernel::complexTan(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  return joined(tangent(x, y));
}

// The hyperbolic ones are the circular ones turned by i: sinh z = -i sin iz.

Value quernel::complexSinh(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  auto [re, im] = sine(y, x);
  return joined({im, re});
}

Value quernel::complexCosh(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  return joined(cosine(-y, x));
}

Value quernel::complexTanh(ScalarBuilder &s, Value z) {
  auto [x, y] = termsOf(s, z);
  auto [re, im] = tangent(y, x);
  return joined({im, re});
}
