// QR, singular values and eigenvalues by cuSOLVER.
#include "runtime/device/SolverCalls.h"

using namespace quernel::runtime;

namespace {

std::optional<int32_t> decompose(RoutineWork &work, bool wantsQ, bool isComplete) {
  return withSolver(work, [&](const Cublas &, const SolverCalls &calls) {
    const int64_t m = work.size(1), n = work.size(2), least = std::min(m, n), batch = work.batch();
    const int64_t columns = isComplete && m > n ? m : least; // of q, and rows of r
    if (least == 0) {
      if (wantsQ)
        work.fill(work.operand(1), m, columns, MatrixPart::identity);
      return QN_OK;
    }
    const DeviceMatrices a = work.load(0, m, n), tau = work.takeMatrices(calls.type, least, 1);
    auto *infos = work.take<int32_t>(batch);
    calls.each(
        "cusolverDnXgeqrf", batch,
        [&](size_t *onDevice, size_t *onHost) {
          return calls.library.geqrfSize(calls.handle, calls.parameters, m, n, calls.element, a.data, a.column,
                                         calls.element, tau.data, calls.element, onDevice, onHost);
        },
        [&](int64_t problem, const SolverCalls::Memory &memory) {
          return calls.library.geqrf(calls.handle, calls.parameters, m, n, calls.element, calls.at(a, problem),
                                     a.column, calls.element, calls.at(tau, problem), calls.element, memory.onDevice,
                                     memory.deviceBytes, memory.onHost, memory.hostBytes, infos + problem);
        });
    work.noteFailures(infos, QN_QR_FAILED);
    RoutineWork::CopyOptions options;
    options.part = MatrixPart::upper;
    work.copy(a, work.operand(wantsQ ? 2 : 1), columns, n, options);
    if (!wantsQ)
      return QN_OK;
    const DeviceMatrices q = work.takeMatrices(calls.type, m, columns);
    RoutineWork::CopyOptions known;
    known.columns = least;
    work.copy(a, q, m, columns, known);
    const auto size = calls.isComplex ? calls.library.gqrComplexSize : calls.library.gqrRealSize;
    const auto make = calls.isComplex ? calls.library.gqrComplex : calls.library.gqrReal;
    int elements = 0;
    work.libraries().check(
        size(calls.handle, int(m), int(columns), int(least), q.data, int(q.column), tau.data, &elements),
        "cusolverDn orgqr");
    void *memory = work.takeWork(size_t(elements) * typeBytes[calls.type]);
    for (int64_t problem = 0; problem < batch; ++problem)
      work.libraries().check(make(calls.handle, int(m), int(columns), int(least), calls.at(q, problem), int(q.column),
                                  calls.at(tau, problem), memory, elements, infos + problem),
                             "cusolverDn orgqr");
    work.copy(q, work.operand(1), m, columns);
    return QN_OK;
  });
}

enum class Vectors { none, some, all };

/// cuSOLVER has singular values of matrices with as many rows as columns at least. Those of others are the ones of the
/// transposed matrix, whose vectors are the other ones, transposed.
std::optional<int32_t> decomposeSingular(RoutineWork &work, Vectors vectors) {
  return withSolver(work, [&](const Cublas &, const SolverCalls &calls) {
    const int64_t m = work.size(1), n = work.size(2), least = std::min(m, n), most = std::max(m, n);
    const bool isWide = m < n, wantsVectors = vectors != Vectors::none;
    const int32_t real = realTypeOf(work.type());
    if (least == 0) {
      if (vectors == Vectors::all) {
        work.fill(work.operand(1), m, m, MatrixPart::identity);
        work.fill(work.operand(3), n, n, MatrixPart::identity);
      }
      return QN_OK;
    }
    const DeviceMatrices a = work.takeMatrices(calls.type, most, least);
    work.copy(isWide ? work.operand(0).flipped() : work.operand(0), a, most, least);
    const int64_t columns = vectors == Vectors::all ? most : least;
    const DeviceMatrices values = work.takeMatrices(QN_F64, least, 1);
    const DeviceMatrices u = work.takeMatrices(calls.type, wantsVectors ? most : 1, wantsVectors ? columns : 1);
    const DeviceMatrices v = work.takeMatrices(calls.type, wantsVectors ? least : 1, wantsVectors ? least : 1);
    const int64_t leadU = most, leadV = least;
    const auto job = static_cast<signed char>(vectors == Vectors::none ? 'N' : vectors == Vectors::all ? 'A' : 'S');
    auto *infos = work.take<int32_t>(work.batch());
    calls.each(
        "cusolverDnXgesvd", work.batch(),
        [&](size_t *onDevice, size_t *onHost) {
          return calls.library.gesvdSize(calls.handle, calls.parameters, job, job, most, least, calls.element, a.data,
                                         a.column, cuda::realDouble, values.data, calls.element, u.data, leadU,
                                         calls.element, v.data, leadV, calls.element, onDevice, onHost);
        },
        [&](int64_t problem, const SolverCalls::Memory &memory) {
          return calls.library.gesvd(calls.handle, calls.parameters, job, job, most, least, calls.element,
                                     calls.at(a, problem), a.column, cuda::realDouble, calls.at(values, problem),
                                     calls.element, calls.at(u, problem), leadU, calls.element, calls.at(v, problem),
                                     leadV, calls.element, memory.onDevice, memory.deviceBytes, memory.onHost,
                                     memory.hostBytes, infos + problem);
        });
    work.noteFailures(infos, QN_SVD_DIVERGES, static_cast<const double *>(values.data), values.next);
    work.copy(values, work.operand(wantsVectors ? 2 : 1, real), least, 1);
    if (!wantsVectors)
      return QN_OK;
    work.copy(u, isWide ? work.operand(3).flipped() : work.operand(1), most, columns);
    work.copy(v, isWide ? work.operand(1).flipped() : work.operand(3), least, least);
    return QN_OK;
  });
}

std::optional<int32_t> decomposeSymmetric(RoutineWork &work, cuda::Job job) {
  const int64_t n = work.size(1), batch = work.batch();
  if (n == 0)
    return QN_OK;
  return withSolver(work, [&](const Cublas &, const SolverCalls &calls) {
    const DeviceMatrices a = work.load(0, n, n), values = work.takeMatrices(QN_F64, n, 1);
    auto *infos = work.take<int32_t>(batch);
    if (calls.isBatched(n) && calls.library.syevBatched && calls.library.syevBatchedSize)
      calls.each(
          "cusolverDnXsyevBatched", 1,
          [&](size_t *onDevice, size_t *onHost) {
            return calls.library.syevBatchedSize(calls.handle, calls.parameters, job, cuda::lower, n, calls.element,
                                                 a.data, a.column, cuda::realDouble, values.data, calls.element,
                                                 onDevice, onHost, batch);
          },
          [&](int64_t, const SolverCalls::Memory &memory) {
            return calls.library.syevBatched(calls.handle, calls.parameters, job, cuda::lower, n, calls.element, a.data,
                                             a.column, cuda::realDouble, values.data, calls.element, memory.onDevice,
                                             memory.deviceBytes, memory.onHost, memory.hostBytes, infos, batch);
          });
    else
      calls.each(
          "cusolverDnXsyevd", batch,
          [&](size_t *onDevice, size_t *onHost) {
            return calls.library.syevdSize(calls.handle, calls.parameters, job, cuda::lower, n, calls.element, a.data,
                                           a.column, cuda::realDouble, values.data, calls.element, onDevice, onHost);
          },
          [&](int64_t problem, const SolverCalls::Memory &memory) {
            return calls.library.syevd(calls.handle, calls.parameters, job, cuda::lower, n, calls.element,
                                       calls.at(a, problem), a.column, cuda::realDouble, calls.at(values, problem),
                                       calls.element, memory.onDevice, memory.deviceBytes, memory.onHost,
                                       memory.hostBytes, infos + problem);
          });
    // LAPACK finds values of matrices of one and of two rows that aren't finite.
    const bool areLookedAt = n > 2;
    work.noteFailures(infos, QN_EIGENVALUES_DIVERGE, areLookedAt ? static_cast<const double *>(values.data) : nullptr,
                      values.next);
    work.copy(values, work.operand(1, realTypeOf(work.type())), n, 1);
    if (job == cuda::withVectors)
      work.copy(a, work.operand(2), n, n);
    return QN_OK;
  });
}

/// Eigenvalues of matrices that needn't be symmetric. Vectors of real matrices are real numbers: of a pair of
/// conjugated values the real and the imaginary part of the first one's vector.
std::optional<int32_t> decomposeSquare(RoutineWork &work, cuda::Job job) {
  const int64_t n = work.size(1), batch = work.batch();
  if (n == 0)
    return QN_OK;
  return withSolver(work, [&](const Cublas &, const SolverCalls &calls) -> std::optional<int32_t> {
    const Cusolver &library = calls.library;
    if (!library.geev || !library.geevSize)
      return std::nullopt;
    const bool wantsVectors = job == cuda::withVectors;
    const DeviceMatrices a = work.load(0, n, n), values = work.takeMatrices(QN_C128, n, 1);
    const DeviceMatrices vectors = work.takeMatrices(calls.type, wantsVectors ? n : 1, wantsVectors ? n : 1);
    auto *infos = work.take<int32_t>(batch);
    calls.each(
        "cusolverDnXgeev", batch,
        [&](size_t *onDevice, size_t *onHost) {
          return library.geevSize(calls.handle, calls.parameters, cuda::valuesAlone, job, n, calls.element, a.data,
                                  a.column, cuda::complexDouble, values.data, calls.element, nullptr, n, calls.element,
                                  vectors.data, n, calls.element, onDevice, onHost);
        },
        [&](int64_t problem, const SolverCalls::Memory &memory) {
          return library.geev(calls.handle, calls.parameters, cuda::valuesAlone, job, n, calls.element,
                              calls.at(a, problem), a.column, cuda::complexDouble, calls.at(values, problem),
                              calls.element, nullptr, n, calls.element, calls.at(vectors, problem), n, calls.element,
                              memory.onDevice, memory.deviceBytes, memory.onHost, memory.hostBytes, infos + problem);
        });
    work.noteFailures(infos, QN_EIGENVALUES_DIVERGE);
    const int32_t type = complexTypeOf(work.type());
    work.copy(values, work.operand(1, type), n, 1);
    if (!wantsVectors)
      return QN_OK;
    DeviceMatrices whole = vectors;
    if (!calls.isComplex) {
      whole = work.takeMatrices(QN_C128, n, n);
      int64_t size = n, count = batch;
      const void *given = vectors.data, *theirs = values.data;
      void *const arguments[] = {&whole.data, &given, &theirs, &size, &count, nullptr};
      work.launch(work.kernels().pairs, batch * n * n, arguments);
    }
    work.copy(whole, work.operand(2, type), n, n);
    return QN_OK;
  });
}

} // namespace

