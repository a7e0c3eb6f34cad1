#include "runtime/LinearAlgebra.h"
#include "runtime/Batch.h"
#include "runtime/LaneProblem.h"
#include "runtime/LapackProblem.h"
#include "runtime/Library.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace quernel::runtime;

namespace {

/// Solves a x = b, where `rightSide` calls a function with every place of the b of a matrix and its element.
template <typename T, typename Int, typename RightSide>
int32_t solveEach(const Problem<T, Int> &problem, int64_t columns, int result, RightSide rightSide) {
  using Wide = WideOf<T>;
  const int64_t n = problem.n;
  Scratch scratch;
  Wide *a = scratch.take<Wide>(n * n), *b = scratch.take<Wide>(n * columns);
  Int *pivots = scratch.take<Int>(n);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  Int size = n, sides = columns, lead = std::max<int64_t>(n, 1);
  for (int64_t index = 0; index < problem.batch; ++index) {
    problem.load(0, index, n, n, a);
    rightSide(problem, index, [&](int64_t i, int64_t j, Wide x) { b[j * n + i] = x; });
    if (problem.run(LapackFunction::Gesv, &size, &sides, a, &lead, pivots, b, &lead) != 0)
      return QN_SINGULAR;
    problem.store(b, result, index, n, columns);
  }
  return QN_OK;
}

template <typename T, typename Int, typename RightSide>
int32_t solveSystems(const Problem<T, Int> &problem, int64_t columns, int result, RightSide rightSide) {
  auto each = [=](const Problem<T, Int> &some) { return solveEach(some, columns, result, rightSide); };
  if constexpr (!isComplex<T>)
    if (isInLanes(problem))
      return solveInLanes(problem, columns, result, rightSide, each);
  return each(problem);
}

template <typename T, typename Int> int32_t solve(const Problem<T, Int> &problem) {
  return solveSystems(problem, problem.k, 2, [](const Problem<T, Int> &some, int64_t index, auto put) {
    const Slab<T> from = some.at(1, index);
    eachPlace(some.n, some.k, [&](int64_t i, int64_t j) { put(i, j, WideOf<T>(from(i, j))); });
  });
}

template <typename T, typename Int> int32_t inverse(const Problem<T, Int> &problem) {
  return solveSystems(problem, problem.n, 1, [](const Problem<T, Int> &some, int64_t, auto put) {
    eachPlace(some.n, some.n, [&](int64_t i, int64_t j) { put(i, j, WideOf<T>(i == j)); });
  });
}

template <typename T, typename Int> int32_t cholesky(const Problem<T, Int> &problem) {
  const int64_t n = problem.n;
  Scratch scratch;
  auto *a = scratch.take<WideOf<T>>(n * n);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  Int size = n, lead = std::max<int64_t>(n, 1);
  char part = 'L';
  for (int64_t i = 0; i < problem.batch; ++i) {
    problem.load(0, i, n, n, a);
    if (problem.run(LapackFunction::Potrf, &part, &size, a, &lead) != 0)
      return QN_NOT_POSITIVE_DEFINITE;
    for (int64_t column = 0; column < n; ++column) // of Fortran's order
      std::fill_n(a + column * n, column, WideOf<T>(0));
    problem.store(a, 1, i, n, n);
  }
  return QN_OK;
}

double magnitude(double x) { return x < 0 ? -x : x; }
double magnitude(Complex<double> x) { return std::hypot(x.re, x.im); }

double signOf(double x, double) { return x < 0 ? -1 : 1; }
Complex<double> signOf(Complex<double> x, double size) { return {x.re / size, x.im / size}; }

/// Sign and logarithm of a determinant, as numpy.linalg has them; T is a type with doubles.
template <typename T> struct Determinant {
  T sign = T(0);
  double logarithm = -std::numeric_limits<double>::infinity();

  T value() const { return sign * T(std::exp(logarithm)); }
};

template <typename T, typename Int> Determinant<T> fromFactors(const T *factors, const Int *pivots, int64_t n) {
  int64_t swaps = 0;
  for (int64_t i = 0; i < n; ++i)
    swaps += pivots[i] != i + 1;
  Determinant<T> result{T(swaps % 2 ? -1 : 1), 0};
  for (int64_t i = 0; i < n; ++i) {
    const T x = factors[i * (n + 1)];
    result.sign = result.sign * signOf(x, magnitude(x));
    result.logarithm += std::log(magnitude(x));
  }
  return result;
}

/// Hands the determinant of every matrix to `keep`.
template <typename T, typename Int, typename Keep> int32_t determinants(const Problem<T, Int> &problem, Keep keep) {
  const int64_t n = problem.n;
  Scratch scratch;
  auto *a = scratch.take<WideOf<T>>(n * n);
  Int *pivots = scratch.take<Int>(n);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  Int size = n, lead = std::max<int64_t>(n, 1);
  for (int64_t i = 0; i < problem.batch; ++i) {
    problem.load(0, i, n, n, a);
    const bool regular = problem.run(LapackFunction::Getrf, &size, &size, a, &lead, pivots) == 0;
    keep(i, regular ? fromFactors(a, pivots, n) : Determinant<WideOf<T>>());
  }
  return QN_OK;
}

template <typename T, typename Int> int32_t det(const Problem<T, Int> &problem) {
  auto each = [](const Problem<T, Int> &some) {
    return determinants(some, [&](int64_t i, const auto &found) { some.at(1, i)(0, 0) = T(found.value()); });
  };
  if constexpr (!isComplex<T>)
    if (isInLanes(problem))
      return determinantsInLanes(problem, each);
  return each(problem);
}

template <typename T, typename Int> int32_t slogdet(const Problem<T, Int> &problem) {
  return determinants(problem, [&](int64_t i, const auto &found) {
    problem.at(1, i)(0, 0) = T(found.sign);
    problem.storeReal(&found.logarithm, 2, i, 1);
  });
}

template <typename T, typename Int> int32_t lu(const Problem<T, Int> &problem) {
  const int64_t m = problem.m, n = problem.n;
  Scratch scratch;
  auto *a = scratch.take<WideOf<T>>(m * n);
  Int *pivots = scratch.take<Int>(problem.least());
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  Int rows = m, columns = n, lead = std::max<int64_t>(m, 1);
  for (int64_t index = 0; index < problem.batch; ++index) {
    problem.load(0, index, m, n, a);
    problem.run(LapackFunction::Getrf, &rows, &columns, a, &lead, pivots);
    problem.store(a, 1, index, m, n);
    const Slab<int64_t> exchanged = problem.template at<int64_t>(2, index);
    for (int64_t i = 0; i < problem.least(); ++i)
      exchanged(i, 0) = pivots[i] - 1;
  }
  return QN_OK;
}

/// Where a diagonal has a zero, the solution is the right-hand side.
template <typename T, typename Int> int32_t solveTriangles(const Problem<T, Int> &problem, char part) {
  const int64_t n = problem.n, k = problem.k;
  Scratch scratch;
  auto *a = scratch.take<WideOf<T>>(n * n), *b = scratch.take<WideOf<T>>(n * k);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  Int size = n, sides = k, lead = std::max<int64_t>(n, 1);
  char plain = 'N';
  for (int64_t index = 0; index < problem.batch; ++index) {
    problem.load(0, index, n, n, a);
    problem.load(1, index, n, k, b);
    problem.run(LapackFunction::Trtrs, &part, &plain, &plain, &size, &sides, a, &lead, b, &lead);
    problem.store(b, 2, index, n, k);
  }
  return QN_OK;
}

template <typename T, typename Int> int32_t solveProblem(const Problem<T, Int> &problem, int32_t routine) {
  switch (routine) {
  case QN_SOLVE:
    return solve(problem);
  case QN_INV:
    return inverse(problem);
  case QN_CHOLESKY:
    return cholesky(problem);
  case QN_EIGH:
  case QN_EIGVALSH:
    return eigh(problem, routine == QN_EIGH ? 'V' : 'N');
  case QN_EIG:
  case QN_EIGVALS:
    return eig(problem, routine == QN_EIG ? 'V' : 'N');
  case QN_DET:
    return det(problem);
  case QN_SLOGDET:
    return slogdet(problem);
  case QN_LU:
    return lu(problem);
  case QN_SOLVE_LOWER:
  case QN_SOLVE_UPPER:
    return solveTriangles(problem, routine == QN_SOLVE_LOWER ? 'L' : 'U');
  case QN_SVD:
    return svd(problem, 'S');
  case QN_SVD_FULL:
    return svd(problem, 'A');
  case QN_SVDVALS:
    return svd(problem, 'N');
  case QN_QR:
  case QN_QR_COMPLETE:
  case QN_QR_R:
    return qr(problem, routine != QN_QR_R, routine == QN_QR_COMPLETE);
  }
  return QN_NO_LAPACK;
}

template <typename Int>
int32_t solveTyped(const Lapack &lapack, int32_t routine, int32_t type, void *const *operands, const int64_t *strides,
                   int64_t first, int64_t batch, int64_t whole, int64_t m, int64_t n, int64_t k) {
  auto solveAs = [&]<typename T>(T) {
    return solveProblem(Problem<T, Int>{lapack, operands, strides, first, batch, whole, m, n, k}, routine);
  };
  switch (type) {
  case QN_F32:
    return solveAs(float());
  case QN_F64:
    return solveAs(double());
  case QN_C64:
    return solveAs(Complex<float>());
  case QN_C128:
    return solveAs(Complex<double>());
  }
  return QN_NO_LAPACK;
}

/// The library that gives a LAPACK its products, with what sets its threads; one without that where nobody knows it.
const Blas *blasOf(const Lapack &lapack) {
  static const Blas unknown;
  const Blas *blas = findBlas();
  return blas && blas->library == lapack.library ? blas : &unknown;
}

} // namespace

