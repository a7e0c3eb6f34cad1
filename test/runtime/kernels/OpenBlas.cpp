// The functions of a BLAS that the runtime calls, as plain loops which write down how they were called. Int is the type
// of its integers and NAME(letter, function) the name of a function; they are those of NumPy's OpenBLAS or of an older
// kind of library.
#include "runtime/Complex.h"
#include <cstdint>
#include <cstdio>
#include <string>

#ifdef QUERNEL_TEST_NARROW
using Int = int32_t;
#define NAME(letter, function) cblas_##letter##function
#else
using Int = int64_t;
#define NAME(letter, function) scipy_cblas_##letter##function##64_
#endif

#define EXPORT extern "C" __attribute__((visibility("default")))

static std::string calls;

/// The calls since the last question, e.g. "gemm NT; ".
EXPORT const char *quernel_test_calls() {
  static std::string answer;
  answer.swap(calls);
  calls.clear();
  return answer.c_str();
}

static char letter(int transpose) { return transpose == 111 ? 'N' : 'T'; }

template <typename T> T dot(int64_t n, const T *x, int64_t xStep, const T *y, int64_t yStep) {
  calls += "dot; ";
  T sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += x[i * xStep] * y[i * yStep];
  return sum;
}

template <typename T>
void gemv(int order, int transpose, int64_t rows, int64_t columns, T alpha, const T *a, int64_t lda, const T *x,
          int64_t xStep, T beta, T *y, int64_t yStep) {
  calls += std::string("gemv ") + (order == 101 ? "row" : "column") + letter(transpose) + "; ";
  for (int64_t j = 0; j < columns; ++j) {
    T sum = 0;
    for (int64_t i = 0; i < rows; ++i)
      sum += (order == 101 ? a[i * lda + j] : a[j * lda + i]) * x[i * xStep];
    y[j * yStep] = alpha * sum;
  }
}

template <typename T>
void gemm(int, int flipA, int flipB, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda, const T *b,
          int64_t ldb, T beta, T *c, int64_t ldc) {
  calls += std::string("gemm ") + letter(flipA) + letter(flipB) + "; ";
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (flipA == 111 ? a[i * lda + l] : a[l * lda + i]) * (flipB == 111 ? b[l * ldb + j] : b[j * ldb + l]);
      c[i * ldc + j] = alpha * sum;
    }
}

template <typename T>
void syrk(int, int, int flip, int64_t n, int64_t k, T alpha, const T *a, int64_t lda, T beta, T *c, int64_t ldc) {
  calls += std::string("syrk ") + letter(flip) + "; ";
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += flip == 111 ? a[i * lda + l] * a[j * lda + l] : a[l * lda + i] * a[l * lda + j];
      c[i * ldc + j] = alpha * sum;
    }
}

/// F is how a factor is passed, and VALUE makes it one.
#define BLAS(T, letter, F, VALUE)                                                                                      \
  EXPORT void NAME(letter, gemv)(int order, int flip, Int m, Int n, F alpha, const T *a, Int lda, const T *x,          \
                                 Int xStep, F beta, T *y, Int yStep) {                                                 \
    gemv<T>(order, flip, m, n, VALUE(alpha), a, lda, x, xStep, VALUE(beta), y, yStep);                                 \
  }                                                                                                                    \
  EXPORT void NAME(letter, gemm)(int order, int flipA, int flipB, Int m, Int n, Int k, F alpha, const T *a, Int lda,   \
                                 const T *b, Int ldb, F beta, T *c, Int ldc) {                                         \
    gemm<T>(order, flipA, flipB, m, n, k, VALUE(alpha), a, lda, b, ldb, VALUE(beta), c, ldc);                          \
  }                                                                                                                    \
  EXPORT void NAME(letter, syrk)(int order, int part, int flip, Int n, Int k, F alpha, const T *a, Int lda, F beta,    \
                                 T *c, Int ldc) {                                                                      \
    syrk<T>(order, part, flip, n, k, VALUE(alpha), a, lda, VALUE(beta), c, ldc);                                       \
  }
#define REAL_BLAS(T, letter)                                                                                           \
  BLAS(T, letter, T, )                                                                                                 \
  EXPORT T NAME(letter, dot)(Int n, const T *x, Int xStep, const T *y, Int yStep) {                                    \
    return dot<T>(n, x, xStep, y, yStep);                                                                              \
  }
#define COMPLEX_BLAS(T, letter)                                                                                        \
  BLAS(T, letter, const T *, *)                                                                                        \
  EXPORT void NAME(letter, dotu_sub)(Int n, const T *x, Int xStep, const T *y, Int yStep, T *sum) {                    \
    *sum = dot<T>(n, x, xStep, y, yStep);                                                                              \
  }
using C128 = quernel::runtime::Complex<double>;
using C64 = quernel::runtime::Complex<float>;
REAL_BLAS(double, d)
REAL_BLAS(float, s)
COMPLEX_BLAS(C128, z)
COMPLEX_BLAS(C64, c)
