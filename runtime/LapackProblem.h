// What the routines of LinearAlgebra.h share; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_LAPACKPROBLEM_H
#define QUERNEL_RUNTIME_LAPACKPROBLEM_H

#include "runtime/Complex.h"
#include "runtime/Lapack.h"
#include "runtime/Pool.h"
#include "runtime/abi.h"
#include <algorithm>
#include <vector>

namespace quernel::runtime {

/// Memory of the pool, given back at the end.
class Scratch {
public:
  Scratch() = default;
  ~Scratch() {
    for (void *block : blocks)
      Pool::shared().release(block);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Null where memory is out; at least one element else.
  template <typename T> T *take(int64_t count) {
    int64_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(std::max<int64_t>(count, 1), int64_t(sizeof(T)), &bytes);
    void *memory = fits ? Pool::shared().allocate(bytes) : nullptr;
    blocks.push_back(memory);
    isOut |= !memory;
    return static_cast<T *>(memory);
  }

  /// Whether some request got null.
  bool out() const { return isOut; }

private:
  std::vector<void *> blocks;
  bool isOut = false;
};

/// to[columns, rows] = the transpose of from[rows, columns]; between NumPy's order and Fortran's.
template <typename From, typename To> void transpose(const From *from, int64_t rows, int64_t columns, To *to) {
  constexpr int64_t tile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += tile)
    for (int64_t j0 = 0; j0 < columns; j0 += tile)
      for (int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
          to[j * rows + i] = To(from[i * columns + j]);
}

/// The problems of one call, with elements T and LAPACK's integers Int.
template <typename T, typename Int> struct Problem {
  using Real = RealOf<T>;
  using Wide = WideOf<T>;

  const Lapack &lapack;
  void *const *operands;
  int64_t batch, m, n, k;

  int64_t least() const { return std::min(m, n); }

  /// Operand `place` of matrix `index`, of `size` elements a matrix.
  template <typename E = T> E *at(int place, int64_t index, int64_t size) const {
    return static_cast<E *>(operands[place]) + index * size;
  }

  /// The matrix a[m, n] in Fortran's order.
  void load(int64_t index, Wide *to) const { transpose(at(0, index, m * n), m, n, to); }

  /// An output [rows, columns] from Fortran's order.
  void store(const Wide *from, int place, int64_t index, int64_t rows, int64_t columns) const {
    transpose(from, columns, rows, at(place, index, rows * columns));
  }

  /// An output of `size` real numbers.
  void storeReal(const double *from, int place, int64_t index, int64_t size) const {
    std::transform(from, from + size, at<Real>(place, index, size), [](double x) { return Real(x); });
  }

  /// Calls a routine, whose last parameter tells what went wrong: 0 for nothing.
  template <typename... Parameters> Int run(LapackFunction function, Parameters... parameters) const {
    Int info = 0;
    Lapack::call(isComplex<T> ? lapack.complex : lapack.real, function, parameters..., &info);
    return info;
  }
};

/// The routines, each for all matrices of a problem. They return codes of abi.h.
template <typename T, typename Int> int32_t eigh(const Problem<T, Int> &problem, char job, char part);
template <typename T, typename Int> int32_t svd(const Problem<T, Int> &problem, char job);
template <typename T, typename Int> int32_t qr(const Problem<T, Int> &problem, bool wantsQ, bool complete);

} // namespace quernel::runtime

#endif