int32_t quernel::runtime::solveBy(const qn_context *context, const Lapack *lapack, int32_t routine, int32_t type,
                                  void *const *operands, const int64_t *strides, int64_t batch, int64_t m, int64_t n,
                                  int64_t k) {
  if (!lapack)
    return QN_NO_LAPACK;
  // No memory holds a square matrix of that size, and its bytes might not fit an integer.
  constexpr int64_t most = 1 << 28;
  const bool makesSquares = routine == QN_QR_COMPLETE || routine == QN_SVD_FULL;
  if ((makesSquares ? std::max(m, n) : std::min(m, n)) > most)
    return QN_OUT_OF_MEMORY;
  if (!lapack->wide && std::max({m, n, k}) > INT32_MAX)
    return QN_OUT_OF_MEMORY;
  const Batch problems{batch, double(m) * double(n) * double(std::max(std::min(m, n), k)), blasOf(*lapack)};
  return runBatch(context, problems, [=](int64_t first, int64_t count) {
    return lapack->wide ? solveTyped<int64_t>(*lapack, routine, type, operands, strides, first, count, batch, m, n, k)
                        : solveTyped<int32_t>(*lapack, routine, type, operands, strides, first, count, batch, m, n, k);
  });
}

int32_t quernel::runtime::callLapack(const RoutineCall &call) {
  const auto [batch, m, n, k] = std::to_array({call.sizes[0], call.sizes[1], call.sizes[2], call.sizes[3]});
  const int32_t code =
      solveBy(call.context, findLapack(), call.routine, call.type, call.operands, call.strides, batch, m, n, k);
  const bool hasNoAnswer = code >= QN_SINGULAR && code <= QN_QR_FAILED;
  if (!hasNoAnswer)
    return code;
  const std::string_view signature = routineRows[call.routine].signature;
  const auto arrays = 2 + std::ranges::count(signature, ',');
  *static_cast<int64_t *>(call.operands[arrays]) = code;
  return QN_OK;
}
