// Eigenvalues, singular values, QR.
#include "runtime/LaneProblem.h"
#include "runtime/LapackProblem.h"
#include "runtime/SmallEigenvalues.h"

using namespace quernel::runtime;

namespace {

template <typename T, typename Int> class EighSolver {
public:
  EighSolver(const Problem<T, Int> &problem, char job)
      : problem(problem), job(job), size(problem.n), lead(std::max<int64_t>(problem.n, 1)) {}

  int32_t solve() {
    const int64_t n = problem.n;
    a = scratch.take<Wide>(n * n);
    values = scratch.take<double>(n);
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    if (askSizes() != 0)
      return QN_EIGENVALUES_DIVERGE;
    work = scratch.take<Wide>(workSize);
    realWork = scratch.take<double>(realSize);
    intWork = scratch.take<Int>(intSize);
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    const bool areSmall = !isComplex<T> && n <= mostEigenRows && problem.whole >= enoughMatrices;
    for (int64_t i = 0; i < problem.batch; ++i) {
      problem.load(0, i, n, n, a);
      if (!(areSmall && solveSmall())) {
        problem.load(0, i, n, n, a);
        if (call() != 0)
          return QN_EIGENVALUES_DIVERGE;
      }
      problem.storeReal(values, 1, i, n);
      if (job == 'V')
        problem.store(a, 2, i, n, n);
    }
    return QN_OK;
  }

private:
  using Wide = WideOf<T>;

  /// Whether the matrix has been solved without LAPACK.
  bool solveSmall() {
    if constexpr (!isComplex<T>) {
      double vectors[mostEigenRows * mostEigenRows];
      const bool solved = smallEigenvalues(int(problem.n), a, values, job == 'V' ? vectors : nullptr);
      if (solved && job == 'V')
        std::copy_n(vectors, problem.n * problem.n, a);
      return solved;
    }
    return false;
  }

  Int call() {
    if constexpr (isComplex<T>)
      return problem.run(LapackFunction::Evd, &job, &part, &size, a, &lead, values, work, &workSize, realWork,
                         &realSize, intWork, &intSize);
    else
      return problem.run(LapackFunction::Evd, &job, &part, &size, a, &lead, values, work, &workSize, intWork, &intSize);
  }

  Int askSizes() {
    Wide answer{};
    double realAnswer = 1;
    Int intAnswer = 0;
    work = &answer;
    realWork = &realAnswer;
    intWork = &intAnswer;
    workSize = realSize = intSize = -1;
    const Int info = call();
    workSize = sizeIn(answer);
    realSize = sizeIn(realAnswer);
    intSize = intAnswer;
    return info;
  }

  const Problem<T, Int> &problem;
  char job, part = 'L'; ///< which of a matrix's triangles is read
  Int size, lead;
  Scratch scratch;
  Wide *a = nullptr, *work = nullptr;
  double *values = nullptr, *realWork = nullptr;
  Int *intWork = nullptr;
  Int workSize = 0, realSize = 0, intSize = 0;
};

template <typename T, typename Int> class SvdSolver {
public:
  SvdSolver(const Problem<T, Int> &problem, char job)
      : problem(problem), job(job), m(problem.m), n(problem.n), lead(std::max<int64_t>(m, 1)),
        columns(job == 'N'   ? 0
                : job == 'S' ? problem.least()
                             : problem.m),
        rows(job == 'N'   ? 0
             : job == 'S' ? problem.least()
                          : problem.n),
        rowLead(std::max<int64_t>(rows, 1)) {}

  int32_t solve() {
    const int64_t d = problem.least();
    a = scratch.take<Wide>(problem.m * problem.n);
    values = scratch.take<double>(d);
    u = scratch.take<Wide>(problem.m * columns);
    vt = scratch.take<Wide>(rows * problem.n);
    realWork = scratch.take<double>(isComplex<T> ? (job == 'N' ? 7 * d : 5 * d * d + 5 * d) * 2 : 0);
    intWork = scratch.take<Int>(8 * d);
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    if (takeWork(scratch, work, workSize, [this] { return call(); }) != 0)
      return QN_SVD_DIVERGES;
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    for (int64_t i = 0; i < problem.batch; ++i) {
      problem.load(0, i, problem.m, problem.n, a);
      if (call() != 0)
        return QN_SVD_DIVERGES;
      problem.storeReal(values, job == 'N' ? 1 : 2, i, d);
      if (job != 'N')
        store(i);
    }
    return QN_OK;
  }

private:
  using Wide = WideOf<T>;

  Int call() {
    if constexpr (isComplex<T>)
      return problem.run(LapackFunction::Gesdd, &job, &m, &n, a, &lead, values, u, &lead, vt, &rowLead, work, &workSize,
                         realWork, intWork);
    else
      return problem.run(LapackFunction::Gesdd, &job, &m, &n, a, &lead, values, u, &lead, vt, &rowLead, work, &workSize,
                         intWork);
  }

  void store(int64_t i) {
    if (job == 'A' && problem.least() == 0) { // LAPACK writes nothing then
      setIdentity(u, problem.m);
      setIdentity(vt, problem.n);
    }
    problem.store(u, 1, i, problem.m, columns);
    problem.store(vt, 3, i, rows, problem.n);
  }

  static void setIdentity(Wide *matrix, int64_t size) {
    std::fill_n(matrix, size * size, Wide(0));
    for (int64_t i = 0; i < size; ++i)
      matrix[i * (size + 1)] = Wide(1);
  }

  const Problem<T, Int> &problem;
  char job;
  Int m, n, lead;
  int64_t columns, rows; ///< columns of u, rows of vt
  Int rowLead;
  Scratch scratch;
  Wide *a = nullptr, *u = nullptr, *vt = nullptr, *work = nullptr;
  double *values = nullptr, *realWork = nullptr;
  Int *intWork = nullptr;
  Int workSize = 0;
};

template <typename T, typename Int> class QrSolver {
public:
  QrSolver(const Problem<T, Int> &problem, bool wantsQ, bool complete)
      : problem(problem), wantsQ(wantsQ), m(problem.m), n(problem.n), least(problem.least()),
        columns(complete && m > n ? m : least), lead(std::max<int64_t>(m, 1)) {}

  int32_t solve() {
    a = scratch.take<Wide>(problem.m * problem.n);
    q = scratch.take<Wide>(problem.m * columns);
    tau = scratch.take<Wide>(least);
    if (scratch.out())
      return QN_OUT_OF_MEMORY;
    if (!prepare(&QrSolver::factorize, factorWork) || (wantsQ && !prepare(&QrSolver::makeQ, makeWork)))
      return scratch.out() ? QN_OUT_OF_MEMORY : QN_QR_FAILED;
    for (int64_t i = 0; i < problem.batch; ++i) {
      problem.load(0, i, problem.m, problem.n, a);
      std::fill_n(tau, least, Wide(0));
      if (factorize(factorWork) != 0)
        return QN_QR_FAILED;
      storeR(problem.at(wantsQ ? 2 : 1, i));
      if (!wantsQ)
        continue;
      std::copy_n(a, problem.m * std::min<int64_t>(n, columns), q);
      if (makeQ(makeWork) != 0)
        return QN_QR_FAILED;
      problem.store(q, 1, i, problem.m, columns);
    }
    return QN_OK;
  }

private:
  using Wide = WideOf<T>;

  struct Work {
    Wide *memory = nullptr;
    Int size = 0;
  };

  Int factorize(Work &work) {
    return problem.run(LapackFunction::Geqrf, &m, &n, a, &lead, tau, work.memory, &work.size);
  }

  Int makeQ(Work &work) {
    return problem.run(LapackFunction::Gqr, &m, &columns, &least, q, &lead, tau, work.memory, &work.size);
  }

  /// Gives a step the work memory that it asks for.
  bool prepare(Int (QrSolver::*step)(Work &), Work &work) {
    auto call = [&] { return (this->*step)(work); };
    return takeWork(scratch, work.memory, work.size, call, std::max<int64_t>(problem.n, 1)) == 0 && !scratch.out();
  }

  /// The upper triangle of what the factorization has left.
  void storeR(Slab<T> r) const {
    eachPlace(columns, n, [&](int64_t i, int64_t j) { r(i, j) = j < i ? T(0) : T(a[j * m + i]); });
  }

  const Problem<T, Int> &problem;
  bool wantsQ;
  Int m, n, least;
  Int columns; ///< of q, and rows of r
  Int lead;
  Scratch scratch;
  Wide *a = nullptr, *q = nullptr, *tau = nullptr;
  Work factorWork, makeWork;
};

} // namespace

template <typename T, typename Int> int32_t quernel::runtime::eigh(const Problem<T, Int> &problem, char job) {
  return EighSolver<T, Int>(problem, job).solve();
}

template <typename T, typename Int> int32_t quernel::runtime::svd(const Problem<T, Int> &problem, char job) {
  return SvdSolver<T, Int>(problem, job).solve();
}

template <typename T, typename Int>
int32_t quernel::runtime::qr(const Problem<T, Int> &problem, bool wantsQ, bool complete) {
  return QrSolver<T, Int>(problem, wantsQ, complete).solve();
}

#define INSTANTIATE(T, Int)                                                                                            \
  template int32_t quernel::runtime::eigh(const Problem<T, Int> &, char);                                              \
  template int32_t quernel::runtime::svd(const Problem<T, Int> &, char);                                               \
  template int32_t quernel::runtime::qr(const Problem<T, Int> &, bool, bool);
#define INSTANTIATE_BOTH(T) INSTANTIATE(T, int32_t) INSTANTIATE(T, int64_t)
INSTANTIATE_BOTH(float)
INSTANTIATE_BOTH(double)
INSTANTIATE_BOTH(Complex<float>)
INSTANTIATE_BOTH(Complex<double>)
