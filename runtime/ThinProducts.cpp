#include "runtime/ThinProducts.h"
#include "runtime/Pool.h"
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace quernel::runtime;

#if defined(__x86_64__)

namespace {

#define TARGET [[gnu::target("avx2,fma")]]
#define INLINE [[gnu::target("avx2,fma"), gnu::always_inline]] inline

// What follows is for processors with AVX2 and fused multiplication; the number of lanes is the same on all of them, so
// that they give the same bits.

/// Steps of a sum that are added one after the other, before the sum of them is added to that of the steps before.
constexpr int64_t panelBlock = 64;
/// Steps that are read at once, row by row.
constexpr int64_t panelRows = 8;
/// Bytes of the sums that a panel has in the first cache.
constexpr int64_t panelBytes = 16 << 10;
/// Bytes of a piece of each row that is multiplied at once, and how many rows a unit of work has.
constexpr int64_t dotBytes = 2 << 10, dotRows = 64;
/// Vectors, rows and lanes that a kernel has in registers.
constexpr int64_t thinGroup = 4, rowGroup = 2, lineVectors = 2;
/// A large matrix of few rows or columns is cut along the sum into so many units of work, none shorter than that.
constexpr int64_t wantedUnits = 32, leastChunk = 4096;

/// Where a BLAS is slower, by measurements with OpenBLAS: up to `fewVectors` by a matrix of `leastBytes`, up to
/// `mostThin` by one that is too large for the caches. For one vector it is as fast as memory.
constexpr int64_t fewVectors = 3, mostThin = 4;
constexpr int64_t leastBytes = 512 << 10, leastUncachedBytes = 32 << 20, leastExtent = 64;

template <typename T> struct Lanes;

template <> struct Lanes<float> {
  using Vector = __m256;
  static constexpr int64_t count = 8;
  INLINE static Vector zero() { return _mm256_setzero_ps(); }
  INLINE static Vector load(const float *p) { return _mm256_loadu_ps(p); }
  INLINE static void store(float *p, Vector x) { _mm256_storeu_ps(p, x); }
  INLINE static Vector broadcast(const float *p) { return _mm256_broadcast_ss(p); }
  INLINE static Vector add(Vector x, Vector y) { return _mm256_add_ps(x, y); }
  INLINE static Vector fma(Vector x, Vector y, Vector sum) { return _mm256_fmadd_ps(x, y, sum); }
  INLINE static float fma(float x, float y, float sum) { return __builtin_fmaf(x, y, sum); }
  /// The first `some` elements and zeros; nothing behind them is read.
  INLINE static Vector loadSome(const float *p, int64_t some) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(int(some)), lane));
  }
  /// Adds the lanes of each of four vectors to one of four numbers.
  INLINE static void addLanes(float *to, const Vector *x) {
    const __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
    const __m128 sum = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), sum));
  }
};

template <> struct Lanes<double> {
  using Vector = __m256d;
  static constexpr int64_t count = 4;
  INLINE static Vector zero() { return _mm256_setzero_pd(); }
  INLINE static Vector load(const double *p) { return _mm256_loadu_pd(p); }
  INLINE static void store(double *p, Vector x) { _mm256_storeu_pd(p, x); }
  INLINE static Vector broadcast(const double *p) { return _mm256_broadcast_sd(p); }
  INLINE static Vector add(Vector x, Vector y) { return _mm256_add_pd(x, y); }
  INLINE static Vector fma(Vector x, Vector y, Vector sum) { return _mm256_fmadd_pd(x, y, sum); }
  INLINE static double fma(double x, double y, double sum) { return __builtin_fma(x, y, sum); }
  INLINE static Vector loadSome(const double *p, int64_t some) {
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(some), lane));
  }
  INLINE static void addLanes(double *to, const Vector *x) {
    const __m256d first = _mm256_hadd_pd(x[0], x[1]), second = _mm256_hadd_pd(x[2], x[3]);
    const __m256d sum =
        _mm256_add_pd(_mm256_permute2f128_pd(first, second, 0x20), _mm256_permute2f128_pd(first, second, 0x31));
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), sum));
  }
};

