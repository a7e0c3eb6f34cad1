#include "runtime/SmallEigenvalues.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace quernel::runtime;

namespace {

/// LAPACK's: half of the distance from 1 to the next number.
constexpr double epsilon = std::numeric_limits<double>::epsilon() / 2;
/// What rounding may turn: numbers of that size beside the matrix' greatest element.
constexpr double noise = 64 * epsilon;
/// Eigenvalues of a smaller distance, beside the greatest element, have vectors that rounding errors move visibly.
constexpr double leastGap = 1e-5;
/// Squares of elements within these bounds, and of what rounding leaves of them, are normal numbers.
constexpr double leastNorm = 1e-100, mostNorm = 1e100;
constexpr int mostSteps = 30;

/// A plane rotation.
struct Rotation {
  double c, s;
};

/// A matrix of two or three rows on its way to eigenvalues. The names are LAPACK's: `d` is the diagonal of a
/// tridiagonal matrix, `e` what is beside it. Only the first step of the reduction has something to reflect, and what
/// it decides by is in the matrix.
template <int N> class Eigenproblem {
public:
  Eigenproblem(double *matrix, double *values, double *vectors) : a(matrix), d(values), z(vectors) {}

  bool solve() {
    if (!measure())
      return false;
    reduce();
    if (z) {
      std::fill_n(z, N * N, 0.0);
      for (int i = 0; i < N; ++i)
        z[i * N + i] = 1;
    }
    if (!iterate())
      return false;
    sort();
    if (!z)
      return true;
    for (int i = 0; i + 1 < N; ++i)
      if (d[i + 1] - d[i] <= leastGap * norm)
        return false;
    if (isDoubtful)
      return false;
    applyReflections();
    return true;
  }

private:
  double &at(int i, int j) { return a[j * N + i]; }

  /// Notes that the sign of a number decides. With two rows all such numbers are LAPACK's own.
  void decideBy(double x) { isDoubtful |= N > 2 && std::abs(x) <= noise * norm; }

  bool isPositive(double x) {
    decideBy(x);
    return x >= 0;
  }

  /// Finds the greatest element; false where a matrix isn't finite, or has numbers that are too large or too small.
  bool measure() {
    bool isFinite = true;
    for (int j = 0; j < N; ++j)
      for (int i = j; i < N; ++i) {
        isFinite &= std::isfinite(at(i, j));
        norm = std::max(norm, std::abs(at(i, j)));
      }
    return isFinite && norm > leastNorm && norm < mostNorm;
  }

  /// To a tridiagonal matrix, by reflections whose vectors stay below the diagonal (dsytd2).
  void reduce() {
    for (int i = 0; i + 1 < N; ++i) {
      e[i] = at(i + 1, i);
      tau[i] = 0;
      reflect(i);
      d[i] = at(i, i);
      // What rounding errors are left of an element where it should be zero decides how many steps there are, and the
      // signs.
      if (i > 0)
        decideBy(e[i]);
    }
    d[N - 1] = at(N - 1, N - 1);
  }

  void reflect(int i) {
    double below = 0;
    for (int k = i + 2; k < N; ++k)
      below += at(k, i) * at(k, i);
    if (below == 0)
      return;
    const double alpha = at(i + 1, i), length = std::sqrt(alpha * alpha + below);
    e[i] = std::signbit(alpha) ? length : -length;
    tau[i] = (e[i] - alpha) / e[i];
    const double scale = 1 / (alpha - e[i]);
    for (int k = i + 2; k < N; ++k)
      at(k, i) *= scale;
    at(i + 1, i) = 1;
    double w[N] = {}, product = 0;
    for (int j = i + 1; j < N; ++j)
      for (int k = i + 1; k < N; ++k)
        w[j] += tau[i] * at(std::max(j, k), std::min(j, k)) * at(k, i);
    for (int k = i + 1; k < N; ++k)
      product += w[k] * at(k, i);
    for (int k = i + 1; k < N; ++k)
      w[k] -= tau[i] * product / 2 * at(k, i);
    for (int j = i + 1; j < N; ++j)
      for (int k = j; k < N; ++k)
        at(k, j) -= at(k, i) * w[j] + w[k] * at(j, i);
  }

  /// By the tridiagonal matrix' eigenvectors, those of the matrix (dormtr).
  void applyReflections() {
    for (int i = N - 2; i >= 0; --i)
      for (int column = 0; column < N && tau[i] != 0; ++column) {
        double *to = z + column * N, product = 0;
        for (int k = i + 1; k < N; ++k)
          product += at(k, i) * to[k];
        for (int k = i + 1; k < N; ++k)
          to[k] -= tau[i] * product * at(k, i);
      }
  }

  /// Whether an element beside the diagonal counts as zero. Where rounding decides that, a step more or less turns no
  /// vector.
  bool isNegligible(int i) const {
    const double border = epsilon * epsilon * std::abs(d[i]) * std::abs(d[i + 1]);
    return e[i] * e[i] <= border + std::numeric_limits<double>::min();
  }

  /// The eigenvalues of each block that no element joins to the next (dsteqr).
  bool iterate() {
    int steps = 0;
    for (int first = 0, last; first < N; first = last + 1) {
      for (last = first; last + 1 < N && !isNegligible(last); ++last)
        ;
      if (last + 1 < N)
        e[last] = 0;
      if (last == first)
        continue;
      // LAPACK begins at the end whose element is the greater one.
      const bool isDownward = !isPositive(std::abs(d[last]) - std::abs(d[first]));
      if (!(isDownward ? iterate<-1>(last, first, steps) : iterate<1>(first, last, steps)))
        return false;
    }
    return true;
  }

  /// The element between places i and i + Step of the diagonal.
  template <int Step> double &between(int i) { return e[Step > 0 ? i : i - 1]; }

  /// Eigenvalues of the block between two places, from `l` on: QL where the step is 1, QR where it is -1.
  template <int Step> bool iterate(int l, int end, int &steps) {
    while ((end - l) * Step >= 0) {
      int m = l;
      while (m != end && !isNegligible(Step > 0 ? m : m - 1))
        m += Step;
      if (m != end)
        between<Step>(m) = 0;
      if (m == l) {
        l += Step;
      } else if (m == l + Step) {
        solvePair<Step>(l);
        l += 2 * Step;
      } else if (steps++ == N * mostSteps) {
        return false;
      } else {
        chase<Step>(l, m);
      }
    }
    return true;
  }

  /// The two eigenvalues of a block of two rows, of which the greater one by magnitude comes first in memory (dlaev2).
  template <int Step> void solvePair(int l) {
    const int i = Step > 0 ? l : l - 1;
    const double x = d[i], b = e[i], y = d[i + 1];
    const double sum = x + y, difference = x - y, twice = b + b;
    const bool isFirstGreater = std::abs(x) > std::abs(y);
    const double greater = isFirstGreater ? x : y, lesser = isFirstGreater ? y : x;
    const double root = std::hypot(difference, twice);
    const bool isSumPositive = isPositive(sum), isDifferencePositive = isPositive(difference);
    const double first = (isSumPositive ? sum + root : sum - root) / 2;
    const double cosine = isDifferencePositive ? difference + root : difference - root;
    Rotation rotation;
    decideBy(std::abs(cosine) - std::abs(twice));
    if (std::abs(cosine) > std::abs(twice)) {
      const double cotangent = -twice / cosine;
      rotation.s = 1 / std::sqrt(1 + cotangent * cotangent);
      rotation.c = cotangent * rotation.s;
    } else {
      const double tangent = -cosine / twice;
      rotation.c = 1 / std::sqrt(1 + tangent * tangent);
      rotation.s = tangent * rotation.c;
    }
    if (isSumPositive == isDifferencePositive)
      rotation = {-rotation.s, rotation.c};
    d[i] = first;
    d[i + 1] = (greater / first) * lesser - (b / first) * b;
    e[i] = 0;
    rotate(i, rotation);
  }

  /// One implicit step with a shift, from `m` to `l`.
  template <int Step> void chase(int l, int m) {
    double p = d[l];
    double g = (d[l + Step] - p) / (2 * between<Step>(l));
    decideBy(d[l + Step] - p);
    const double r = std::sqrt(g * g + 1);
    g = d[m] - p + between<Step>(l) / (g + std::copysign(r, g));
    Rotation rotations[N];
    double s = 1, c = 1;
    p = 0;
    for (int i = m; i != l; i -= Step) {
      double &beside = between<Step>(i - Step);
      const double f = s * beside, b = c * beside;
      double length;
      std::tie(c, s, length) = rotationTo(g, f);
      if (i != m)
        between<Step>(i) = length;
      g = d[i] - p;
      const double next = (d[i - Step] - g) * s + 2 * c * b;
      p = s * next;
      d[i] = g + p;
      g = c * next - b;
      rotations[Step > 0 ? i - 1 : i] = {c, Step > 0 ? -s : s};
    }
    d[l] -= p;
    between<Step>(l) = g;
    for (int i = m; i != l; i -= Step) {
      const int place = Step > 0 ? i - 1 : i;
      rotate(place, rotations[place]);
    }
  }

  /// The rotation that makes f zero beside g, and the length of both (dlartg).
  std::tuple<double, double, double> rotationTo(double g, double f) {
    decideBy(g);
    if (f == 0)
      return {1, 0, g};
    if (g == 0)
      return {0, std::copysign(1.0, f), std::abs(f)};
    const double length = std::sqrt(g * g + f * f), r = std::copysign(length, g);
    return {std::abs(g) / length, f / r, r};
  }

  /// Turns columns i and i + 1 of the vectors.
  void rotate(int i, Rotation by) {
    if (!z)
      return;
    double *left = z + i * N, *right = left + N;
    for (int k = 0; k < N; ++k) {
      const double next = right[k];
      right[k] = by.c * next - by.s * left[k];
      left[k] = by.s * next + by.c * left[k];
    }
  }

  void sort() {
    for (int i = 0; i + 1 < N; ++i) {
      const int least = int(std::min_element(d + i, d + N) - d);
      if (least == i)
        continue;
      std::swap(d[i], d[least]);
      if (z)
        std::swap_ranges(z + i * N, z + (i + 1) * N, z + least * N);
    }
  }

  double *a, *d, *z;
  double e[N] = {}, tau[N] = {};
  double norm = 0;
  bool isDoubtful = false;
};

} // namespace

bool quernel::runtime::smallEigenvalues(int n, double *matrix, double *values, double *vectors) {
  switch (n) {
  case 2:
    return Eigenproblem<2>(matrix, values, vectors).solve();
  case 3:
    return Eigenproblem<3>(matrix, values, vectors).solve();
  default:
    return false;
  }
}
