// Plain linear algebra on matrices in Fortran's order, for the stand-ins of the device's libraries.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_LIBRARYMATH_H
#define QUERNEL_TEST_CUDA_EMULATOR_LIBRARYMATH_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>

namespace emulator {

template <typename T> struct Matrix {
  T *data;
  int64_t lead;

  T &operator()(int64_t i, int64_t j) const { return data[j * lead + i]; }
};

inline double sizeOf(double x) { return std::abs(x); }
inline double sizeOf(std::complex<double> x) { return std::abs(x.real()) + std::abs(x.imag()); }
inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
inline double realOf(double x) { return x; }
inline double realOf(std::complex<double> x) { return x.real(); }

/// Factors of a matrix by rows that are exchanged, from 1 on; 0, or the first column whose pivot is 0.
template <typename T, typename Int> int factorize(Matrix<T> a, int64_t rows, int64_t columns, Int *pivots) {
  int info = 0;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < rows; ++i)
      if (sizeOf(a(i, k)) > sizeOf(a(best, k)))
        best = i;
    pivots[k] = Int(best + 1);
    if (a(best, k) == T(0)) {
      info = info ? info : int(k + 1);
      continue;
    }
    for (int64_t j = 0; j < columns && best != k; ++j)
      std::swap(a(k, j), a(best, j));
    for (int64_t i = k + 1; i < rows; ++i)
      a(i, k) /= a(k, k);
    for (int64_t j = k + 1; j < columns; ++j)
      for (int64_t i = k + 1; i < rows; ++i)
        a(i, j) -= a(i, k) * a(k, j);
  }
  return info;
}

/// Solves a triangle's system in place.
template <typename T>
void solveTriangle(Matrix<const T> a, Matrix<T> b, int64_t n, int64_t sides, bool isLower, bool hasOnes) {
  for (int64_t j = 0; j < sides; ++j)
    for (int64_t step = 0; step < n; ++step) {
      const int64_t k = isLower ? step : n - 1 - step;
      if (!hasOnes)
        b(k, j) /= a(k, k);
      for (int64_t i = isLower ? k + 1 : 0; i < (isLower ? n : k); ++i)
        b(i, j) -= a(i, k) * b(k, j);
    }
}

template <typename T, typename Int>
void solveFactors(Matrix<const T> a, const Int *pivots, Matrix<T> b, int64_t n, int64_t sides) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t j = 0; j < sides && pivots[k] != k + 1; ++j)
      std::swap(b(k, j), b(pivots[k] - 1, j));
  solveTriangle(a, b, n, sides, true, true);
  solveTriangle(a, b, n, sides, false, false);
}

/// The lower triangle of Cholesky's factor; what is above stays. 0, or the first row that isn't positive.
template <typename T> int factorizePositive(Matrix<T> a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    double pivot = realOf(a(j, j));
    for (int64_t k = 0; k < j; ++k)
      pivot -= std::norm(a(j, k));
    if (!(pivot > 0))
      return int(j + 1);
    a(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      for (int64_t k = 0; k < j; ++k)
        a(i, j) -= a(i, k) * conjugate(a(j, k));
      a(i, j) /= a(j, j);
    }
  }
  return 0;
}

} // namespace emulator

#endif
