#include "runtime/Matmul.h"
#include "runtime/Context.h"
#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <sys/mman.h>
#include <vector>

using namespace quernel::runtime;

namespace {

void *testLibrary() {
  static void *library = dlopen(QUERNEL_TEST_OPENBLAS, RTLD_NOW);
  return library;
}

std::string calls();

const Blas &testBlas() {
  static const Blas blas = [] {
    testLibrary();
    Blas opened = openBlas(QUERNEL_TEST_OPENBLAS);
    calls(); // opening tries a call out
    return opened;
  }();
  return blas;
}

/// Stands in for NumPy's extension module, which brings its BLAS with it.
void *numpyModule() {
  static void *module = dlopen(QUERNEL_TEST_NUMPY, RTLD_NOW);
  return module;
}

const Blas &narrowBlas() {
  static const Blas blas = (numpyModule(), openBlas(QUERNEL_TEST_NUMPY));
  return blas;
}

/// The calls of both libraries since the last question.
std::string calls() {
  std::string result;
  for (void *library : {testLibrary(), numpyModule()})
    result += reinterpret_cast<const char *(*)()>(dlsym(library, "quernel_test_calls"))();
  return result;
}

/// Memory with small integers in it, so that every order of summation gives the same.
template <typename T> std::vector<T> numbers(size_t count, int seed) {
  std::vector<T> values(count);
  for (size_t k = 0; k < count; ++k)
    values[k] = T(int((k * 37 + seed * 11) % 23) - 11);
  if constexpr (isComplex<T>)
    for (size_t k = 0; k < count; ++k)
      values[k].im = int((k * 29 + seed * 7) % 19) - 9;
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
  std::vector<T> out(test.m * test.n, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
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
    check<Complex<double>>(test, &testBlas(), test.expected);
    check<Complex<float>>(test, &testBlas(), test.expected);
  }
}

TEST(Matmul, ChoosesTheSameWithNarrowIntegers) {
  ASSERT_EQ(narrowBlas().library, QUERNEL_TEST_NARROW);
  for (const Case &test : cases) {
    check<double>(test, &narrowBlas(), test.expected);
    check<float>(test, &narrowBlas(), test.expected);
    check<Complex<double>>(test, &narrowBlas(), test.expected);
    check<Complex<float>>(test, &narrowBlas(), test.expected);
  }
}

TEST(Matmul, SumsWhatIsTooLongInParts) {
  Blas blas = narrowBlas();
  blas.largest = 6;
  check<double>({"", 1, 1, 6, 6, 1, 2, 1, ""}, &blas, "dot; dot; ");
  check<double>({"", 1, 1, 4, 4, 1, 1, 1, ""}, &blas, "dot; ");
  check<Complex<float>>({"", 1, 1, 6, 6, 1, 2, 1, ""}, &blas, "dot; dot; ");
}

TEST(Matmul, PassesNothingThatDoesNotFit) {
  Blas blas = narrowBlas();
  blas.largest = 6;
  check<double>({"rows", 7, 3, 4, 4, 1, 3, 1, ""}, &blas, "");
  check<double>({"columns", 3, 7, 4, 4, 1, 7, 1, ""}, &blas, "");
  check<double>({"sums", 1, 1, 7, 7, 1, 1, 1, ""}, &blas, "");
  check<double>({"row stride, copied", 3, 4, 5, 9, 1, 4, 1, ""}, &blas, "gemm NN; ");
  check<double>({"step of a vector", 3, 1, 5, 5, 1, 7, 1, ""}, &blas, "");
  check<double>({"step of an inner product", 1, 1, 5, 5, 1, 7, 1, ""}, &blas, "");
}

TEST(Matmul, CopiesWhatIsTooFarApartForNarrowIntegers) {
  constexpr int64_t apart = int64_t(1) << 31;
  constexpr size_t bytes = (apart + 2) * sizeof(float);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "no room for 8 GiB of addresses";
  auto *a = static_cast<float *>(memory);
  a[0] = 1, a[1] = 2, a[apart] = 3, a[apart + 1] = 4;
  const float b[] = {5, 6, 7, 8};
  for (const Blas *blas : {&narrowBlas(), &testBlas()}) {
    std::vector<float> out(4);
    calls();
    multiply<float>(blas, {a, apart, 1}, {b, 2, 1}, out.data(), 2, 2, 2);
    EXPECT_EQ(calls(), "gemm NN; ");
    EXPECT_EQ(out, (std::vector<float>{19, 22, 43, 50}));
  }
  munmap(memory, bytes);
}

TEST(Matmul, WorksWithoutABlas) {
  for (const Case &test : cases) {
    check<double>(test, nullptr, "");
    check<float>(test, nullptr, "");
    check<Complex<double>>(test, nullptr, "");
    check<Complex<float>>(test, nullptr, "");
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
  matmul<double>(&context(1), a.data(), b.data(), out.data(), 2, 3, 4, 5, 15, 5, 1, 0, 4, 1);
  for (int64_t i = 0; i < 2; ++i) {
    multiply<double>(nullptr, {a.data() + 15 * i, 5, 1}, {b.data(), 4, 1}, one.data(), 3, 4, 5);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), out.begin() + 12 * i));
  }
  matmul<double>(&context(1), nullptr, nullptr, nullptr, 0, 3, 4, 5, 15, 5, 1, 0, 4, 1);
}

