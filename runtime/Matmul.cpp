#include "runtime/Matmul.h"
#include "runtime/Batch.h"
#include "runtime/Library.h"
#include "runtime/Pool.h"
#include "runtime/ThinProducts.h"
#include <algorithm>
#include <cstdlib>
#include <type_traits>

using namespace quernel::runtime;

namespace {

/// A temporary of the pool.
template <typename T> class Copy {
public:
  Copy() = default;
  ~Copy() { Pool::shared().release(memory); }
  Copy(const Copy &) = delete;
  Copy &operator=(const Copy &) = delete;

  /// The matrix in contiguous memory, in the order that it nearly has; its data are null where memory is out.
  Matrix<const T> of(Matrix<const T> from, int64_t rows, int64_t columns) {
    memory = static_cast<T *>(Pool::shared().allocate(rows * columns * sizeof(T)));
    const bool flip = std::abs(from.row) < std::abs(from.column);
    Matrix<const T> to{memory, flip ? 1 : columns, flip ? rows : 1};
    if (memory)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          memory[i * to.row + j * to.column] = from.data[i * from.row + j * from.column];
    return to;
  }

private:
  T *memory = nullptr;
};

/// Sums in the order of k, one rounding a step, like NumPy's own loop; this order of loops is one that vectorises.
template <typename T> void plainLoop(Matrix<const T> a, Matrix<const T> b, T *out, int64_t m, int64_t n, int64_t k) {
  std::fill_n(out, m * n, T(0));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l) {
      const T factor = a.data[i * a.row + l * a.column];
      const T *row = b.data + l * b.row;
      T *__restrict sums = out + i * n;
      if (b.column == 1)
        for (int64_t j = 0; j < n; ++j)
          sums[j] += factor * row[j];
      else
        for (int64_t j = 0; j < n; ++j)
          sums[j] += factor * row[j * b.column];
    }
}

constexpr int64_t smallInner = 8, smallMatrix = 8;

/// Whether the compiler would have made loops of this product, had it known the sizes (InlineProducts.cpp).
bool isSmall(int64_t m, int64_t n, int64_t k) { return k <= smallInner && std::min(m, n) <= smallMatrix; }

/// The sum of eight numbers in the order of such a loop, which is that of NumPy's pairwise sum (BlockSums.cpp).
template <typename T> T sumOfEight(const T *x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/// A small product of short rows or of eight steps, one element after the other: sums of fewer are in order.
template <typename T> void smallDots(Matrix<const T> a, Matrix<const T> b, T *out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T products[smallInner], sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += products[l] = a.data[i * a.row + l * a.column] * b.data[l * b.row + j * b.column];
      out[i * n + j] = k == smallInner ? sumOfEight(products) : sum;
    }
}

/// A small product with the bits that the compiler's loops give.
template <typename T> void smallProduct(Matrix<const T> a, Matrix<const T> b, T *out, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t shortRow = 4;
  k == smallInner || n < shortRow ? smallDots(a, b, out, m, n, k) : plainLoop(a, b, out, m, n, k);
}

/// Whether the rows are contiguous and apart, as a BLAS demands.
bool hasRows(const Blas &blas, int64_t row, int64_t column, int64_t columns) {
  return column == 1 && row >= columns && row <= blas.largest;
}

template <typename T> struct Product {
  const Blas &blas;
  Matrix<const T> a, b;
  T *out;
  int64_t m, n, k;

  bool aByRows() const { return hasRows(blas, a.row, a.column, k); }
  bool bByRows() const { return hasRows(blas, b.row, b.column, n); }
  bool fitsA() const { return aByRows() || hasRows(blas, a.column, a.row, m); }
  bool fitsB() const { return bByRows() || hasRows(blas, b.column, b.row, k); }

  void plain() const { plainLoop(a, b, out, m, n, k); }
  void dot() const;
  void vectors() const;
  void matrices() const;
  void blasable() const;
};

template <typename T> void Product<T>::dot() const {
  const int64_t chunk = blas.largest / 2 + 1;
  auto fits = [&](int64_t step) { return step > 0 && step <= blas.largest; };
  if (!fits(a.column) || !fits(b.row))
    return plain();
  WideOf<T> sum = 0;
  for (int64_t l = 0; l < k; l += chunk)
    sum +=
        WideOf<T>(blasDot<T>(blas, std::min(chunk, k - l), a.data + l * a.column, a.column, b.data + l * b.row, b.row));
  *out = T(sum);
}

/// The matrix by vector, whose result has `rows` elements.
template <typename T>
void timesVector(const Blas &blas, Matrix<const T> a, const T *x, int64_t step, T *out, int64_t rows, int64_t inner) {
  if (hasRows(blas, a.row, a.column, inner))
    blasGemv(blas, Order::ColumnMajor, inner, rows, a.data, a.row, x, step, out);
  else
    blasGemv(blas, Order::RowMajor, inner, rows, a.data, a.column, x, step, out);
}

template <typename T> void Product<T>::vectors() const {
  auto isVector = [&](int64_t step) { return step >= 1 && step <= blas.largest; };
  if (m == 1 && n == 1)
    return dot();
  if (k == 1)
    return plain();
  if (m == 1 && fitsB() && isVector(a.column))
    return timesVector(blas, b.transposed(), a.data, a.column, out, n, k);
  if (n == 1 && fitsA() && isVector(b.row))
    return timesVector(blas, a, b.data, b.row, out, m, k);
  plain();
}

