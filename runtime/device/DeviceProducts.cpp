// Products of matrices by cuBLAS.
#include "runtime/device/RoutineWork.h"

using namespace quernel::runtime;

namespace {

/// How a BLAS, whose matrices have contiguous columns, reads one of ours, whose rows are meant: as what it is the other
/// way around, or as it is.
struct Layout {
  bool fits = false, byRows = true;
  int64_t lead = 0;
};

Layout layoutOf(const DeviceMatrices &a, int64_t rows, int64_t columns) {
  const auto fits = [&](int64_t step, int64_t lead, int64_t length, int64_t count) {
    return (step == 1 || length == 1) && (lead >= length || count == 1);
  };
  const bool isAligned = reinterpret_cast<uintptr_t>(a.data) % typeBytes[a.type] == 0 && a.next >= 0;
  if (isAligned && fits(a.column, a.row, columns, rows))
    return {true, true, rows == 1 ? columns : a.row};
  if (isAligned && fits(a.row, a.column, rows, columns))
    return {true, false, columns == 1 ? rows : a.column};
  return {};
}

/// Matrices that a BLAS can read, and how.
struct Factor {
  DeviceMatrices matrices;
  Layout layout;

  int flip() const { return layout.byRows ? cuda::plain : cuda::transposed; }
};

Factor factorOf(RoutineWork &work, const DeviceMatrices &a, int64_t rows, int64_t columns) {
  const Layout layout = layoutOf(a, rows, columns);
  if (layout.fits)
    return {a, layout};
  // What is for all problems is copied once.
  RoutineWork::CopyOptions options;
  options.problems = a.next == 0 ? 1 : work.batch();
  DeviceMatrices copied = work.takeMatrices(a.type, columns, rows, options.problems).flipped();
  work.copy(a, copied, rows, columns, options);
  if (a.next == 0)
    copied.next = 0;
  return {copied, {true, true, columns}};
}

/// The number one and the number zero of a type, as cuBLAS takes them.
struct Scalars {
  float f32[4] = {1, 0, 0, 0};
  double f64[4] = {1, 0, 0, 0};

  const void *one(int32_t type) const { return realTypeOf(type) == QN_F32 ? (const void *)f32 : (const void *)f64; }
  const void *zero(int32_t type) const {
    return realTypeOf(type) == QN_F32 ? (const void *)(f32 + 2) : (const void *)(f64 + 2);
  }
};
constexpr Scalars scalars;

auto gemvOf(const Cublas &blas, int32_t type) {
  switch (type) {
  case QN_F32:
    return blas.gemvF32;
  case QN_F64:
    return blas.gemvF64;
  case QN_C64:
    return blas.gemvC64;
  default:
    return blas.gemvC128;
  }
}

/// Of matrices by vectors: `x` has a column.
void timesVectors(RoutineWork &work, const Cublas &blas, const DeviceMatrices &a, DeviceMatrices x, void *out,
                  int64_t rows, int64_t inner) {
  const Factor factor = factorOf(work, a, rows, inner);
  const bool isAligned = reinterpret_cast<uintptr_t>(x.data) % typeBytes[x.type] == 0;
  if (inner == 1)
    x.row = 1;
  if (x.row < 1 || x.next < 0 || !isAligned) {
    const DeviceMatrices copied = work.takeMatrices(x.type, inner, 1);
    work.copy(x, copied, inner, 1);
    x = copied;
  }
  const bool byRows = factor.layout.byRows;
  const int32_t type = work.type();
  work.libraries().check(gemvOf(blas, type)(work.libraries().blasHandle(), byRows ? cuda::transposed : cuda::plain,
                                            byRows ? inner : rows, byRows ? rows : inner, scalars.one(type),
                                            factor.matrices.data, factor.layout.lead, factor.matrices.next, x.data,
                                            x.row, x.next, scalars.zero(type), out, 1, rows, work.batch()),
                         "cublas gemv");
}

void timesMatrices(RoutineWork &work, const Cublas &blas, DeviceMatrices a, const DeviceMatrices &b, void *out,
                   int64_t rows, int64_t columns, int64_t inner) {
  int64_t batch = work.batch();
  // The matrices of a batch that are the rows of one matrix are one product with a matrix that is for all of them.
  const Layout whole = layoutOf(a, rows * batch, inner);
  if (b.next == 0 && a.next == rows * a.row && whole.fits && whole.byRows) {
    rows *= batch;
    batch = 1;
  }
  const Factor left = factorOf(work, a, rows, inner), right = factorOf(work, b, inner, columns);
  const int32_t type = work.type();
  const int element = elementOf(type);
  // What cuBLAS computes is the transposed product, in the order of memory.
  work.libraries().check(blas.gemm(work.libraries().blasHandle(), right.flip(), left.flip(), columns, rows, inner,
                                   scalars.one(type), right.matrices.data, element, right.layout.lead,
                                   right.matrices.next, left.matrices.data, element, left.layout.lead,
                                   left.matrices.next, scalars.zero(type), out, element, columns, rows * columns, batch,
                                   realTypeOf(type) == QN_F32 ? cuda::floats : cuda::doubles, cuda::defaultAlgorithm),
                         "cublasGemmStridedBatchedEx");
}

} // namespace

std::optional<int32_t> quernel::runtime::multiplyOnDevice(RoutineWork &work) {
  const Cublas *blas = work.beginBlas();
  if (!blas)
    return std::nullopt;
  const int64_t rows = work.size(1), inner = work.size(2), columns = work.size(3);
  const DeviceMatrices a = work.operand(0), b = work.operand(1), out = work.operand(2);
  if (rows == 0 || columns == 0)
    return QN_OK;
  if (inner == 0) {
    work.fill({out.data, out.type, rows * columns, columns, 1}, rows, columns, MatrixPart::none);
    return QN_OK;
  }
  if (columns == 1)
    timesVectors(work, *blas, a, b, out.data, rows, inner);
  else if (rows == 1)
    timesVectors(work, *blas, b.flipped(), a.flipped(), out.data, columns, inner);
  else
    timesMatrices(work, *blas, a, b, out.data, rows, columns, inner);
  return QN_OK;
}
