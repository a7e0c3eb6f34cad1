// What test_lapack_bits.py can't show: no library, one with other integers, routines that fail.
#include "runtime/LinearAlgebra.h"
#include "runtime/Context.h"
#include "runtime/Pool.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace quernel::runtime;

namespace {

const Lapack &narrowLapack() {
  static const Lapack lapack = (dlopen(QUERNEL_TEST_LAPACK, RTLD_NOW), openLapack(QUERNEL_TEST_LAPACK));
  return lapack;
}

constexpr int64_t strides[12] = {}; // for matrices that nobody reads

template <typename T> struct Solved {
  int32_t code;
  std::vector<T> result;
};

/// a x = b with a[2, 2] and b[2, 3], twice.
template <typename T> Solved<T> solveTwice(const Lapack *lapack, int32_t type) {
  std::vector<T> a = {2, 1, 0, 4, 1, 0, 3, 1}, b = {2, 4, 6, 8, 4, 0, 1, 2, 3, 4, 5, 6}, x(12);
  void *operands[] = {a.data(), b.data(), x.data()};
  const int64_t strides[] = {4, 2, 1, 6, 3, 1, 6, 3, 1};
  const int32_t code = solveBy(&context(1), lapack, QN_SOLVE, type, operands, strides, 2, 2, 2, 3);
  return {code, x};
}

} // namespace

TEST(Lapack, IsMissing) {
  EXPECT_EQ(findLapack(), nullptr);
  EXPECT_TRUE(openLapack("libno_such.so").library.empty());
  void *other = dlopen(QUERNEL_TEST_OPENBLAS, RTLD_NOW);
  EXPECT_TRUE(openLapack(QUERNEL_TEST_OPENBLAS).library.empty());
  dlclose(other);
  const int64_t sizes[4] = {};
  EXPECT_EQ(context(1).call(&context(1), QN_INV, QN_F64, nullptr, nullptr, sizes), QN_NO_LAPACK);
}

TEST(Lapack, IsOpenedWithItsIntegers) {
  EXPECT_EQ(narrowLapack().library, QUERNEL_TEST_LAPACK);
  EXPECT_FALSE(narrowLapack().wide);
}

TEST(LinearAlgebra, SolvesWithIntegersOf32Bits) {
  const std::vector<double> expected = {0, 1.5, 3, 2, 1, 0, 1, 2, 3, 1, -1, -3};
  const Solved<double> doubles = solveTwice<double>(&narrowLapack(), QN_F64);
  EXPECT_EQ(doubles.code, QN_OK);
  EXPECT_EQ(doubles.result, expected);
  const Solved<float> floats = solveTwice<float>(&narrowLapack(), QN_F32);
  EXPECT_EQ(floats.code, QN_OK);
  EXPECT_EQ(floats.result, std::vector<float>(expected.begin(), expected.end()));
}

TEST(LinearAlgebra, RefusesSizesBeyondTheIntegers) {
  void *operands[3] = {};
  const int64_t size = int64_t(std::numeric_limits<int32_t>::max()) + 1;
  EXPECT_EQ(solveBy(&context(1), &narrowLapack(), QN_SVDVALS, QN_F64, operands, strides, 0, size, 1, 0),
            QN_OUT_OF_MEMORY);
}

TEST(LinearAlgebra, SaysThatMemoryIsOut) {
  void *operands[4] = {};
  const int64_t size = std::numeric_limits<int32_t>::max();
  for (int32_t routine = QN_SOLVE; routine <= QN_SVDVALS; ++routine)
    for (int32_t type : {QN_F32, QN_C128})
      EXPECT_EQ(solveBy(&context(1), &narrowLapack(), routine, type, operands, strides, 1, size, size, size),
                QN_OUT_OF_MEMORY)
          << routine;
}

TEST(LinearAlgebra, MakesNoSquareThatNoMemoryHolds) {
  void *operands[4] = {};
  const int64_t size = int64_t(1) << 30;
  for (int32_t routine : {QN_QR_COMPLETE, QN_SVD_FULL})
    EXPECT_EQ(solveBy(&context(1), &narrowLapack(), routine, QN_F64, operands, strides, 1, size, 1, 0),
              QN_OUT_OF_MEMORY);
}

TEST(LinearAlgebra, TellsWhatFailed) {
  const size_t used = Pool::shared().statistics().usedBytes;
  std::vector<double> memory(4 * 64 * 64 * 2);
  double *matrix = memory.data();
  void *operands[] = {matrix, matrix + 8192, matrix + 2 * 8192, matrix + 3 * 8192};
  const std::pair<int32_t, int32_t> codes[] = {
      {QN_CHOLESKY, QN_NOT_POSITIVE_DEFINITE},
      {QN_EIGH, QN_EIGENVALUES_DIVERGE},
      {QN_EIGVALSH, QN_EIGENVALUES_DIVERGE},
      {QN_QR, QN_QR_FAILED},
      {QN_QR_R, QN_QR_FAILED},
      {QN_SVD, QN_SVD_DIVERGES},
      {QN_SVDVALS, QN_SVD_DIVERGES},
  };
  for (auto [routine, code] : codes)
    for (int32_t type : {QN_F32, QN_F64, QN_C64, QN_C128})
      EXPECT_EQ(solveBy(&context(1), &narrowLapack(), routine, type, operands, strides, 1, 64, 64, 0), code) << routine;
  for (int32_t routine : {QN_SOLVE, QN_INV})
    EXPECT_EQ(solveBy(&context(1), &narrowLapack(), routine, QN_C128, operands, strides, 1, 64, 64, 64), QN_SINGULAR);
  EXPECT_EQ(Pool::shared().statistics().usedBytes, used);
}

TEST(LinearAlgebra, HasNoDeterminantOfASingularMatrix) {
  double matrix[4] = {}, sign = 1, logarithm = 1;
  void *operands[] = {matrix, &sign, &logarithm};
  EXPECT_EQ(solveBy(&context(1), &narrowLapack(), QN_SLOGDET, QN_F64, operands, strides, 1, 2, 2, 0), QN_OK);
  EXPECT_EQ(sign, 0);
  EXPECT_EQ(logarithm, -std::numeric_limits<double>::infinity());
}

TEST(LinearAlgebra, KnowsNoOtherRoutines) {
  void *operands[4] = {};
  EXPECT_EQ(solveBy(&context(1), &narrowLapack(), QN_SORT, QN_F64, operands, strides, 1, 1, 1, 1), QN_NO_LAPACK);
  EXPECT_EQ(solveBy(&context(1), &narrowLapack(), QN_INV, 4, operands, strides, 1, 1, 1, 1), QN_NO_LAPACK);
}
