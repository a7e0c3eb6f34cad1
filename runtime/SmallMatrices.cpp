#include "runtime/SmallMatrices.h"
#include <cstring>

using namespace quernel::runtime;

namespace {

using Lanes = double __attribute__((vector_size(matrixLanes * sizeof(double))));
using Mask = int64_t __attribute__((vector_size(matrixLanes * sizeof(int64_t))));

// What follows is compiled once for each of the targets below, of which none may call the code of another one.
#define INLINE [[gnu::always_inline]] inline

/// The least pivot that is trusted, beside the greatest element of the matrix.
constexpr double leastPivot = 1.0 / 128;
/// Products of pivots outside of these may have lost digits on the way.
constexpr double leastProduct = 1e-280, greatestProduct = 1e280;

INLINE void load(Lanes &to, const double *from) { std::memcpy(&to, from, sizeof to); }
INLINE void store(double *to, const Lanes &from) { std::memcpy(to, &from, sizeof from); }
INLINE void chooseWhere(const Mask &holds, Lanes &to, const Lanes &value) { to = holds ? value : to; }
INLINE void absolute(Lanes &to, const Lanes &x) { to = x < 0 ? -x : x; }

INLINE void swapWhere(const Mask &holds, Lanes &x, Lanes &y) {
  const Lanes old = x;
  x = holds ? y : x;
  y = holds ? old : y;
}

INLINE LaneSet lanesOf(const Mask &mask) {
  LaneSet set = 0;
  for (int lane = 0; lane < matrixLanes; ++lane)
    set |= LaneSet((mask[lane] & 1) << lane);
  return set;
}

/// L and U of matrices with N rows.
template <int N> struct Factors {
  Lanes a[N][N];
  /// The row that step j has exchanged with row j.
  Mask rows[N];
  Mask trusted;

  INLINE explicit Factors(const double *from) {
    Lanes greatest = {}, least = {}, zero = {};
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        Lanes size;
        load(a[i][j], from + (i * N + j) * matrixLanes);
        absolute(size, a[i][j]);
        chooseWhere(size > greatest, greatest, size);
        zero += size * 0; // NaN where an element is that, or infinite
      }
    for (int j = 0; j < N; ++j) {
      Lanes pivot;
      takePivot(j, pivot);
      least = j == 0 ? pivot : least;
      chooseWhere(pivot < least, least, pivot);
      eliminate(j);
    }
    trusted = (least >= greatest * leastPivot) & (least > 0) & (zero == 0);
  }

  /// Exchanges row j with that of the greatest element in column j, from row j on; hands over its size.
  INLINE void takePivot(int j, Lanes &size) {
    Mask row = Mask{} + j;
    absolute(size, a[j][j]);
    for (int i = j + 1; i < N; ++i) {
      Lanes other;
      absolute(other, a[i][j]);
      const Mask greater = other > size;
      chooseWhere(greater, size, other);
      row = greater ? Mask{} + i : row;
    }
    for (int i = j + 1; i < N; ++i)
      for (int k = 0; k < N; ++k)
        swapWhere(row == i, a[j][k], a[i][k]);
    rows[j] = row;
  }

  INLINE void eliminate(int j) {
    for (int i = j + 1; i < N; ++i) {
      a[i][j] /= a[j][j];
      for (int k = j + 1; k < N; ++k)
        a[i][k] -= a[i][j] * a[j][k];
    }
  }

  /// Replaces a right side by the solution.
  INLINE void solve(Lanes (&x)[N]) const {
    for (int j = 0; j < N; ++j)
      for (int i = j + 1; i < N; ++i)
        swapWhere(rows[j] == i, x[j], x[i]);
    for (int i = 1; i < N; ++i)
      for (int k = 0; k < i; ++k)
        x[i] -= a[i][k] * x[k];
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k)
        x[i] -= a[i][k] * x[k];
      x[i] /= a[i][i];
    }
  }
};

template <int N> INLINE LaneSet solveRows(int64_t columns, const double *a, double *b) {
  const Factors<N> factors(a);
  for (int64_t column = 0; column < columns; ++column) {
    Lanes x[N];
    for (int i = 0; i < N; ++i)
      load(x[i], b + (i * columns + column) * matrixLanes);
    factors.solve(x);
    for (int i = 0; i < N; ++i)
      store(b + (i * columns + column) * matrixLanes, x[i]);
  }
  return lanesOf(factors.trusted);
}

template <int N> INLINE LaneSet determinantRows(const double *a, double *result) {
  const Factors<N> factors(a);
  Lanes product = Lanes{} + 1;
  for (int j = 0; j < N; ++j) {
    product *= factors.a[j][j];
    chooseWhere(factors.rows[j] != j, product, -product);
  }
  store(result, product);
  Lanes size;
  absolute(size, product);
  return lanesOf(factors.trusted & (size > leastProduct) & (size < greatestProduct));
}

template <int N> INLINE LaneSet solveFrom(int64_t rows, int64_t columns, const double *a, double *b) {
  if (rows == N)
    return solveRows<N>(columns, a, b);
  if constexpr (N < mostLaneRows)
    return solveFrom<N + 1>(rows, columns, a, b);
  return 0;
}

template <int N> INLINE LaneSet determinantFrom(int64_t rows, const double *a, double *result) {
  if (rows == N)
    return determinantRows<N>(a, result);
  if constexpr (N < mostLaneRows)
    return determinantFrom<N + 1>(rows, a, result);
  return 0;
}

#define FOR_TARGET(name, ...)                                                                                          \
  __VA_ARGS__ LaneSet solve##name(int64_t rows, int64_t columns, const double *a, double *b) {                         \
    return solveFrom<1>(rows, columns, a, b);                                                                          \
  }                                                                                                                    \
  __VA_ARGS__ LaneSet determinant##name(int64_t rows, const double *a, double *result) {                               \
    return determinantFrom<1>(rows, a, result);                                                                        \
  }                                                                                                                    \
  constexpr SmallMatrices matrices##name = {solve##name, determinant##name};

FOR_TARGET(Plain)
#if defined(__x86_64__)
FOR_TARGET(Avx2, [[gnu::target("avx2")]])
FOR_TARGET(Avx512, [[gnu::target("avx512f,avx512dq,avx512vl")]])
#endif

const SmallMatrices &chosen() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return matricesAvx512;
  if (__builtin_cpu_supports("avx2"))
    return matricesAvx2;
#endif
  return matricesPlain;
}

} // namespace

const SmallMatrices &quernel::runtime::smallMatrices() {
  static const SmallMatrices &matrices = chosen();
  return matrices;
}
