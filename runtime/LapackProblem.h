// What the routines of LinearAlgebra.h share; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_LAPACKPROBLEM_H
#define QUERNEL_RUNTIME_LAPACKPROBLEM_H

#include "runtime/Complex.h"
#include "runtime/Lapack.h"
#include "runtime/Scratch.h"
#include "runtime/abi.h"
#include <algorithm>

namespace quernel::runtime {

/// One matrix of an operand, in NumPy's memory.
template <typename E> struct Slab {
  E *data;
  int64_t row, column;

  E &operator()(int64_t i, int64_t j) const { return data[i * row + j * column]; }
};

/// Calls `body` with every place of a matrix, in tiles that stay in the cache for any order of memory.
template <typename Body> void eachPlace(int64_t rows, int64_t columns, Body body) {
  constexpr int64_t tile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += tile)
    for (int64_t j0 = 0; j0 < columns; j0 += tile)
      for (int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
          body(i, j);
}

/// The size of work memory that a routine has written into the first element.
inline int64_t sizeIn(double answer) { return int64_t(answer); }
inline int64_t sizeIn(const Complex<double> &answer) { return int64_t(answer.re); }

/// The problems of one call, with elements T and LAPACK's integers Int.
template <typename T, typename Int> struct Problem {
  using Real = RealOf<T>;
  using Wide = WideOf<T>;

  const Lapack &lapack;
  void *const *operands;
  const int64_t *strides;
  int64_t first, batch; ///< those of the call's problems that are meant
  int64_t whole;        ///< all of them
  int64_t m, n, k;

  /// The problem of one of the matrices.
  Problem only(int64_t index) const {
    Problem one = *this;
    one.first += index;
    one.batch = 1;
    return one;
  }

  int64_t least() const { return std::min(m, n); }

  /// Matrix `index` of operand `place`, of those from `first` on.
  template <typename E = T> Slab<E> at(int place, int64_t index) const {
    const int64_t *steps = strides + 3 * place;
    return {static_cast<E *>(operands[place]) + (first + index) * steps[0], steps[1], steps[2]};
  }

  /// A matrix of an input into Fortran's order.
  void load(int place, int64_t index, int64_t rows, int64_t columns, Wide *to) const {
    const Slab<T> from = at(place, index);
    eachPlace(rows, columns, [&](int64_t i, int64_t j) { to[j * rows + i] = Wide(from(i, j)); });
  }

  /// A matrix of an output from Fortran's order.
  void store(const Wide *from, int place, int64_t index, int64_t rows, int64_t columns) const {
    const Slab<T> to = at(place, index);
    eachPlace(rows, columns, [&](int64_t i, int64_t j) { to(i, j) = T(from[j * rows + i]); });
  }

  /// A vector of real numbers of an output.
  void storeReal(const double *from, int place, int64_t index, int64_t size) const {
    const Slab<Real> to = at<Real>(place, index);
    for (int64_t i = 0; i < size; ++i)
      to(i, 0) = Real(from[i]);
  }

  /// Calls a routine, whose last parameter tells what went wrong: 0 for nothing.
  template <typename... Parameters> Int run(LapackFunction function, Parameters... parameters) const {
    Int info = 0;
    Lapack::call(isComplex<T> ? lapack.complex : lapack.real, function, parameters..., &info);
    return info;
  }
};

/// Gives a routine the work memory that it asks for, `least` elements at least, where it is called with a size of -1:
/// it writes the size into the first element. Returns what the routine says, 0 where all is well; memory that is out,
/// `scratch` knows.
template <typename Wide, typename Int, typename Call>
Int takeWork(Scratch &scratch, Wide *&work, Int &size, Call call, int64_t least = 1) {
  Wide answer{};
  work = &answer;
  size = -1;
  const Int info = call();
  size = std::max(sizeIn(answer), least);
  work = info == 0 ? scratch.take<Wide>(size) : nullptr;
  return info;
}

/// The routines, each for all matrices of a problem. They return codes of abi.h.
template <typename T, typename Int> int32_t eigh(const Problem<T, Int> &problem, char job);
template <typename T, typename Int> int32_t eig(const Problem<T, Int> &problem, char job);
template <typename T, typename Int> int32_t svd(const Problem<T, Int> &problem, char job);
template <typename T, typename Int> int32_t qr(const Problem<T, Int> &problem, bool wantsQ, bool complete);

} // namespace quernel::runtime

#endif
