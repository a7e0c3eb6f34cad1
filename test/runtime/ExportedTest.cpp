#include "runtime/exported/Function.h"

#include <gtest/gtest.h>

using namespace quernel::exported::plain;

namespace {

/// As the struct that a generated header has for arrays of two axes.
struct Matrix {
  void *data;
  int64_t shape[2];
  int64_t strides[2];
};
struct Vector {
  void *data;
  int64_t shape[1];
  int64_t strides[1];
};

/// The sums of rows, times a factor; ends with the first error where the factor is 0.
int32_t sums(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  const auto *x = static_cast<const double *>(buffers[0]);
  const double factor = *static_cast<const double *>(buffers[1]);
  auto *result = static_cast<double *>(buffers[2]);
  if (!result)
    return QN_OUT_OF_MEMORY;
  if (factor == 0) {
    const int64_t numbers[] = {sizes[0], sizes[1]};
    return context->fail(context, QN_FIRST_ERROR, numbers, 2);
  }
  for (int64_t row = 0; row < sizes[0]; ++row) {
    result[row] = 0;
    for (int64_t k = 0; k < sizes[1]; ++k)
      result[row] += x[row * sizes[1] + k] * factor;
  }
  return QN_OK;
}

void sumsShapes(const int64_t *symbols, int64_t *dims) { dims[0] = symbols[0]; }

const int64_t dims[] = {-1, -2};
const Parameter parameters[] = {{"x", 8, 2, dims, 0, false}, {"factor", 8, -1, nullptr, 1, false}};
const Result results[] = {{"result", 0, -1, nullptr, false}};
const Output outputs[] = {{8, 1, nullptr}};
const Error errors[] = {{"ValueError: {0} rows of {1}, {{not}} of {7}", "", raised}};
const Program programs[] = {{0, sums, sumsShapes}};
const int64_t several[] = {2, 2}, any[] = {0, 0};
const Function ofAny = {"small_sums", {parameters, 2}, {results, 1}, {outputs, 1},
                        {errors, 1},  {programs, 1},   {any, 2},     2,
                        nullptr,      nullptr};
const Function ofSeveral = {
    "sums", {parameters, 2}, {results, 1}, {outputs, 1}, {errors, 1}, {programs, 1}, {several, 2}, 2, nullptr, nullptr};
const Function both = {"sums", {parameters, 2}, {results, 1}, {outputs, 1}, {errors, 1}, {programs, 1}, {several, 2},
                       2,      &ofAny,          nullptr};

class Exported : public testing::Test {
protected:
  int32_t run(const Function &function) {
    const void *const arguments[] = {&x, &factor, &result};
    return call(function, arguments);
  }

  double elements[6] = {1, 2, 3, 4, 5, 6};
  double found[2] = {};
  double factor = 2;
  Matrix x{elements, {2, 3}, {3, 1}};
  Vector result{found, {2}, {1}};
};

TEST_F(Exported, CallsTheProgram) {
  ASSERT_EQ(run(ofSeveral), ok);
  EXPECT_EQ(found[0], 12);
  EXPECT_EQ(found[1], 30);
  EXPECT_STREQ(lastError(), "");
}

TEST_F(Exported, GivesShapesAndStrides) {
  result = {nullptr, {-7}, {-7}};
  x.data = nullptr;
  const void *const arguments[] = {&x, &factor, &result};
  ASSERT_EQ(shapes(ofSeveral, arguments), ok);
  EXPECT_EQ(result.shape[0], 2);
  EXPECT_EQ(result.strides[0], 1);
}

TEST_F(Exported, CopiesWhatHasGaps) {
  x = {elements, {3, 2}, {1, 3}}; // the same elements, turned
  double three[6] = {};
  result = {three + 4, {3}, {-2}};
  ASSERT_EQ(run(ofSeveral), ok);
  EXPECT_EQ(three[4], 10);
  EXPECT_EQ(three[2], 14);
  EXPECT_EQ(three[0], 18);
  EXPECT_EQ(three[1] + three[3] + three[5], 0);
}

TEST_F(Exported, ComputesWithNothing) {
  x = {nullptr, {0, 3}, {3, 1}};
  result = {nullptr, {0}, {1}};
  EXPECT_EQ(run(ofAny), ok);
}

TEST_F(Exported, PutsNumbersIntoMessages) {
  factor = 0;
  ASSERT_EQ(run(ofSeveral), raised);
  EXPECT_STREQ(lastError(), "ValueError: 2 rows of 3, {not} of 0");
}

TEST_F(Exported, RefusesWhatDoesNotFit) {
  x.shape[1] = 1;
  ASSERT_EQ(run(ofSeveral), badArgument);
  EXPECT_STREQ(lastError(), "sums: axis 1 of `x` has size 1, and the function takes 2 and more");
  ASSERT_EQ(run(both), ok);
  x.shape[1] = -1;
  ASSERT_EQ(run(both), badArgument);
  EXPECT_STREQ(lastError(), "small_sums: axis 1 of `x` has size -1");
  x = {nullptr, {2, 3}, {3, 1}};
  ASSERT_EQ(run(both), badArgument);
  EXPECT_STREQ(lastError(), "sums: `x` has no data");
  x.data = elements;
  result.shape[0] = 3;
  ASSERT_EQ(run(both), badArgument);
  EXPECT_STREQ(lastError(), "sums: axis 0 of `result` has size 3, not 2");
  const void *const arguments[] = {&x, &factor, nullptr};
  ASSERT_EQ(call(both, arguments), badArgument);
  EXPECT_STREQ(lastError(), "sums: `result` is null");
}

TEST_F(Exported, ComputesApartWhereAResultLiesInAnArgument) {
  result.data = elements + 1;
  ASSERT_EQ(run(ofSeveral), ok);
  EXPECT_EQ(elements[1], 12);
  EXPECT_EQ(elements[2], 30);
}

TEST_F(Exported, NamesTheProcessor) {
  const Program above[] = {{9, sums, sumsShapes}};
  Function function = ofSeveral;
  function.programs = {above, 1};
  ASSERT_EQ(run(function), noProcessor);
  EXPECT_STREQ(lastError(), "sums: the library has no program for this processor");
}

TEST(ExportedView, KnowsItsMemory) {
  double elements[12];
  Matrix turned{elements, {3, 4}, {1, 3}}, backwards{elements + 11, {3, 4}, {-4, -1}}, none{nullptr, {0, 4}, {9, 9}};
  const int32_t axes[] = {1, 0};
  EXPECT_FALSE(View(&turned, 2, 8).isDense());
  EXPECT_TRUE(View(&turned, 2, 8).isDense(axes));
  EXPECT_FALSE(View(&backwards, 2, 8).isDense());
  EXPECT_TRUE(View(&none, 2, 8).isDense());
  const auto range = View(&backwards, 2, 8).range();
  EXPECT_EQ(range.first, reinterpret_cast<const char *>(elements));
  EXPECT_EQ(range.second, reinterpret_cast<const char *>(elements + 12));
  EXPECT_EQ(View(&turned, 2, 8).denseStrides(axes), (std::vector<int64_t>{1, 3}));
}

TEST(ExportedMemory, RefusesWhatNobodyHas) {
  EXPECT_EQ(allocate(-1), nullptr);
  EXPECT_EQ(allocate(INT64_MAX), nullptr);
  Memory memory(static_cast<char *>(allocate(0)));
  EXPECT_NE(memory, nullptr);
}

} // namespace
