// libquernel_math.so: the functions of math by the names that programs call them by. Each one jumps to where it was
// last told to. A program can't name NumPy's functions itself, since NumPy's module isn't among what the loader
// searches.
#include <immintrin.h>

#define QN_PUBLIC extern "C" __attribute__((visibility("default")))

namespace {

template <typename V> using Unary = V (*)(V);
template <typename V> using Binary = V (*)(V, V);

using Find = void *(*)(void *library, const char *symbol);

template <typename F> void bind(F &function, void *found) {
  if (found)
    function = reinterpret_cast<F>(found);
}

} // namespace

#define QN_PARAMETERS_1(V) V x
#define QN_PARAMETERS_2(V) V x, V y
#define QN_ARGUMENTS_1 x
#define QN_ARGUMENTS_2 x, y
#define QN_TYPE_1 Unary
#define QN_TYPE_2 Binary

#define QN_FUNCTION(name, sleef, arity, V)                                                                             \
  extern "C" V sleef(QN_PARAMETERS_##arity(V));                                                                        \
  static QN_TYPE_##arity<V> name##_target = sleef;                                                                     \
  QN_PUBLIC V qn_##name(QN_PARAMETERS_##arity(V)) { return name##_target(QN_ARGUMENTS_##arity); }

#define QN_MATH_F(name, arity, symbol) QN_FUNCTION(name##f16, Sleef_finz_##name##f16_u10avx512f, arity, __m512)
#define QN_MATH_D(name, arity, symbol) QN_FUNCTION(name##d8, Sleef_finz_##name##d8_u10avx512f, arity, __m512d)
#include "runtime/VectorMath.def"
#undef QN_MATH_F
#undef QN_MATH_D

/// Has each function lead to what `find` returns for the symbol of NumPy's, where that isn't null. Nothing may call a
/// function meanwhile.
QN_PUBLIC void qn_bind_math(Find find, void *library) {
#define QN_MATH_F(name, arity, symbol) bind(name##f16_target, find(library, symbol));
#define QN_MATH_D(name, arity, symbol) bind(name##d8_target, find(library, symbol));
#include "runtime/VectorMath.def"
#undef QN_MATH_F
#undef QN_MATH_D
}
