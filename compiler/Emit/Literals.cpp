#include "compiler/Emit/Literals.h"

#include <cassert>
#include <charconv>
#include <limits>

namespace quernel {

template <typename T> static std::string shortestDecimal(T value) {
  char text[40];
  // to_chars is exact and, unlike printf, doesn't follow the user's locale.
  std::string literal(text, std::to_chars(text, text + sizeof text, value).ptr);
  if (literal.find_first_of(".e") == std::string::npos)
    literal += ".0";
  return literal;
}

std::string floatLiteral(const llvm::APFloat &value) {
  assert(value.isFinite() && "infinities and NaN have no literal");
  if (&value.getSemantics() == &llvm::APFloat::IEEEsingle())
    return shortestDecimal(value.convertToFloat()) + "f";
  return shortestDecimal(value.convertToDouble());
}

std::string integerLiteral(const llvm::APInt &value) {
  if (value.getBitWidth() == 1)
    return value.isZero() ? "false" : "true";
  int64_t number = value.getSExtValue();
  // C++ has no negative literals, so the least values are sums.
  if (number == std::numeric_limits<int64_t>::min())
    return "(-9223372036854775807 - 1)";
  if (number == std::numeric_limits<int32_t>::min())
    return "(-2147483647 - 1)";
  return std::to_string(number);
}

} // namespace quernel
