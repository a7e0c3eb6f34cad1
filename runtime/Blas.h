// NumPy's BLAS, found in the process.
#ifndef QUERNEL_RUNTIME_BLAS_H
#define QUERNEL_RUNTIME_BLAS_H

#include "runtime/Complex.h"
#include <cstdint>
#include <string>

namespace quernel::runtime {

enum class Transpose { No = 111, Yes = 112 };
enum class Order { RowMajor = 101, ColumnMajor = 102 };

/// The addresses of one element type's functions; `dot` of complex ones conjugates nothing.
struct BlasFunctions {
  void *dot = nullptr;
  void *gemv = nullptr;
  void *syrk = nullptr;
  void *gemm = nullptr;

  bool complete() const { return dot && gemv && syrk && gemm; }
};

/// A BLAS with the C interface. `wide` says that its integers have 64 bits; else every size must fit 32.
struct Blas {
  std::string library;
  bool wide = false;
  /// The largest size that may be passed.
  int64_t largest = INT32_MAX - 1;
  BlasFunctions f64;
  BlasFunctions f32;
  BlasFunctions c128;
  BlasFunctions c64;
  /// How many threads a call may have, for the whole process; null where the library isn't an OpenBLAS.
  int (*threads)() = nullptr;
  void (*setThreads)(int) = nullptr;
};

/// The BLAS of a loaded library: NumPy's if there is one, else any whose file name or folder contains "openblas".
/// The answer is kept once there is one; null as long as there is none.
const Blas *findBlas();

/// The same, looked for anew; `library` is empty where there is none.
Blas searchBlas();

/// The functions of a library that is loaded already, or of one that it is linked to, whose path `library` then is;
/// it is empty where the library isn't loaded, or where functions are missing.
Blas openBlas(const std::string &library);

/// x . y
template <typename T> T blasDot(const Blas &blas, int64_t n, const T *x, int64_t xStep, const T *y, int64_t yStep);

/// y = A' x, where A has `rows` rows and `columns` columns in the given order.
template <typename T>
void blasGemv(const Blas &blas, Order order, int64_t rows, int64_t columns, const T *a, int64_t lda, const T *x,
              int64_t xStep, T *y);

/// The upper triangle of C[n, n] = A A', or of A' A where transposed; row-major.
template <typename T>
void blasSyrk(const Blas &blas, Transpose transpose, int64_t n, int64_t k, const T *a, int64_t lda, T *c, int64_t ldc);

/// C[m, n] = op(A) op(B); row-major.
template <typename T>
void blasGemm(const Blas &blas, Transpose transposeA, Transpose transposeB, int64_t m, int64_t n, int64_t k, const T *a,
              int64_t lda, const T *b, int64_t ldb, T *c, int64_t ldc);

} // namespace quernel::runtime

#endif
