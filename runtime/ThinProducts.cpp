#include "runtime/ThinProducts.h"
#include "runtime/Batch.h"
#include "runtime/Pool.h"
#include <algorithm>
#include <atomic>

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
/// Bytes of a panel's sums, which stay in the second cache while rows of the large matrix pass by.
constexpr int64_t panelBytes = 128 << 10;
/// Bytes of a piece of each row that is multiplied at once, and how many rows a unit of work has.
constexpr int64_t dotBytes = 2 << 10, dotRows = 64;
/// Vectors, rows and lanes that a kernel has in registers.
constexpr int64_t thinGroup = 4, rowGroup = 2, lineVectors = 2;
/// How many units of work keep all threads busy. A large matrix is cut along the sum first where its elements follow
/// each other in the rows, so that each unit reads one run of memory.
constexpr int64_t wantedUnits = 32, leastRows = 4 * panelBlock, leastColumns = 256, leastDots = 4096;

/// Where a BLAS is slower, by measurements with OpenBLAS: up to `fewVectors` by a matrix of `leastBytes`; up to
/// `mostThin` by one of `leastPanelBytes`, or to `mostDots` by one of `leastUncachedBytes` where the sums go along its
/// rows. For one vector a BLAS is as fast as memory.
constexpr int64_t fewVectors = 3, mostDots = 4, mostThin = 8;
constexpr int64_t leastBytes = 512 << 10, leastPanelBytes = 16 << 20, leastUncachedBytes = 32 << 20, leastExtent = 64;

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
  int64_t count() const { return thin * wide; }
  int64_t chunks() const { return std::clamp<int64_t>(sum / (hasPanels() ? leastRows : leastDots), 1, chunkLimit()); }
  int64_t wideUnits() const { return (wide + unitWidth() - 1) / unitWidth(); }
  int64_t unitWidth() const {
    if (!hasPanels())
      return dotRows;
    constexpr int64_t line = lineVectors * Lanes<T>::count;
    const int64_t most = panelBytes / int64_t(sizeof(T)) / thin, enough = wide * chunks() / wantedUnits;
    return (std::min(std::max(enough, leastColumns), most) + line - 1) / line * line;
  }
  /// Where chunk `chunk` of the sum begins.
  int64_t chunkBegin(int64_t chunk) const { return sum / chunks() * chunk + std::min(chunk, sum % chunks()); }

private:
  int64_t chunkLimit() const { return hasPanels() ? wantedUnits : std::max<int64_t>(wantedUnits / wideUnits(), 1); }
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

/// Adds the products of some rows of a panel to its sums, which lie `width` apart; asks for the rows behind them.
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

/// The steps from `first` to `last` of the sums of some columns, whose elements follow each other in memory. `block` is
/// room for as many sums.
template <typename T>
TARGET void panel(const ThinProduct<T> &of, int64_t column, int64_t columns, int64_t first, int64_t last, T *partial,
                  T *block) {
  for (int64_t begin = first; begin < last; begin += panelBlock) {
    const int64_t end = std::min(begin + panelBlock, last), width = begin == first ? of.wide : columns;
    T *sums = begin == first ? partial + column : block;
    for (int64_t v = 0; v < of.thin; ++v)
      std::fill_n(sums + v * width, columns, T(0));
    for (int64_t l = begin; l < end; l += panelRows) {
      const int64_t steps = std::min(panelRows, end - l), ahead = std::min(panelRows, last - l - steps);
      addPanelRows(of, of.large + l * of.alongSum + column, steps, ahead, of.vectors + l * of.thin, sums, columns,
                   width);
    }
    if (begin == first)
      continue;
    for (int64_t v = 0; v < of.thin; ++v)
      for (int64_t x = 0; x < columns; ++x)
        partial[v * of.wide + column + x] += block[v * columns + x];
  }
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
                     mostDots);
  const T *rest = of.vectors + v * of.sum + l;
  if (of.thin - v == 3)
    addDots<T, X, 3>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostDots);
  else if (of.thin - v == 2)
    addDots<T, X, 2>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostDots);
  else if (of.thin - v == 1)
    addDots<T, X, 1>(large, of.alongWide, rest, of.sum, steps, ahead && v == 0, sums + v, mostDots);
}

/// The steps from `first` to `last` of the sums of some rows, whose elements follow each other along the sum.
template <typename T>
TARGET void dots(const ThinProduct<T> &of, int64_t row, int64_t rows, int64_t first, int64_t last, T *partial) {
  constexpr int64_t piece = dotBytes / sizeof(T);
  T sums[dotRows * mostDots];
  std::fill_n(sums, rows * mostDots, T(0));
  for (int64_t l = first; l < last; l += piece) {
    const int64_t steps = std::min(piece, last - l);
    const T *from = of.large + row * of.alongWide + l;
    int64_t x = 0;
    for (; x + rowGroup <= rows; x += rowGroup)
      addDotsOf<T, rowGroup>(of, from + x * of.alongWide, l, steps, x + 2 * rowGroup <= rows, sums + x * mostDots);
    if (x < rows)
      addDotsOf<T, 1>(of, from + x * of.alongWide, l, steps, false, sums + x * mostDots);
  }
  for (int64_t x = 0; x < rows; ++x)
    for (int64_t v = 0; v < of.thin; ++v)
      partial[v * of.wide + row + x] = sums[x * mostDots + v];
}

