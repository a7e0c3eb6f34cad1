// Products of a large matrix and a few vectors: every block's end, every layout, the same bits for all threads.
#include "runtime/ThinProducts.h"
#include "runtime/Context.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

using namespace quernel::runtime;

namespace {

bool canMultiply() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// A matrix of small integers, whose sums are exact in every order, in memory by rows, by columns, with gaps, reversed.
template <typename T> struct Numbers {
  std::vector<T> memory;
  Matrix<const T> matrix;

  Numbers(int64_t rows, int64_t columns, bool byRows, int64_t gap, bool reversed, int seed) {
    const int64_t lines = byRows ? rows : columns, length = (byRows ? columns : rows) + gap;
    memory.resize(lines * length);
    for (size_t k = 0; k < memory.size(); ++k)
      memory[k] = T(int((k * 37 + seed) % 23) - 11);
    const T *first = memory.data() + (reversed ? (lines - 1) * length : 0);
    const int64_t line = reversed ? -length : length;
    matrix = {first, byRows ? line : 1, byRows ? 1 : line};
  }
};

template <typename T> void check(Matrix<const T> a, Matrix<const T> b, int64_t m, int64_t n, int64_t k) {
  std::vector<T> expected(m * n);
  multiply<T>(nullptr, a, b, expected.data(), m, n, k);
  for (int threads : {1, 2, 3, 7}) {
    std::vector<T> out(m * n, std::numeric_limits<T>::quiet_NaN());
    ASSERT_EQ(multiplyThin<T>(&context(threads), a, b, out.data(), m, n, k), QN_OK);
    ASSERT_EQ(out, expected) << m << ", " << n << ", " << k << " in " << threads;
  }
}

template <typename T> void checkLayouts(int64_t thin, int64_t wide, int64_t sum) {
  for (bool byRows : {true, false})
    for (bool vectorsByRows : {true, false}) {
      const Numbers<T> large(sum, wide, byRows, byRows ? 0 : 3, vectorsByRows, 5),
          vectors(thin, sum, vectorsByRows, 2, false, 9);
      check<T>(vectors.matrix, large.matrix, thin, wide, sum);
      check<T>(large.matrix.transposed(), vectors.matrix.transposed(), wide, thin, sum);
    }
}

} // namespace

TEST(ThinProducts, MultiplyAllSizesAroundTheEndsOfBlocks) {
  if (!canMultiply())
    GTEST_SKIP() << "no AVX2 with fused multiplication";
  for (int64_t thin : {2, 3})
    for (auto [wide, sum] : {std::pair(64, 8192), {65, 8191}, {2047, 257}, {2049, 64}, {1365, 513}, {1041, 255}}) {
      checkLayouts<float>(thin, wide, sum + 2048);
      checkLayouts<double>(thin, wide, sum + 1024);
    }
}

TEST(ThinProducts, MultiplyMoreVectorsByWhatNoCacheHolds) {
  if (!canMultiply())
    GTEST_SKIP() << "no AVX2 with fused multiplication";
  checkLayouts<float>(4, 131, 64100);
  checkLayouts<float>(4, 64101, 131);
  checkLayouts<double>(4, 2050, 2051);
}

TEST(ThinProducts, MultiplyUpToEightVectorsAlongRows) {
  if (!canMultiply())
    GTEST_SKIP() << "no AVX2 with fused multiplication";
  for (int64_t thin : {5, 6, 7, 8})
    for (auto [wide, sum] : {std::pair(2049, 2051), {65, 70001}, {70001, 65}}) {
      const Numbers<float> large(sum, wide, true, 3, false, 5), vectors(thin, sum, true, 2, false, 9);
      check<float>(vectors.matrix, large.matrix, thin, wide, sum);
      check<float>(large.matrix.transposed(), vectors.matrix.transposed(), wide, thin, sum);
    }
}

TEST(ThinProducts, GiveTheSameBitsForAllThreadsAndAddresses) {
  if (!canMultiply())
    GTEST_SKIP() << "no AVX2 with fused multiplication";
  constexpr int64_t thin = 3, wide = 77, sum = 20001;
  std::vector<float> large(sum * wide + 16), moved(large.size()), vectors(thin * sum);
  for (size_t k = 0; k < large.size(); ++k)
    large[k] = std::sin(float(k));
  for (size_t k = 0; k < vectors.size(); ++k)
    vectors[k] = std::cos(float(k));
  std::copy(large.begin(), large.end() - 5, moved.begin() + 5);
  for (const Matrix<const float> layout : {Matrix<const float>{nullptr, wide, 1}, {nullptr, 1, sum}}) {
    std::vector<float> first(thin * wide), out(thin * wide);
    const Matrix<const float> factors{vectors.data(), sum, 1};
    ASSERT_EQ(multiplyThin<float>(&context(1), factors, {large.data(), layout.row, layout.column}, first.data(), thin,
                                  wide, sum),
              QN_OK);
    for (const float *data : {std::as_const(large).data(), std::as_const(moved).data() + 5})
      for (int threads : {1, 2, 3, 5, 16}) {
        ASSERT_EQ(multiplyThin<float>(&context(threads), factors, {data, layout.row, layout.column}, out.data(), thin,
                                      wide, sum),
                  QN_OK);
        EXPECT_EQ(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0) << threads;
      }
  }
}

TEST(ThinProducts, CarryNaNAndInfinityThroughZeros) {
  if (!canMultiply())
    GTEST_SKIP() << "no AVX2 with fused multiplication";
  constexpr int64_t thin = 2, wide = 301, sum = 305;
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Matrix<const double> layout : {Matrix<const double>{nullptr, wide, 1}, {nullptr, 1, sum}})
      for (int64_t at : {0, 299, 304}) {
        std::vector<double> large(sum * wide, 1.0), vectors(thin * sum, 0.0), out(thin * wide);
        large[at * layout.row + 300 * layout.column] = special;
        ASSERT_EQ(multiplyThin<double>(&context(2), {vectors.data(), sum, 1}, {large.data(), layout.row, layout.column},
                                       out.data(), thin, wide, sum),
                  QN_OK);
        for (int64_t k = 0; k < thin * wide; ++k)
          EXPECT_EQ(std::isnan(out[k]), k % wide == 300) << k;
      }
}

TEST(ThinProducts, LeaveWhatABlasDoesWell) {
  const Numbers<double> square(512, 512, true, 0, false, 1);
  std::vector<double> out(512 * 512, 9.0);
  auto isTaken = [&](int64_t m, int64_t n, int64_t k, Matrix<const double> a, Matrix<const double> b) {
    return multiplyThin<double>(&context(1), a, b, out.data(), m, n, k).has_value();
  };
  const Matrix<const double> matrix = square.matrix, steps{matrix.data, 2, 4};
  EXPECT_FALSE(isTaken(1, 512, 512, matrix, matrix)) << "one vector";
  EXPECT_FALSE(isTaken(9, 512, 512, matrix, matrix)) << "many vectors";
  EXPECT_FALSE(isTaken(4, 512, 512, matrix, matrix)) << "in the cache";
  EXPECT_FALSE(isTaken(512, 512, 512, matrix, matrix)) << "nothing thin";
  EXPECT_FALSE(isTaken(2, 63, 512, matrix, matrix)) << "small";
  EXPECT_FALSE(isTaken(2, 512, 512, matrix, steps)) << "no axis contiguous";
  EXPECT_EQ(out, std::vector<double>(out.size(), 9.0));
}
