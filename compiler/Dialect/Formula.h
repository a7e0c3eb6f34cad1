// Formulas of real numbers in C++'s own notation.
#ifndef QUERNEL_DIALECT_FORMULA_H
#define QUERNEL_DIALECT_FORMULA_H

#include "compiler/Dialect/ScalarBuilder.h"

namespace quernel {

/// A real scalar, or a truth value, with operators that build code.
struct Term {
  ScalarBuilder *s;
  mlir::Value value;

  operator mlir::Value() const { return value; }
  Term like(double number) const { return {s, s->constantLike(value, number)}; }
  template <typename Op> Term apply() const { return {s, s->make<Op>(value)}; }
  template <typename Op> Term apply(Term y) const { return {s, s->make<Op>(value, y.value)}; }

  Term operator-() const { return {s, s->negate(value)}; }
  Term operator!() const { return {s, s->invert(value)}; }
  Term abs() const { return {s, s->absolute(value)}; }
  Term sqrt() const { return apply<mlir::math::SqrtOp>(); }
  Term exp() const { return apply<mlir::math::ExpOp>(); }
  /// This magnitude with the sign of `y`.
  Term withSign(Term y) const { return apply<mlir::math::CopySignOp>(y); }
  Term isNan() const { return {s, s->isnan(value)}; }
  Term isInf() const { return {s, s->isinf(value)}; }
  Term isFinite() const { return {s, s->isfinite(value)}; }
  /// This truth value decides.
  Term choose(Term yes, Term no) const { return {s, s->select(value, yes.value, no.value)}; }
};

inline Term operator+(Term x, Term y) { return {x.s, x.s->add(x, y)}; }
inline Term operator-(Term x, Term y) { return {x.s, x.s->sub(x, y)}; }
inline Term operator*(Term x, Term y) { return {x.s, x.s->mul(x, y)}; }
inline Term operator/(Term x, Term y) { return x.apply<mlir::arith::DivFOp>(y); }
inline Term operator+(Term x, double y) { return x + x.like(y); }
inline Term operator-(Term x, double y) { return x - x.like(y); }
inline Term operator*(Term x, double y) { return x * x.like(y); }
inline Term operator==(Term x, Term y) { return {x.s, x.s->compare(Order::eq, x, y)}; }
inline Term operator<(Term x, Term y) { return {x.s, x.s->compare(Order::lt, x, y)}; }
inline Term operator>(Term x, Term y) { return {x.s, x.s->compare(Order::gt, x, y)}; }
inline Term operator<=(Term x, Term y) { return {x.s, x.s->compare(Order::le, x, y)}; }
inline Term operator>=(Term x, Term y) { return {x.s, x.s->compare(Order::ge, x, y)}; }
inline Term operator==(Term x, double y) { return x == x.like(y); }
inline Term operator<(Term x, double y) { return x < x.like(y); }
inline Term operator>(Term x, double y) { return x > x.like(y); }
inline Term operator>=(Term x, double y) { return x >= x.like(y); }
inline Term operator&(Term x, Term y) { return x.apply<mlir::arith::AndIOp>(y); }
inline Term operator|(Term x, Term y) { return x.apply<mlir::arith::OrIOp>(y); }

/// A complex scalar as its two parts.
struct ComplexTerm {
  Term re, im;
};

inline ComplexTerm termsOf(ScalarBuilder &s, mlir::Value z) { return {{&s, s.real(z)}, {&s, s.imag(z)}}; }
inline mlir::Value joined(const ComplexTerm &z) { return z.re.s->join(z.re, z.im); }

/// A function of a complex number in double precision, where single would lose too much.
inline mlir::Value inDouble(ScalarBuilder &s, mlir::Value z, llvm::function_ref<mlir::Value(mlir::Value)> function) {
  mlir::Type type = z.getType(), part = llvm::cast<mlir::ComplexType>(type).getElementType();
  if (part.isF64())
    return function(z);
  return s.cast(function(s.cast(z, mlir::ComplexType::get(s.builder.getF64Type()))), type);
}

} // namespace quernel

#endif
