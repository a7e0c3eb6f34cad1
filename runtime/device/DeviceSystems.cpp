// Systems, inverses, determinants and factors of matrices by cuBLAS and cuSOLVER.
#include "runtime/device/SolverCalls.h"

using namespace quernel::runtime;

namespace {

/// What the kernel `routine_determinants` takes: members of 8 bytes each.
struct DeterminantArguments {
  const void *factors, *pivots;
  const int32_t *infos;
  void *values, *logarithms;
  int64_t count, n, factorType, hasWidePivots, type, valueStride, logarithmStride;
};

/// Matrices in two triangles, with the rows that were exchanged, and where a pivot is 0.
struct Factors {
  DeviceMatrices a;
  void *pivots; ///< int64 for each row where they are wide, else int32; from 1 on
  bool hasWidePivots;
  int32_t *infos;
};

Factors factorize(const Cublas &blas, const SolverCalls &calls, const DeviceMatrices &a, int64_t rows,
                  int64_t columns) {
  RoutineWork &work = calls.work;
  const int64_t batch = work.batch(), least = std::min(rows, columns);
  auto *infos = work.take<int32_t>(batch);
  if (rows == columns && calls.isBatched(rows)) {
    auto *pivots = work.take<int32_t>(batch * rows);
    const auto function = calls.isComplex ? blas.getrfComplex : blas.getrfReal;
    work.libraries().check(
        function(work.libraries().blasHandle(), int(rows), work.addresses(a), int(a.column), pivots, infos, int(batch)),
        "cublas getrfBatched");
    return {a, pivots, false, infos};
  }
  auto *pivots = work.take<int64_t>(batch * least);
  calls.each(
      "cusolverDnXgetrf", batch,
      [&](size_t *onDevice, size_t *onHost) {
        return calls.library.getrfSize(calls.handle, calls.parameters, rows, columns, calls.element, a.data, a.column,
                                       calls.element, onDevice, onHost);
      },
      [&](int64_t problem, const SolverCalls::Memory &memory) {
        return calls.library.getrf(calls.handle, calls.parameters, rows, columns, calls.element, calls.at(a, problem),
                                   a.column, pivots + problem * least, calls.element, memory.onDevice,
                                   memory.deviceBytes, memory.onHost, memory.hostBytes, infos + problem);
      });
  return {a, pivots, true, infos};
}

/// Puts the solutions into the place of the right-hand sides.
void solveFactors(const Cublas &blas, const SolverCalls &calls, const Factors &factors, const DeviceMatrices &b,
                  int64_t rows, int64_t sides) {
  RoutineWork &work = calls.work;
  if (!factors.hasWidePivots) {
    int info = 0; // tells of arguments alone
    const auto function = calls.isComplex ? blas.getrsComplex : blas.getrsReal;
    work.libraries().check(function(work.libraries().blasHandle(), cuda::plain, int(rows), int(sides),
                                    work.addresses(factors.a), int(factors.a.column),
                                    static_cast<const int *>(factors.pivots), work.addresses(b), int(b.column), &info,
                                    int(work.batch())),
                           "cublas getrsBatched");
    return;
  }
  auto *info = work.take<int32_t>(1);
  for (int64_t problem = 0; problem < work.batch(); ++problem)
    work.libraries().check(calls.library.getrs(calls.handle, calls.parameters, cuda::plain, rows, sides, calls.element,
                                               calls.at(factors.a, problem), factors.a.column,
                                               static_cast<const int64_t *>(factors.pivots) + problem * rows,
                                               calls.element, calls.at(b, problem), b.column, info),
                           "cusolverDnXgetrs");
}

int32_t solveInto(const Cublas &blas, const SolverCalls &calls, const DeviceMatrices &b, int64_t sides, int result) {
  RoutineWork &work = calls.work;
  const int64_t n = work.size(1);
  const Factors factors = factorize(blas, calls, work.load(0, n, n), n, n);
  solveFactors(blas, calls, factors, b, n, sides);
  work.noteFailures(factors.infos, QN_SINGULAR);
  work.copy(b, work.operand(result), n, sides);
  return QN_OK;
}

std::optional<int32_t> determine(RoutineWork &work, bool withLogarithms) {
  return withSolver(work, [&](const Cublas &blas, const SolverCalls &calls) {
    const int64_t n = work.size(1);
    Factors factors{};
    if (n > 0)
      factors = factorize(blas, calls, work.load(0, n, n), n, n);
    const DeviceMatrices values = work.operand(1);
    const DeviceMatrices logarithms = withLogarithms ? work.operand(2, realTypeOf(work.type())) : DeviceMatrices{};
    DeterminantArguments arguments{
        factors.a.data, factors.pivots,        factors.infos, values.data, logarithms.data, work.batch(), n,
        calls.type,     factors.hasWidePivots, work.type(),   values.next, logarithms.next};
    void *const addresses[] = {&arguments, nullptr};
    work.launch(work.kernels().determinants, work.batch(), addresses);
    return QN_OK;
  });
}

std::optional<int32_t> solveTriangles(RoutineWork &work, cuda::Part part) {
  return withSolver(work, [&](const Cublas &blas, const SolverCalls &calls) {
    int64_t n = work.size(1), sides = work.size(3), type = calls.type, batch = work.batch();
    if (n == 0 || sides == 0)
      return QN_OK;
    DeviceMatrices a = work.load(0, n, n);
    const DeviceMatrices b = work.load(1, n, sides);
    void *const arguments[] = {&a.data, &type, &n, &batch, nullptr};
    work.launch(work.kernels().triangles, batch, arguments);
    constexpr double one[] = {1, 0};
    LibraryHandle handle = work.libraries().blasHandle();
    const auto function = calls.isComplex ? blas.trsmComplex : blas.trsmReal;
    for (int64_t problem = 0; problem < batch; ++problem)
      work.libraries().check(function(handle, cuda::left, part, cuda::plain, cuda::given, n, sides, one,
                                      calls.at(a, problem), a.column, calls.at(b, problem), b.column),
                             "cublas trsm");
    work.copy(b, work.operand(2), n, sides);
    return QN_OK;
  });
}

} // namespace

