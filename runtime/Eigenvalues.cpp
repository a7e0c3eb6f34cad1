// Eigenvalues and eigenvectors of matrices that needn't be symmetric.
#include "runtime/LapackProblem.h"

using namespace quernel::runtime;

namespace {

template <typename T, typename Int> class EigSolver {
public:
  EigSolver(const Problem<T, Int> &problem, char job)
      : problem(problem), job(job), size(problem.n), lead(std::max<int64_t>(problem.n, 1)) {}

  int32_t solve() {
    const int64_t n = problem.n;
    a = scratch.take<Wide>(n * n);
    vectors = scratch.take<Wide>(job == 'V' ? n * n : 1);
    values = scratch.take<double>(2 * n);
    realWork = scratch.take<double>(2 * n);
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    if (takeWork(scratch, work, workSize, [this] { return call(); }) != 0)
      return QN_EIGENVALUES_DIVERGE;
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    for (int64_t i = 0; i < problem.batch; ++i) {
      problem.load(0, i, n, n, a);
      if (call() != 0)
        return QN_EIGENVALUES_DIVERGE;
      storeValues(i);
      if (job == 'V')
        storeVectors(i);
    }
    return QN_OK;
  }

private:
  using Wide = WideOf<T>;
  using Out = Complex<RealOf<T>>;

  /// `values` are complex numbers where the matrix is complex, else all real parts, then all imaginary parts.
  Int call() {
    const char none = 'N';
    Wide left{};
    if constexpr (isComplex<T>)
      return problem.run(LapackFunction::Geev, &none, &job, &size, a, &lead, values, &left, &lead, vectors, &lead, work,
                         &workSize, realWork);
    else
      return problem.run(LapackFunction::Geev, &none, &job, &size, a, &lead, values, values + problem.n, &left, &lead,
                         vectors, &lead, work, &workSize);
  }

  void storeValues(int64_t index) const {
    const Slab<Out> to = problem.template at<Out>(1, index);
    const int64_t step = isComplex<T> ? 2 : 1, imaginary = isComplex<T> ? 1 : problem.n;
    for (int64_t i = 0; i < problem.n; ++i)
      to(i, 0) = Out{RealOf<T>(values[i * step]), RealOf<T>(values[i * step + imaginary])};
  }

  /// Of a pair of conjugated values LAPACK stores the real and the imaginary part of the first one's vector.
  void storeVectors(int64_t index) const {
    const Slab<Out> to = problem.template at<Out>(2, index);
    const int64_t n = problem.n;
    if constexpr (isComplex<T>) {
      eachPlace(n, n, [&](int64_t i, int64_t j) {
        to(i, j) = Out{RealOf<T>(vectors[j * n + i].re), RealOf<T>(vectors[j * n + i].im)};
      });
    } else {
      for (int64_t j = 0; j < n; ++j) {
        const bool isPair = values[n + j] != 0 && j + 1 < n;
        for (int64_t i = 0; i < n; ++i) {
          const T re = T(vectors[j * n + i]), im = isPair ? T(vectors[(j + 1) * n + i]) : T(0);
          to(i, j) = Out{re, im};
          if (isPair)
            to(i, j + 1) = Out{re, -im};
        }
        j += isPair;
      }
    }
  }

  const Problem<T, Int> &problem;
  char job;
  Int size, lead;
  Scratch scratch;
  Wide *a = nullptr, *vectors = nullptr, *work = nullptr;
  double *values = nullptr, *realWork = nullptr;
  Int workSize = 0;
};

} // namespace

template <typename T, typename Int> int32_t quernel::runtime::eig(const Problem<T, Int> &problem, char job) {
  return EigSolver<T, Int>(problem, job).solve();
}

#define INSTANTIATE(T)                                                                                                 \
  template int32_t quernel::runtime::eig(const Problem<T, int32_t> &, char);                                           \
  template int32_t quernel::runtime::eig(const Problem<T, int64_t> &, char);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(Complex<float>)
INSTANTIATE(Complex<double>)
