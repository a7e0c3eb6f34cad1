// What reductions and searches do with one more element.
#include "compiler/Dialect/ScalarBuilder.h"
#include <cmath>

using namespace mlir;
using namespace quernel;

static bool isOrdered(StringRef kind) { return llvm::is_contained({"min", "max", "argmin", "argmax"}, kind); }

std::string ScalarBuilder::loopKind(StringRef kind, Type dtype) {
  bool needsMark = isOrdered(kind) && getElementTypeOrSelf(dtype).isUnsignedInteger();
  return (needsMark ? "u" : "") + kind.str();
}

/// A builder for the operands of a loop's reduction; takes the mark of unsigned ones off its kind.
ScalarBuilder ScalarBuilder::forKind(StringRef &kind) const {
  ScalarBuilder result(*this);
  result.isUnsigned |= kind.consume_front("u");
  return result;
}

Value ScalarBuilder::beats(StringRef kind, Value x, Value best) {
  ScalarBuilder s = forKind(kind);
  Value better = s.compare(kind == "argmax" ? Order::gt : Order::lt, x, best);
  if (isInteger(x))
    return better;
  Value firstNan = make<arith::AndIOp>(isnan(x), invert(isnan(best)));
  return make<arith::OrIOp>(better, firstNan);
}

Value ScalarBuilder::identity(StringRef kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (kind == "sum" || kind == "any") // as NumPy, which gives 0 for a sum of nothing but -0
    return constant(type, 0);
  if (kind == "prod" || kind == "all")
    return constant(type, 1);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = identity(kind, complex.getElementType());
    return join(part, part);
  }
  bool withoutSign = forKind(kind).isUnsigned;
  bool least = kind == "min" || kind == "argmin";
  if (isa<FloatType>(element))
    return constant(type, least ? INFINITY : -INFINITY);
  unsigned width = element.getIntOrFloatBitWidth();
  APInt bound = width == 1    ? APInt(1, least)
                : withoutSign ? (least ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                : least       ? APInt::getSignedMaxValue(width)
                              : APInt::getSignedMinValue(width);
  return constant(type, builder.getIntegerAttr(element, bound));
}

Value ScalarBuilder::combine(StringRef kind, Value sofar, Value next) {
  ScalarBuilder s = forKind(kind);
  if (kind == "sum")
    return add(sofar, next);
  if (kind == "prod")
    return mul(sofar, next);
  if (kind == "min")
    return s.minimum(sofar, next);
  if (kind == "max")
    return s.maximum(sofar, next);
  return kind == "any" ? make<arith::OrIOp>(sofar, next) : make<arith::AndIOp>(sofar, next);
}
