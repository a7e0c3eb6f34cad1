// The vector library (Intel's SVML) that is a part of NumPy's wheels for x86-64, and what programs call of it.
#ifndef QUERNEL_RUNTIME_VECTORMATH_H
#define QUERNEL_RUNTIME_VECTORMATH_H

#include <string_view>

namespace quernel::runtime {

/// What a target's name ends with whose programs call that library.
inline constexpr std::string_view vectorMathFeature = "+svml";

/// A function that programs call.
struct VectorFunction {
  std::string_view name; ///< in C
  bool isSingle;         ///< of float32
  const char *symbol;    ///< NumPy's
};

inline constexpr VectorFunction vectorFunctions[] = {
#define QN_MATH_F(name, arity, symbol) {#name, true, symbol},
#define QN_MATH_D(name, arity, symbol) {#name, false, symbol},
#include "runtime/VectorMath.def"
#undef QN_MATH_F
#undef QN_MATH_D
};

/// Whether programs may call it: this processor is of x86-64-v4, NumPy is loaded, and has all the functions.
bool hasVectorMath();

/// Has the functions of `libquernel_math.so`, which programs name, lead to NumPy's. Each one that is missing stays
/// SLEEF's, and all of them as long as this isn't called.
/// @param library  the path of that library, which is loaded; nothing happens for another one
void bindVectorMath(const char *library);

} // namespace quernel::runtime

#endif