/// The units of work of a product: parts of the wide axis, and of the sum.
template <typename T> struct ThinJob {
  const ThinProduct<T> &of;
  T *partial; ///< the sums of each chunk, one behind the other, by vectors

  /// The sums of units from `first` on; false where memory is out.
  bool computeUnits(int64_t first, int64_t units) const {
    const int64_t width = of.unitWidth(), wideUnits = of.wideUnits();
    T *block = nullptr;
    if (of.hasPanels())
      block = static_cast<T *>(Pool::shared().allocate(of.thin * width * int64_t(sizeof(T))));
    if (of.hasPanels() && !block)
      return false;
    for (int64_t unit = first; unit < first + units; ++unit) {
      const int64_t chunk = unit / wideUnits, begin = unit % wideUnits * width, some = std::min(width, of.wide - begin);
      const int64_t from = of.chunkBegin(chunk), to = of.chunkBegin(chunk + 1);
      T *sums = partial + chunk * of.count();
      of.hasPanels() ? panel(of, begin, some, from, to, sums, block) : dots(of, begin, some, from, to, sums);
    }
    Pool::shared().release(block);
    return true;
  }

  /// Adds the chunks of some parts of the wide axis, in their order.
  void combine(int64_t first, int64_t units) const {
    const int64_t begin = first * of.unitWidth(), end = std::min((first + units) * of.unitWidth(), of.wide);
    for (int64_t v = 0; v < of.thin; ++v)
      for (int64_t x = begin; x < end; ++x) {
        T sum = partial[v * of.wide + x];
        for (int64_t chunk = 1; chunk < of.chunks(); ++chunk)
          sum += partial[chunk * of.count() + v * of.wide + x];
        of.out[v * of.outThin + x * of.outWide] = sum;
      }
  }
};

/// Nothing where memory is out.
template <typename T> std::optional<int32_t> compute(const qn_context *context, const ThinProduct<T> &of) {
  const int64_t chunks = of.chunks(), wideUnits = of.wideUnits(), units = chunks * wideUnits;
  const ThinJob<T> job{of, static_cast<T *>(Pool::shared().allocate(chunks * of.count() * int64_t(sizeof(T))))};
  if (!job.partial)
    return std::nullopt;
  std::atomic<bool> isComplete = true;
  const double work = double(of.count()) * double(of.sum) / double(units);
  int32_t code = runBatch(context, {units, work, nullptr}, [&](int64_t first, int64_t count) {
    if (!job.computeUnits(first, count))
      isComplete = false;
    return QN_OK;
  });
  if (code == QN_OK && isComplete)
    code = runBatch(context, {wideUnits, double(of.count()) * double(chunks) / double(wideUnits), nullptr},
                    [&](int64_t first, int64_t count) {
                      job.combine(first, count);
                      return QN_OK;
                    });
  Pool::shared().release(job.partial);
  return isComplete ? std::optional(code) : std::nullopt;
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
template <typename T> bool isThin(int64_t thin, int64_t wide, int64_t sum, bool hasPanels) {
  if (thin < 2 || thin > (hasPanels ? mostThin : mostDots) || std::min(wide, sum) < leastExtent)
    return false;
  const int64_t least = thin <= fewVectors ? leastBytes : hasPanels ? leastPanelBytes : leastUncachedBytes;
  return double(wide) * double(sum) * sizeof(T) >= double(least);
}

} // namespace

template <typename T>
std::optional<int32_t> quernel::runtime::multiplyThin(const qn_context *context, Matrix<const T> a, Matrix<const T> b,
                                                      T *out, int64_t m, int64_t n, int64_t k) {
  const bool isLeft = n < m;
  const int64_t thin = isLeft ? n : m, wide = isLeft ? m : n;
  const Matrix<const T> large = isLeft ? a.transposed() : b, vectors = isLeft ? b.transposed() : a;
  if (!isThin<T>(thin, wide, k, large.column == 1) || (large.column != 1 && large.row != 1) || !hasInstructions())
    return std::nullopt;
  // Lines a multiple of a page apart share few places of the first cache, in which a library's copies don't.
  if (thin > fewVectors && large.column != 1 && large.column * int64_t(sizeof(T)) % 4096 == 0)
    return std::nullopt;
  ThinProduct<T> product{large.data, large.row, large.column, thin,           wide,
                         k,          nullptr,   out,          isLeft ? 1 : n, isLeft ? n : 1};
  auto *packed = static_cast<T *>(Pool::shared().allocate(thin * k * int64_t(sizeof(T))));
  if (!packed)
    return std::nullopt;
  pack(packed, vectors, product);
  product.vectors = packed;
  const std::optional<int32_t> code = compute(context, product);
  Pool::shared().release(packed);
  return code;
}

#else

template <typename T>
std::optional<int32_t> quernel::runtime::multiplyThin(const qn_context *, Matrix<const T>, Matrix<const T>, T *,
                                                      int64_t, int64_t, int64_t) {
  return std::nullopt;
}

#endif

#define INSTANTIATE(T)                                                                                                 \
  template std::optional<int32_t> quernel::runtime::multiplyThin(const qn_context *, Matrix<const T>, Matrix<const T>, \
                                                                 T *, int64_t, int64_t, int64_t);
INSTANTIATE(double)
INSTANTIATE(float)
