#include "runtime/context.h"
#include "runtime/matmul.h"
#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

using namespace quernel::runtime;

namespace {

void *testLibrary() {
  static void *library = dlopen(QUERNEL_TEST_OPENBLAS, RTLD_NOW);
  return library;
}

const Blas &testBlas() {
  static const Blas blas = (testLibrary(), openBlas(QUERNEL_TEST_OPENBLAS));
  return blas;
}

std::string calls() { return reinterpret_cast<const char *(*)()>(dlsym(testLibrary(), "quernel_test_calls"))(); }

/// Memory with small integers in it, so that every order of summation gives the same.
template <typename T> std::vector<T> numbers(size_t count, int seed) {
  std::vector<T> values(count);
  for (size_t k = 0; k < count; ++k)
    values[k] = T(int((k * 37 + seed * 11) % 23) - 11);
  return values;
}

struct Case {
  const char *name;
  int64_t m, n, k;
  int64_t aRow, aColumn, bRow, bColumn;
  const char *expected;
};

constexpr Case cases[] = {
    {"contiguous", 3, 4, 5, 5, 1, 4, 1, "gemm NN; "},
    {"a transposed", 3, 4, 5, 1, 3, 4, 1, "gemm TN; "},
    {"b transposed", 3, 4, 5, 5, 1, 1, 5, "gemm NT; "},
    {"both transposed", 3, 4, 5, 1, 3, 1, 5, "gemm TT; "},
    {"rows apart", 3, 4, 5, 9, 1, 7, 1, "gemm NN; "},
    {"a with steps", 3, 4, 5, 20, 2, 4, 1, "gemm NN; "},
    {"a transposed with steps", 3, 4, 5, 2, 20, 4, 1, "gemm TN; "},
    {"both with steps", 3, 4, 5, 20, 2, 30, 3, "gemm NN; "},
    {"a reversed", 3, 4, 5, -5, 1, 4, 1, "gemm NN; "},
    {"a broadcast along its rows", 3, 4, 5, 0, 1, 4, 1, "gemm TN; "},
    {"inner product", 1, 1, 5, 5, 1, 1, 1, "dot; "},
    {"inner product with steps", 1, 1, 5, 9, 3, 2, 1, "dot; "},
    {"inner product, reversed", 1, 1, 5, 5, -1, 1, 1, ""},
    {"vector by matrix", 1, 4, 5, 5, 1, 4, 1, "gemv rowT; "},
    {"vector by transposed matrix", 1, 4, 5, 5, 1, 1, 5, "gemv columnT; "},
    {"matrix by vector", 3, 1, 5, 5, 1, 1, 1, "gemv columnT; "},
    {"transposed matrix by vector", 3, 1, 5, 1, 3, 1, 1, "gemv rowT; "},
    {"matrix by vector with steps", 3, 1, 5, 5, 1, 2, 1, "gemv columnT; "},
    {"matrix by reversed vector", 3, 1, 5, 5, 1, -1, 1, ""},
    {"matrix with steps by vector", 3, 1, 5, 20, 2, 1, 1, ""},
    {"outer product", 3, 4, 1, 1, 1, 4, 1, ""},
    {"one by one and vector", 1, 4, 1, 1, 1, 4, 1, ""},
};

template <typename T> void check(const Case &test, const Blas *blas, const char *expected) {
  constexpr size_t middle = 200;
  auto aValues = numbers<T>(2 * middle, 1), bValues = numbers<T>(2 * middle, 2);
  Matrix<const T> a{aValues.data() + middle, test.aRow, test.aColumn},
      b{bValues.data() + middle, test.bRow, test.bColumn};
  std::vector<T> out(test.m * test.n, std::numeric_limits<T>::quiet_NaN());
  calls();
  multiply<T>(blas, a, b, out.data(), test.m, test.n, test.k);
  EXPECT_EQ(calls(), expected) << test.name;
  for (int64_t i = 0; i < test.m; ++i)
    for (int64_t j = 0; j < test.n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < test.k; ++l)
        sum += a.data[i * a.row + l * a.column] * b.data[l * b.row + j * b.column];
      EXPECT_EQ(out[i * test.n + j], sum) << test.name << " at " << i << ", " << j;
    }
}

} // namespace

TEST(Matmul, ChoosesAsNumPyDoes) {
  ASSERT_EQ(testBlas().library, QUERNEL_TEST_OPENBLAS);
  for (const Case &test : cases) {
    check<double>(test, &testBlas(), test.expected);
    check<float>(test, &testBlas(), test.expected);
  }
}

