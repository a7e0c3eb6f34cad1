// The functions of NumPy's OpenBLAS that the runtime calls, as plain loops which write down how they were called.
#include <cstdint>
#include <cstdio>
#include <string>

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

#define BLAS(T, letter)                                                                                                \
  EXPORT T scipy_cblas_##letter##dot64_(int64_t n, const T *x, int64_t xStep, const T *y, int64_t yStep) {             \
    return dot<T>(n, x, xStep, y, yStep);                                                                              \
  }                                                                                                                    \
  EXPORT void scipy_cblas_##letter##gemv64_(int order, int flip, int64_t m, int64_t n, T alpha, const T *a,            \
                                            int64_t lda, const T *x, int64_t xStep, T beta, T *y, int64_t yStep) {     \
    gemv<T>(order, flip, m, n, alpha, a, lda, x, xStep, beta, y, yStep);                                               \
  }                                                                                                                    \
  EXPORT void scipy_cblas_##letter##gemm64_(int order, int flipA, int flipB, int64_t m, int64_t n, int64_t k, T alpha, \
                                            const T *a, int64_t lda, const T *b, int64_t ldb, T beta, T *c,            \
                                            int64_t ldc) {                                                             \
    gemm<T>(order, flipA, flipB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                        \
  }                                                                                                                    \
  EXPORT void scipy_cblas_##letter##syrk64_(int order, int part, int flip, int64_t n, int64_t k, T alpha, const T *a,  \
                                            int64_t lda, T beta, T *c, int64_t ldc) {                                  \
    syrk<T>(order, part, flip, n, k, alpha, a, lda, beta, c, ldc);                                                     \
  }
BLAS(double, d)
BLAS(float, s)
