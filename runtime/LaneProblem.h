// Problems of many small matrices, several at once; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_LANEPROBLEM_H
#define QUERNEL_RUNTIME_LANEPROBLEM_H

#include "runtime/LapackProblem.h"
#include "runtime/SmallMatrices.h"
#include <array>

namespace quernel::runtime {

/// So many matrices are worth being computed at once. All of a call are counted, so that the bits of a result don't
/// depend on how threads share the call.
inline constexpr int64_t enoughMatrices = 2 * matrixLanes;

template <typename T, typename Int> bool isInLanes(const Problem<T, Int> &problem) {
  return !isComplex<T> && problem.n > 0 && problem.n <= mostLaneRows && problem.whole >= enoughMatrices;
}

/// Matrices of so many rows and columns, one in each lane.
class LaneMatrices {
public:
  LaneMatrices(int64_t rows, int64_t columns)
      : columns(columns), elements(scratch.take<double>(rows * columns * matrixLanes)) {
    if (elements)
      std::fill_n(elements, rows * columns * matrixLanes, 0.0); // of lanes that no matrix fills
  }

  bool out() const { return scratch.out(); }
  double *data() { return elements; }
  double &at(int64_t i, int64_t j, int64_t lane) { return elements[(i * columns + j) * matrixLanes + lane]; }

private:
  Scratch scratch;
  int64_t columns;
  double *elements;
};

/// Computes the matrices of a problem: `compute` those from `first` on in so many lanes, of which it returns the ones
/// to be trusted; `keep` puts the result of a lane where that of a matrix belongs, and `alone` computes a problem of
/// one matrix. Returns the first code of `alone` that isn't QN_OK.
template <typename T, typename Int, typename Compute, typename Keep, typename Alone>
int32_t computeInLanes(const Problem<T, Int> &problem, Compute compute, Keep keep, Alone alone) {
  for (int64_t first = 0; first < problem.batch; first += matrixLanes) {
    const int64_t lanes = std::min(matrixLanes, problem.batch - first);
    const LaneSet trusted = compute(first, lanes);
    for (int64_t lane = 0; lane < lanes; ++lane)
      if (trusted >> lane & 1)
        keep(first + lane, lane);
      else if (int32_t code = alone(problem.only(first + lane)))
        return code;
  }
  return QN_OK;
}

/// Loads the square matrices of the first operand, from `first` on.
template <typename T, typename Int>
void loadLanes(const Problem<T, Int> &problem, int64_t first, int64_t lanes, LaneMatrices &to) {
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const Slab<T> from = problem.at(0, first + lane);
    eachPlace(problem.n, problem.n, [&](int64_t i, int64_t j) { to.at(i, j, lane) = from(i, j); });
  }
}

/// Solves a x = b, where `rightSide` calls a function with every place of the b of a matrix and its element.
template <typename T, typename Int, typename RightSide, typename Alone>
int32_t solveInLanes(const Problem<T, Int> &problem, int64_t columns, int result, RightSide rightSide, Alone alone) {
  LaneMatrices a(problem.n, problem.n), b(problem.n, columns);
  if (a.out() || b.out())
    return QN_OUT_OF_MEMORY;
  auto compute = [&](int64_t first, int64_t lanes) {
    loadLanes(problem, first, lanes, a);
    for (int64_t lane = 0; lane < lanes; ++lane)
      rightSide(problem, first + lane, [&](int64_t i, int64_t j, double x) { b.at(i, j, lane) = x; });
    return smallMatrices().solve(problem.n, columns, a.data(), b.data());
  };
  auto keep = [&](int64_t index, int64_t lane) {
    const Slab<T> to = problem.at(result, index);
    eachPlace(problem.n, columns, [&](int64_t i, int64_t j) { to(i, j) = T(b.at(i, j, lane)); });
  };
  return computeInLanes(problem, compute, keep, alone);
}

template <typename T, typename Int, typename Alone>
int32_t determinantsInLanes(const Problem<T, Int> &problem, Alone alone) {
  LaneMatrices a(problem.n, problem.n);
  if (a.out())
    return QN_OUT_OF_MEMORY;
  std::array<double, matrixLanes> found;
  auto compute = [&](int64_t first, int64_t lanes) {
    loadLanes(problem, first, lanes, a);
    return smallMatrices().determinant(problem.n, a.data(), found.data());
  };
  auto keep = [&](int64_t index, int64_t lane) { problem.at(1, index)(0, 0) = T(found[lane]); };
  return computeInLanes(problem, compute, keep, alone);
}

} // namespace quernel::runtime

#endif