std::optional<int32_t> quernel::runtime::solveOnDevice(RoutineWork &work) {
  const int64_t n = work.size(1), sides = work.size(3);
  if (n == 0)
    return QN_OK;
  if (sides == 0)
    return std::nullopt; // whether a matrix is singular is asked all the same
  return withSolver(work, [&](const Cublas &blas, const SolverCalls &calls) {
    return solveInto(blas, calls, work.load(1, n, sides), sides, 2);
  });
}

std::optional<int32_t> quernel::runtime::invertOnDevice(RoutineWork &work) {
  const int64_t n = work.size(1);
  if (n == 0)
    return QN_OK;
  return withSolver(work, [&](const Cublas &blas, const SolverCalls &calls) {
    const DeviceMatrices b = work.takeMatrices(calls.type, n, n);
    work.fill(b, n, n, MatrixPart::identity);
    return solveInto(blas, calls, b, n, 1);
  });
}

std::optional<int32_t> quernel::runtime::determinantsOnDevice(RoutineWork &work) { return determine(work, false); }

std::optional<int32_t> quernel::runtime::signsAndLogarithmsOnDevice(RoutineWork &work) { return determine(work, true); }

std::optional<int32_t> quernel::runtime::factorizeOnDevice(RoutineWork &work) {
  const int64_t rows = work.size(1), columns = work.size(2), least = std::min(rows, columns);
  if (least == 0)
    return QN_OK;
  return withSolver(work, [&](const Cublas &blas, const SolverCalls &calls) {
    const Factors factors = factorize(blas, calls, work.load(0, rows, columns), rows, columns);
    work.copy(factors.a, work.operand(1), rows, columns);
    DeviceMatrices places = work.operand(2, QN_I64);
    int64_t batch = work.batch(), size = least, isWide = factors.hasWidePivots;
    const void *pivots = factors.pivots;
    void *const arguments[] = {&places.data, &places.next, &places.row, &pivots, &isWide, &batch, &size, nullptr};
    work.launch(work.kernels().places, batch * size, arguments);
    return QN_OK;
  });
}

std::optional<int32_t> quernel::runtime::choleskyOnDevice(RoutineWork &work) {
  const int64_t n = work.size(1);
  if (n == 0)
    return QN_OK;
  return withSolver(work, [&](const Cublas &, const SolverCalls &calls) {
    const DeviceMatrices a = work.load(0, n, n);
    auto *infos = work.take<int32_t>(work.batch());
    if (calls.isBatched(n)) {
      const auto function = calls.isComplex ? calls.library.potrfComplex : calls.library.potrfReal;
      work.libraries().check(
          function(calls.handle, cuda::lower, int(n), work.addresses(a), int(a.column), infos, int(work.batch())),
          "cusolverDn potrfBatched");
    } else {
      calls.each(
          "cusolverDnXpotrf", work.batch(),
          [&](size_t *onDevice, size_t *onHost) {
            return calls.library.potrfSize(calls.handle, calls.parameters, cuda::lower, n, calls.element, a.data,
                                           a.column, calls.element, onDevice, onHost);
          },
          [&](int64_t problem, const SolverCalls::Memory &memory) {
            return calls.library.potrf(calls.handle, calls.parameters, cuda::lower, n, calls.element,
                                       calls.at(a, problem), a.column, calls.element, memory.onDevice,
                                       memory.deviceBytes, memory.onHost, memory.hostBytes, infos + problem);
          });
    }
    work.noteFailures(infos, QN_NOT_POSITIVE_DEFINITE);
    RoutineWork::CopyOptions options;
    options.part = MatrixPart::lower;
    work.copy(a, work.operand(1), n, n, options);
    return QN_OK;
  });
}

std::optional<int32_t> quernel::runtime::solveLowerOnDevice(RoutineWork &work) {
  return solveTriangles(work, cuda::lower);
}

std::optional<int32_t> quernel::runtime::solveUpperOnDevice(RoutineWork &work) {
  return solveTriangles(work, cuda::upper);
}