std::optional<int32_t> quernel::runtime::qrOnDevice(RoutineWork &work) { return decompose(work, true, false); }
std::optional<int32_t> quernel::runtime::qrCompleteOnDevice(RoutineWork &work) { return decompose(work, true, true); }
std::optional<int32_t> quernel::runtime::qrTriangleOnDevice(RoutineWork &work) { return decompose(work, false, false); }

std::optional<int32_t> quernel::runtime::svdOnDevice(RoutineWork &work) {
  return decomposeSingular(work, Vectors::some);
}
std::optional<int32_t> quernel::runtime::svdFullOnDevice(RoutineWork &work) {
  return decomposeSingular(work, Vectors::all);
}
std::optional<int32_t> quernel::runtime::singularValuesOnDevice(RoutineWork &work) {
  return decomposeSingular(work, Vectors::none);
}

std::optional<int32_t> quernel::runtime::eighOnDevice(RoutineWork &work) {
  return decomposeSymmetric(work, cuda::withVectors);
}
std::optional<int32_t> quernel::runtime::symmetricEigenvaluesOnDevice(RoutineWork &work) {
  return decomposeSymmetric(work, cuda::valuesAlone);
}

std::optional<int32_t> quernel::runtime::eigOnDevice(RoutineWork &work) {
  return decomposeSquare(work, cuda::withVectors);
}
std::optional<int32_t> quernel::runtime::eigenvaluesOnDevice(RoutineWork &work) {
  return decomposeSquare(work, cuda::valuesAlone);
}