/// A product of a large matrix and `thin` vectors: result[v, x] is the sum over l of vectors[v, l] * large[l, x].
template <typename T> struct ThinProduct {
  const T *large;
  int64_t alongSum, alongWide; ///< steps of the large matrix
  int64_t thin, wide, sum;
  const T *vectors; ///< by steps of the sum where the large matrix has rows along `wide`, else by vectors, padded
  T *out;
  int64_t outThin, outWide;

  bool hasPanels() const { return alongWide == 1; }
  int64_t unitWidth() const {
    constexpr int64_t line = lineVectors * Lanes<T>::count;
    return hasPanels() ? panelBytes / int64_t(sizeof(T)) / thin / line * line : dotRows;
  }
  int64_t wideUnits() const { return (wide + unitWidth() - 1) / unitWidth(); }
  int64_t chunks() const {
    return std::clamp<int64_t>(wantedUnits / wideUnits(), 1, std::max<int64_t>(sum / leastChunk, 1));
  }
};

/// Adds `steps` products to each of R rows of C vectors of sums.
template <typename T, int R, int C>
INLINE void addRows(const T *large, int64_t row, int64_t steps, const T *factors, int64_t thin, T *sums,
                    int64_t width) {
  using L = Lanes<T>;
  typename L::Vector kept[R][C];
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c)
      kept[r][c] = L::load(sums + r * width + c * L::count);
  for (int64_t l = 0; l < steps; ++l) {
    typename L::Vector read[C];
    for (int c = 0; c < C; ++c)
      read[c] = L::load(large + l * row + c * L::count);
    for (int r = 0; r < R; ++r) {
      const typename L::Vector factor = L::broadcast(factors + l * thin + r);
      for (int c = 0; c < C; ++c)
        kept[r][c] = L::fma(factor, read[c], kept[r][c]);
    }
  }
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c)
      L::store(sums + r * width + c * L::count, kept[r][c]);
}

template <typename T, int R>
INLINE void addRowsOf(int64_t columns, const T *large, int64_t row, int64_t steps, const T *factors, int64_t thin,
                      T *sums, int64_t width) {
  constexpr int64_t lanes = Lanes<T>::count;
  if (columns == lineVectors * lanes)
    return addRows<T, R, lineVectors>(large, row, steps, factors, thin, sums, width);
  int64_t x = 0;
  for (; x + lanes <= columns; x += lanes)
    addRows<T, R, 1>(large + x, row, steps, factors, thin, sums + x, width);
  for (; x < columns; ++x)
    for (int r = 0; r < R; ++r)
      for (int64_t l = 0; l < steps; ++l)
        sums[r * width + x] = Lanes<T>::fma(factors[l * thin + r], large[l * row + x], sums[r * width + x]);
}

/// Adds the products of some rows of a panel; asks for the rows behind them.
template <typename T>
INLINE void addPanelRows(const ThinProduct<T> &of, const T *large, int64_t steps, int64_t ahead, const T *factors,
                         T *sums, int64_t columns, int64_t width) {
  constexpr int64_t line = lineVectors * Lanes<T>::count;
  for (int64_t x = 0; x < columns; x += line) {
    for (int64_t l = 0; l < ahead; ++l)
      _mm_prefetch(reinterpret_cast<const char *>(large + (steps + l) * of.alongSum + x), _MM_HINT_T0);
    const int64_t some = std::min(line, columns - x);
    int64_t v = 0;
    for (; v + thinGroup <= of.thin; v += thinGroup)
      addRowsOf<T, 4>(some, large + x, of.alongSum, steps, factors + v, of.thin, sums + v * width + x, width);
    T *rest = sums + v * width + x;
    if (of.thin - v == 3)
      addRowsOf<T, 3>(some, large + x, of.alongSum, steps, factors + v, of.thin, rest, width);
    else if (of.thin - v == 2)
      addRowsOf<T, 2>(some, large + x, of.alongSum, steps, factors + v, of.thin, rest, width);
    else if (of.thin - v == 1)
      addRowsOf<T, 1>(some, large + x, of.alongSum, steps, factors + v, of.thin, rest, width);
  }
}