TEST(Matmul, WorksWithoutABlas) {
  for (const Case &test : cases) {
    check<double>(test, nullptr, "");
    check<float>(test, nullptr, "");
  }
}

TEST(Matmul, TakesSyrkForAMatrixByItsTranspose) {
  auto values = numbers<double>(15, 3);
  std::vector<double> out(25), same(25);
  const Matrix<const double> a{values.data(), 5, 1};
  for (auto [left, rows, expected] : {std::tuple(a, 3, "syrk N; "), std::tuple(a.transposed(), 5, "syrk T; ")}) {
    calls();
    multiply<double>(&testBlas(), left, left.transposed(), out.data(), rows, rows, 15 / rows);
    EXPECT_EQ(calls(), expected);
    multiply<double>(nullptr, left, left.transposed(), same.data(), rows, rows, 15 / rows);
    EXPECT_EQ(out, same);
  }
}

TEST(Matmul, TakesGemmForATransposeInOtherMemory) {
  auto values = numbers<double>(15, 3), copy = values;
  std::vector<double> out(9);
  calls();
  multiply<double>(&testBlas(), {values.data(), 5, 1}, {copy.data(), 1, 5}, out.data(), 3, 3, 5);
  EXPECT_EQ(calls(), "gemm NT; ");
}

TEST(Matmul, FillsWithZerosWhereNothingIsSummed) {
  for (const Blas *blas : {&testBlas(), static_cast<const Blas *>(nullptr)}) {
    std::vector<double> out(6, 9.0);
    calls();
    multiply<double>(blas, {nullptr, 0, 1}, {nullptr, 3, 1}, out.data(), 2, 3, 0);
    EXPECT_EQ(calls(), "");
    EXPECT_EQ(out, std::vector<double>(6, 0.0));
  }
}

TEST(Matmul, WritesNothingWhereThereIsNoOutput) {
  double value = 1, out = 9;
  multiply<double>(&testBlas(), {&value, 1, 1}, {&value, 0, 1}, &out, 1, 0, 1);
  multiply<double>(&testBlas(), {&value, 1, 1}, {&value, 1, 1}, &out, 0, 1, 1);
  EXPECT_EQ(out, 9);
}

TEST(Matmul, MultipliesABatch) {
  auto a = numbers<double>(2 * 3 * 5, 1), b = numbers<double>(5 * 4, 2);
  std::vector<double> out(2 * 3 * 4), one(3 * 4);
  context(1).matmul_f64(a.data(), b.data(), out.data(), 2, 3, 4, 5, 15, 5, 1, 0, 4, 1);
  for (int64_t i = 0; i < 2; ++i) {
    multiply<double>(nullptr, {a.data() + 15 * i, 5, 1}, {b.data(), 4, 1}, one.data(), 3, 4, 5);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), out.begin() + 12 * i));
  }
  context(1).matmul_f64(nullptr, nullptr, nullptr, 0, 3, 4, 5, 15, 5, 1, 0, 4, 1);
}

TEST(Matmul, MultipliesABatchOfFloats) {
  auto a = numbers<float>(2 * 2, 1), b = numbers<float>(2 * 2 * 2, 2);
  std::vector<float> out(8), one(4);
  context(1).matmul_f32(a.data(), b.data(), out.data(), 2, 2, 2, 2, 0, 2, 1, 4, 1, 2);
  multiply<float>(nullptr, {a.data(), 2, 1}, {b.data() + 4, 1, 2}, one.data(), 2, 2, 2);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), out.begin() + 4));
}

TEST(Matmul, CarriesNaNThroughZero) {
  const double zero = 0, nan = std::nan("");
  double out = 0;
  multiply<double>(nullptr, {&zero, 1, 1}, {&nan, 1, 1}, &out, 1, 1, 1);
  EXPECT_TRUE(std::isnan(out));
}

TEST(Blas, IsFoundInTheProcess) {
  ASSERT_NE(testLibrary(), nullptr);
  const Blas *found = findBlas();
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->library.find("openblas"), std::string::npos);
  EXPECT_TRUE(found->wide);
  EXPECT_EQ(findBlas(), found);
}

TEST(Blas, IsNotWhatLacksItsFunctionsOrIsNotLoaded) {
  EXPECT_EQ(openBlas("/nowhere/libopenblas.so").library, "");
  void *other = dlopen(QUERNEL_TEST_KERNELS, RTLD_NOW);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(openBlas(QUERNEL_TEST_KERNELS).library, "");
  dlclose(other);
}
