// Fourier transforms by a function that the test lends: it writes down how it is called.
#include "runtime/Fourier.h"
#include "runtime/Context.h"
#include <array>
#include <atomic>
#include <complex>
#include <gtest/gtest.h>
#include <vector>

using namespace quernel::runtime;

namespace {

std::atomic<int64_t> calls, linesSeen;

/// The scaled line, cut or with zeros behind it.
void scaledCopy(char **operands, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  ++calls;
  linesSeen += dimensions[0];
  EXPECT_EQ(data, &calls);
  for (intptr_t line = 0; line < dimensions[0]; ++line) {
    const double scale = *reinterpret_cast<double *>(operands[1] + line * steps[1]);
    for (intptr_t k = 0; k < dimensions[2]; ++k) {
      auto &to = *reinterpret_cast<std::complex<double> *>(operands[2] + line * steps[2] + k * steps[4]);
      to = k < dimensions[1] ? scale * *reinterpret_cast<double *>(operands[0] + line * steps[0] + k * steps[3]) : 0;
    }
  }
}

int32_t transform(int32_t routine, const double *in, const double *scale, std::complex<double> *out,
                  const std::array<int64_t, 9> &strides, int64_t lines, int64_t points, int64_t results) {
  const qn_context &shared = context(2);
  void *operands[] = {const_cast<double *>(in), const_cast<double *>(scale), out};
  const int64_t sizes[] = {lines, points, results, 1};
  return shared.call(&shared, routine, QN_F64, operands, strides.data(), sizes);
}

class FourierTest : public testing::Test {
protected:
  void SetUp() override {
    calls = linesSeen = 0;
    lendTransform(QN_RFFT_EVEN, QN_F64, {scaledCopy, &calls});
  }
};

TEST_F(FourierTest, LinesOfAnyStrides) {
  const double in[] = {1, 2, 3, 4, 5, 6}, scale[] = {10, 100}; // the lines are columns
  std::complex<double> out[8];
  ASSERT_EQ(transform(QN_RFFT_EVEN, in, scale, out, {1, 2, 0, 1, 0, 0, 4, 1, 0}, 2, 3, 4), QN_OK);
  const double expected[] = {10, 30, 50, 0, 200, 400, 600, 0};
  for (int k = 0; k < 8; ++k)
    EXPECT_EQ(out[k], expected[k]);
}

TEST_F(FourierTest, ManyLinesAreBlocksForAllThreads) {
  constexpr int64_t lines = 4096, points = 512;
  std::vector<double> in(lines * points, 2);
  std::vector<std::complex<double>> out(lines * points);
  const double scale = 3;
  ASSERT_EQ(transform(QN_RFFT_EVEN, in.data(), &scale, out.data(), {points, 1, 0, 0, 0, 0, points, 1, 0}, lines, points,
                      points),
            QN_OK);
  EXPECT_EQ(linesSeen, lines);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(std::count(out.begin(), out.end(), std::complex<double>(6)), lines * points);
}

TEST_F(FourierTest, NoLines) {
  EXPECT_EQ(transform(QN_RFFT_EVEN, nullptr, nullptr, nullptr, {}, 0, 3, 4), QN_OK);
  EXPECT_EQ(calls, 0);
}

TEST_F(FourierTest, WhatNobodyLends) {
  EXPECT_EQ(transform(QN_IRFFT, nullptr, nullptr, nullptr, {}, 1, 3, 4), QN_NO_TRANSFORM);
  const int64_t sizes[] = {1, 3, 4, 1};
  EXPECT_EQ(context(2).call(&context(2), QN_FFT, QN_I64, nullptr, nullptr, sizes), QN_NO_TRANSFORM);
}

TEST_F(FourierTest, LinesThatNoMemoryHolds) {
  EXPECT_EQ(transform(QN_RFFT_EVEN, nullptr, nullptr, nullptr, {}, 1, int64_t(1) << 60, 4), QN_OUT_OF_MEMORY);
  EXPECT_EQ(transform(QN_RFFT_EVEN, nullptr, nullptr, nullptr, {}, 1, 4, int64_t(1) << 56), QN_OUT_OF_MEMORY);
  EXPECT_EQ(calls, 0);
}

} // namespace