/// The steps from `first` to `last` of the sums of some columns, whose elements follow each other in memory.
template <typename T>
TARGET void panel(const ThinProduct<T> &of, int64_t column, int64_t columns, int64_t first, int64_t last, T *out) {
  alignas(64) T block[panelBytes / sizeof(T)], total[panelBytes / sizeof(T)];
  const int64_t width = of.unitWidth(), used = of.thin * width;
  for (int64_t begin = first; begin < last; begin += panelBlock) {
    const int64_t end = std::min(begin + panelBlock, last);
    T *sums = begin == first ? total : block;
    std::fill_n(sums, used, T(0));
    for (int64_t l = begin; l < end; l += panelRows) {
      const int64_t steps = std::min(panelRows, end - l), ahead = std::min(panelRows, last - l - steps);
      addPanelRows(of, of.large + l * of.alongSum + column, steps, ahead, of.vectors + l * of.thin, sums, columns,
                   width);
    }
    if (begin != first)
      for (int64_t at = 0; at < used; ++at)
        total[at] += block[at];
  }
  for (int64_t v = 0; v < of.thin; ++v)
    for (int64_t x = 0; x < columns; ++x)
      out[v * of.outThin + (column + x) * of.outWide] = total[v * width + x];
}

/// Adds the inner products of X rows and R vectors, to four sums a row.
template <typename T, int X, int R>
INLINE void addDots(const T *large, int64_t row, const T *vectors, int64_t length, int64_t steps, bool ahead, T *sums,
                    int64_t width) {
  using L = Lanes<T>;
  typename L::Vector kept[X][thinGroup];
  for (int x = 0; x < X; ++x)
    for (int r = 0; r < thinGroup; ++r)
      kept[x][r] = L::zero();
  int64_t l = 0;
  for (; l + L::count <= steps; l += L::count) {
    typename L::Vector read[X];
    for (int x = 0; x < X; ++x) {
      read[x] = L::load(large + x * row + l);
      if (ahead)
        _mm_prefetch(reinterpret_cast<const char *>(large + (X + x) * row + l), _MM_HINT_T0);
    }
    for (int r = 0; r < R; ++r) {
      const typename L::Vector factor = L::load(vectors + r * length + l);
      for (int x = 0; x < X; ++x)
        kept[x][r] = L::fma(factor, read[x], kept[x][r]);
    }
  }
  if (l < steps)
    for (int x = 0; x < X; ++x) {
      const typename L::Vector read = L::loadSome(large + x * row + l, steps - l);
      for (int r = 0; r < R; ++r)
        kept[x][r] = L::fma(L::loadSome(vectors + r * length + l, steps - l), read, kept[x][r]);
    }
  for (int x = 0; x < X; ++x)
    L::addLanes(sums + x * width, kept[x]);
}

template <typename T, int X>
INLINE void addDotsOf(const ThinProduct<T> &of, const T *large, int64_t l, int64_t steps, bool ahead, T *sums) {
  int64_t v = 0;
  for (; v + thinGroup <= of.thin; v += thinGroup)
    addDots<T, X, 4>(large, of.alongWide, of.vectors + v * of.sum + l, of.sum, steps, ahead && v == 0, sums + v,
                     mostThin);
  const T *rest = of.vectors + v * of.sum + l;
  if (of.thin - v == 3)
    addDots<T, X, 3>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostThin);
  else if (of.thin - v == 2)
    addDots<T, X, 2>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostThin);
  else if (of.thin - v == 1)
    addDots<T, X, 1>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostThin);
}

/// The steps from `first` to `last` of the sums of some rows, whose elements follow each other along the sum.
template <typename T>
TARGET void dots(const ThinProduct<T> &of, int64_t row, int64_t rows, int64_t first, int64_t last, T *out) {
  constexpr int64_t piece = dotBytes / sizeof(T);
  T sums[dotRows * mostThin];
  std::fill_n(sums, rows * mostThin, T(0));
  for (int64_t l = first; l < last; l += piece) {
    const int64_t steps = std::min(piece, last - l);
    const T *from = of.large + row * of.alongWide + l;
    int64_t x = 0;
    for (; x + rowGroup <= rows; x += rowGroup)
      addDotsOf<T, rowGroup>(of, from + x * of.alongWide, l, steps, x + 2 * rowGroup <= rows, sums + x * mostThin);
    if (x < rows)
      addDotsOf<T, 1>(of, from + x * of.alongWide, l, steps, false, sums + x * mostThin);
  }
  for (int64_t x = 0; x < rows; ++x)
    for (int64_t v = 0; v < of.thin; ++v)
      out[v * of.outThin + (row + x) * of.outWide] = sums[x * mostThin + v];
}