template <typename T> void Product<T>::blasable() const {
  const Transpose flipA = aByRows() ? Transpose::No : Transpose::Yes,
                  flipB = bByRows() ? Transpose::No : Transpose::Yes;
  const int64_t lda = aByRows() ? a.row : a.column, ldb = bByRows() ? b.row : b.column;
  const bool gram = a.data == b.data && m == n && a.row == b.column && a.column == b.row && flipA != flipB;
  if (!gram)
    return blasGemm(blas, flipA, flipB, m, n, k, a.data, lda, b.data, ldb, out, n);
  blasSyrk(blas, flipA, n, k, a.data, lda, out, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j)
      out[j * n + i] = out[i * n + j];
}

template <typename T> void Product<T>::matrices() const {
  Copy<T> copyA, copyB;
  Product product = *this;
  if (!fitsA())
    product.a = copyA.of(a, m, k);
  if (!fitsB())
    product.b = copyB.of(b, k, n);
  if (!product.a.data || !product.b.data)
    return plain();
  product.blasable();
}

} // namespace

template <typename T>
void quernel::runtime::multiply(const Blas *blas, Matrix<const T> a, Matrix<const T> b, T *out, int64_t m, int64_t n,
                                int64_t k) {
  if (!blas || std::min({m, n, k}) == 0 || std::max({m, n, k}) > blas->largest)
    return plainLoop(a, b, out, m, n, k);
  const Product<T> product{*blas, a, b, out, m, n, k};
  if (std::min({m, n, k}) == 1)
    return product.vectors();
  product.matrices();
}

/// Whether the matrices of a batch are the rows of one matrix that a BLAS reads where it lies: they are one product
/// with a matrix that all of them are multiplied by. No BLAS is asked for more rows than 32 bits count.
static bool isOneMatrix(int64_t batch, int64_t m, int64_t k, int64_t next, int64_t row, int64_t column) {
  if (batch < 2 || m == 0 || batch > INT32_MAX / 2 / m || next != m * row)
    return false;
  return (column == 1 && row >= k) || (row == 1 && column >= batch * m);
}

template <typename T>
int32_t quernel::runtime::matmul(const qn_context *context, const T *left, const T *right, T *product, int64_t batch,
                                 int64_t m, int64_t n, int64_t k, int64_t aBatch, int64_t aRow, int64_t aColumn,
                                 int64_t bBatch, int64_t bRow, int64_t bColumn) {
  const Blas *blas = findBlas();
  const bool isInLoops = std::is_floating_point_v<T> && isSmall(m, n, k);
  const int64_t step = m == 1 ? aBatch : aRow;
  if (!isInLoops && bBatch == 0 && isOneMatrix(batch, m, k, aBatch, step, aColumn)) {
    aRow = step;
    m *= batch;
    batch = 1;
  }
  if constexpr (std::is_floating_point_v<T>)
    for (; !isInLoops && batch > 0; --batch, left += aBatch, right += bBatch, product += m * n) {
      const auto code = multiplyThin<T>(context, {left, aRow, aColumn}, {right, bRow, bColumn}, product, m, n, k);
      if (!code)
        break;
      if (*code != QN_OK)
        return *code;
    }
  const Batch problems{batch, double(m) * double(n) * double(k), isInLoops ? nullptr : blas};
  return runBatch(context, problems, [=](int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      const Matrix<const T> one{left + i * aBatch, aRow, aColumn}, other{right + i * bBatch, bRow, bColumn};
      T *to = product + i * m * n;
      if constexpr (std::is_floating_point_v<T>)
        if (isInLoops) {
          smallProduct(one, other, to, m, n, k);
          continue;
        }
      multiply<T>(blas, one, other, to, m, n, k);
    }
    return QN_OK;
  });
}

#define INSTANTIATE(T)                                                                                                 \
  template void quernel::runtime::multiply(const Blas *, Matrix<const T>, Matrix<const T>, T *, int64_t, int64_t,      \
                                           int64_t);                                                                   \
  template int32_t quernel::runtime::matmul<T>(const qn_context *, const T *, const T *, T *, int64_t, int64_t,        \
                                               int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,          \
                                               int64_t);
INSTANTIATE(double)
INSTANTIATE(float)
INSTANTIATE(Complex<double>)
INSTANTIATE(Complex<float>)

int32_t quernel::runtime::callBlas(const RoutineCall &call) {
  auto multiplyAs = [&]<typename T>(T) {
    const auto *a = static_cast<const T *>(call.operands[0]), *b = static_cast<const T *>(call.operands[1]);
    const auto [batch, m, k, n] = std::to_array({call.sizes[0], call.sizes[1], call.sizes[2], call.sizes[3]});
    const int64_t *of = call.strides;
    return matmul<T>(call.context, a, b, static_cast<T *>(call.operands[2]), batch, m, n, k, of[0], of[1], of[2], of[3],
                     of[4], of[5]);
  };
  switch (call.type) {
  case QN_F32:
    return multiplyAs(float());
  case QN_F64:
    return multiplyAs(double());
  case QN_C64:
    return multiplyAs(Complex<float>());
  case QN_C128:
    return multiplyAs(Complex<double>());
  }
  return QN_NO_ROUTINE;
}
