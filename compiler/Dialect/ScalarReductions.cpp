// What reductions and searches do with one more element.
#include "compiler/Dialect/ScalarBuilder.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

ReductionKind ScalarBuilder::loopKind(StringRef kind, Type dtype) {
  bool isUnsigned = getElementTypeOrSelf(dtype).isUnsignedInteger();
  std::optional<ReductionKind> marked = symbolizeReductionKind(isUnsigned ? ("u" + kind).str() : kind.str());
  return marked ? *marked : *symbolizeReductionKind(kind);
}

bool ScalarBuilder::mayRegroup(ReductionKind kind, Type type) {
  return kind != ReductionKind::prod || getElementTypeOrSelf(type).isIntOrIndex();
}

/// A builder for the operands of a loop's reduction; takes the mark of unsigned ones off its kind.
ScalarBuilder ScalarBuilder::forKind(ReductionKind &kind) const {
  ScalarBuilder result(*this);
  StringRef name = stringifyReductionKind(kind);
  if (name.consume_front("u")) {
    result.isUnsigned = true;
    kind = *symbolizeReductionKind(name);
  }
  return result;
}

Value ScalarBuilder::beats(ReductionKind kind, Value x, Value best) {
  ScalarBuilder s = forKind(kind);
  const bool isMost = kind == ReductionKind::argmax;
  if (isInteger(x))
    return s.compare(isMost ? Order::gt : Order::lt, x, best);
  if (isFloat(x)) {
    // NaN beats all but NaN. Both comparisons look at the operands, so that neither waits for the other.
    auto better = isMost ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    Value isBetter = arith::CmpFOp::create(builder, loc, better, x, best);
    return make<arith::AndIOp>(isBetter, invert(isnan(best)));
  }
  Value firstNan = make<arith::AndIOp>(isnan(x), invert(isnan(best)));
  return make<arith::OrIOp>(s.compare(isMost ? Order::gt : Order::lt, x, best), firstNan);
}

Value ScalarBuilder::identity(ReductionKind kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  // As NumPy, which gives 0 for a sum of nothing but -0.
  if (kind == ReductionKind::sum || kind == ReductionKind::any || kind == ReductionKind::parity)
    return constant(type, 0);
  if (kind == ReductionKind::prod)
    return constant(type, 1);
  if (kind == ReductionKind::all)
    return constant(type, builder.getIntegerAttr(element, APInt::getAllOnes(element.getIntOrFloatBitWidth())));
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = identity(kind, complex.getElementType());
    return join(part, part);
  }
  bool withoutSign = forKind(kind).isUnsigned;
  bool least = kind == ReductionKind::min || kind == ReductionKind::argmin;
  if (isa<FloatType>(element))
    return constant(type, least ? INFINITY : -INFINITY);
  unsigned width = element.getIntOrFloatBitWidth();
  APInt bound = width == 1    ? APInt(1, least)
                : withoutSign ? (least ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                : least       ? APInt::getSignedMaxValue(width)
                              : APInt::getSignedMinValue(width);
  return constant(type, builder.getIntegerAttr(element, bound));
}

/// The float of which a value is the identity of an extreme where it is NaN, else itself; null for other values.
static Value ignoredNan(Value value) {
  auto chosen = value.getDefiningOp<arith::SelectOp>();
  auto test = chosen ? chosen.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  Value x = chosen ? chosen.getFalseValue() : Value();
  llvm::APFloat bound(0.0);
  const bool isIdentity = test && matchPattern(chosen.getTrueValue(), m_ConstantFloat(&bound)) && bound.isInfinity();
  const bool asksWhetherNan =
      isIdentity && test.getPredicate() == arith::CmpFPredicate::UNO && test.getLhs() == x && test.getRhs() == x;
  return asksWhetherNan ? x : Value();
}

Value ScalarBuilder::combine(ReductionKind kind, Value sofar, Value next) {
  ScalarBuilder s = forKind(kind);
  if (kind == ReductionKind::min || kind == ReductionKind::max) {
    // A comparison with NaN is false, and so is one with a NaN that has been found.
    const bool isLeast = kind == ReductionKind::min;
    if (Value x = ignoredNan(next)) {
      auto beats = isLeast ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
      return select(arith::CmpFOp::create(builder, loc, beats, x, sofar), x, sofar);
    }
  }
  if (kind == ReductionKind::sum)
    return add(sofar, next);
  if (kind == ReductionKind::prod)
    return mul(sofar, next);
  if (kind == ReductionKind::min)
    return s.minimum(sofar, next);
  if (kind == ReductionKind::max)
    return s.maximum(sofar, next);
  if (kind == ReductionKind::parity)
    return make<arith::XOrIOp>(sofar, next);
  return kind == ReductionKind::any ? make<arith::OrIOp>(sofar, next) : make<arith::AndIOp>(sofar, next);
}