/// The units of work of a product: parts of the wide axis, and of the sum where these are few.
template <typename T> struct ThinJob {
  const ThinProduct<T> &of;
  T *partial; ///< the sums of each chunk, one behind the other; the result itself where there is one chunk
  int64_t chunks, parts;

  void runPart(int64_t part) const {
    const int64_t units = of.wideUnits() * chunks, width = of.unitWidth();
    for (int64_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
      const int64_t chunk = unit / of.wideUnits(), begin = unit % of.wideUnits() * width;
      const int64_t first = chunkBegin(chunk), last = chunkBegin(chunk + 1), some = std::min(width, of.wide - begin);
      T *to = partial + chunk * of.thin * of.wide;
      of.hasPanels() ? panel(of, begin, some, first, last, to) : dots(of, begin, some, first, last, to);
    }
  }

  int64_t chunkBegin(int64_t chunk) const { return of.sum / chunks * chunk + std::min(chunk, of.sum % chunks); }
};

template <typename T> bool compute(const qn_context *context, const ThinProduct<T> &of) {
  ThinJob<T> job{of, of.out, of.chunks(), 1};
  const int64_t count = of.thin * of.wide;
  if (job.chunks > 1)
    job.partial = static_cast<T *>(Pool::shared().allocate(job.chunks * count * int64_t(sizeof(T))));
  if (!job.partial)
    return false;
  job.parts = std::min<int64_t>(context->threads, of.wideUnits() * job.chunks);
  if (job.parts == 1)
    job.runPart(0);
  else
    context->parallel(
        int32_t(job.parts), [](void *data, int32_t part) { static_cast<ThinJob<T> *>(data)->runPart(part); }, &job);
  if (job.chunks == 1)
    return true;
  std::copy_n(job.partial, count, of.out);
  for (int64_t chunk = 1; chunk < job.chunks; ++chunk)
    for (int64_t at = 0; at < count; ++at)
      of.out[at] += job.partial[chunk * count + at];
  Pool::shared().release(job.partial);
  return true;
}

/// Copies the vectors into the order in which the product reads them.
template <typename T> void pack(T *to, Matrix<const T> vectors, const ThinProduct<T> &of) {
  for (int64_t v = 0; v < of.thin; ++v)
    for (int64_t l = 0; l < of.sum; ++l)
      to[of.hasPanels() ? l * of.thin + v : v * of.sum + l] = vectors.data[v * vectors.row + l * vectors.column];
}

bool hasInstructions() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}

/// Whether a product is worth it; depends on its sizes alone.
template <typename T> bool isThin(int64_t thin, int64_t wide, int64_t sum) {
  if (thin < 2 || thin > mostThin || std::min(wide, sum) < leastExtent)
    return false;
  return double(wide) * double(sum) * sizeof(T) >= double(thin <= fewVectors ? leastBytes : leastUncachedBytes);
}

} // namespace

template <typename T>
bool quernel::runtime::multiplyThin(const qn_context *context, Matrix<const T> a, Matrix<const T> b, T *out, int64_t m,
                                    int64_t n, int64_t k) {
  const bool isLeft = n < m;
  const int64_t thin = isLeft ? n : m, wide = isLeft ? m : n;
  if (!isThin<T>(thin, wide, k) || !hasInstructions())
    return false;
  const Matrix<const T> large = isLeft ? a.transposed() : b, vectors = isLeft ? b.transposed() : a;
  if (large.column != 1 && large.row != 1)
    return false;
  // Lines a multiple of a page apart share few places of the first cache, in which a library's copies don't.
  const int64_t line = (large.column == 1 ? large.row : large.column) * int64_t(sizeof(T));
  if (thin > fewVectors && line % 4096 == 0)
    return false;
  ThinProduct<T> product{large.data, large.row, large.column, thin,           wide,
                         k,          nullptr,   out,          isLeft ? 1 : n, isLeft ? n : 1};
  auto *packed = static_cast<T *>(Pool::shared().allocate(thin * k * int64_t(sizeof(T))));
  if (!packed)
    return false;
  pack(packed, vectors, product);
  product.vectors = packed;
  const bool isDone = compute(context, product);
  Pool::shared().release(packed);
  return isDone;
}

#else

template <typename T>
bool quernel::runtime::multiplyThin(const qn_context *, Matrix<const T>, Matrix<const T>, T *, int64_t, int64_t,
                                    int64_t) {
  return false;
}

#endif

#define INSTANTIATE(T)                                                                                                 \
  template bool quernel::runtime::multiplyThin(const qn_context *, Matrix<const T>, Matrix<const T>, T *, int64_t,     \
                                               int64_t, int64_t);
INSTANTIATE(double)
INSTANTIATE(float)