TEST(Matmul, MultipliesABatchOfFloats) {
  auto a = numbers<float>(2 * 2, 1), b = numbers<float>(2 * 2 * 2, 2);
  std::vector<float> out(8), one(4);
  matmul<float>(&context(1), a.data(), b.data(), out.data(), 2, 2, 2, 2, 0, 2, 1, 4, 1, 2);
  multiply<float>(nullptr, {a.data(), 2, 1}, {b.data() + 4, 1, 2}, one.data(), 2, 2, 2);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), out.begin() + 4));
}

TEST(Matmul, MultipliesRowsOfABatchAtOnce) {
  const int64_t batch = 6, n = 9, k = 10;
  auto a = numbers<double>(4 * batch * k, 1), b = numbers<double>(k * n, 2);
  struct Rows {
    int64_t m, next, row, column;
    const char *expected;
  };
  testLibrary();
  findBlas();
  const char *one = "gemm NN; ", *vectors = "gemv rowT; gemv rowT; gemv rowT; gemv rowT; gemv rowT; gemv rowT; ";
  for (const Rows &rows : {Rows{1, k, 0, 1, one},
                           {1, k + 3, 0, 1, one},
                           {2, 2 * k, k, 1, one},
                           {1, 1, 0, batch, "gemm TN; "},
                           {1, 0, 0, 1, vectors},
                           {1, 2 * k, 0, 2, vectors}}) {
    std::vector<double> out(batch * rows.m * n), expected(rows.m * n);
    calls();
    matmul<double>(&context(1), a.data(), b.data(), out.data(), batch, rows.m, n, k, rows.next, rows.row, rows.column,
                   0, n, 1);
    EXPECT_EQ(calls(), rows.expected) << rows.next;
    for (int64_t i = 0; i < batch; ++i) {
      multiply<double>(nullptr, {a.data() + i * rows.next, rows.row, rows.column}, {b.data(), n, 1}, expected.data(),
                       rows.m, n, k);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + i * rows.m * n)) << rows.next;
    }
  }
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
  EXPECT_TRUE(found->f64.complete());
  EXPECT_TRUE(found->f32.complete());
  EXPECT_EQ(findBlas(), found);
}

TEST(Blas, IsTheOneThatNumPyIsLinkedTo) {
  ASSERT_NE(testLibrary(), nullptr);
  ASSERT_NE(numpyModule(), nullptr);
  const Blas found = searchBlas();
  EXPECT_EQ(found.library, QUERNEL_TEST_NARROW);
  EXPECT_EQ(found.f64.gemm, narrowBlas().f64.gemm);
  EXPECT_FALSE(found.wide);
  EXPECT_EQ(found.largest, INT32_MAX - 1);
}

TEST(Blas, HasTheIntegersThatItReads) {
  EXPECT_TRUE(testBlas().wide);
  EXPECT_EQ(testBlas().largest, INT64_MAX - 1);
  EXPECT_FALSE(narrowBlas().wide);
}

TEST(Blas, IsNotWhatLacksItsFunctionsOrIsNotLoaded) {
  EXPECT_EQ(openBlas("/nowhere/libopenblas.so").library, "");
  void *other = dlopen(QUERNEL_TEST_KERNELS, RTLD_NOW);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(openBlas(QUERNEL_TEST_KERNELS).library, "");
  dlclose(other);
}
