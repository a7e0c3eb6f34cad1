// The standard library's way of sorting, which is NumPy's order, and what a process lends instead.
#include "runtime/Sorting.h"
#include "runtime/Complex.h"
#include "runtime/Context.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace quernel::runtime;

namespace {

constexpr double noNumber = NAN;

/// The rows of a contiguous array, sorted.
template <typename T, typename R = T>
std::vector<R> sorted(int32_t order, int32_t type, std::vector<T> values, int64_t rows = 1, int threads = 1,
                      std::vector<int64_t> positions = {}) {
  std::vector<R> out(values.size());
  const int64_t count = values.size() / rows;
  const int64_t strides[] = {count, 1, count, 1, 1};
  EXPECT_EQ(sortRows(&context(threads), order, type, values.data(), out.data(), strides, rows, count, positions.data(),
                     positions.size()),
            QN_OK);
  return out;
}

} // namespace

TEST(Sorting, PutsNanLast) {
  const std::vector<double> out = sorted<double>(QN_SORT, QN_F64, {2, noNumber, -1, INFINITY, -INFINITY});
  EXPECT_EQ(std::vector<double>(out.begin(), out.end() - 1), (std::vector<double>{-INFINITY, -1, 2, INFINITY}));
  EXPECT_TRUE(std::isnan(out.back()));
}

TEST(Sorting, GivesPlacesOfEqualElementsInOrder) {
  EXPECT_EQ((sorted<float, int64_t>(QN_ARGSORT_STABLE, QN_F32, {1, 0, 1, 0, float(noNumber)})),
            (std::vector<int64_t>{1, 3, 0, 2, 4}));
}

TEST(Sorting, KnowsSigns) {
  EXPECT_EQ(sorted<uint8_t>(QN_SORT, QN_U8, {200, 3, 127}), (std::vector<uint8_t>{3, 127, 200}));
  EXPECT_EQ(sorted<int8_t>(QN_SORT, QN_I8, {100, -3, 27}), (std::vector<int8_t>{-3, 27, 100}));
}

TEST(Sorting, OrdersComplexNumbersByRealParts) {
  using C = Complex<double>;
  const auto places = sorted<C, int64_t>(
      QN_ARGSORT_STABLE, QN_C128, {C(noNumber, 0), C(1, noNumber), C(2, 0), C(1, 3), C(1, -3), C(noNumber, noNumber)});
  EXPECT_EQ(places, (std::vector<int64_t>{4, 3, 2, 1, 0, 5}));
}

TEST(Sorting, SortsRowsInThreads) {
  std::vector<int64_t> values(64 * 1000), expected(values.size());
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = int64_t(k) * 7919 % 1000;
  for (size_t k = 0; k < values.size(); ++k)
    expected[k] = k % 1000;
  EXPECT_EQ(sorted<int64_t>(QN_SORT_STABLE, QN_I64, values, 64, 4), expected);
}

TEST(Sorting, FollowsStrides) {
  const int32_t values[] = {3, 9, 1, 9, 2, 9};
  int32_t out[] = {0, 0, 0, 0, 0, 0};
  const int64_t strides[] = {6, 2, 6, -2, 0};
  EXPECT_EQ(sortRows(&context(1), QN_SORT, QN_I32, values, out + 4, strides, 1, 3, nullptr, 0), QN_OK);
  EXPECT_EQ(std::vector<int32_t>(out, out + 6), (std::vector<int32_t>{3, 0, 2, 0, 1, 0}));
}

TEST(Sorting, SortsInPlaceAndNothing) {
  double values[] = {2, 1};
  const int64_t strides[] = {2, 1, 2, 1, 0};
  EXPECT_EQ(sortRows(&context(1), QN_SORT, QN_F64, values, values, strides, 1, 2, nullptr, 0), QN_OK);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(sortRows(&context(1), QN_SORT, QN_F64, values, values, strides, 0, 2, nullptr, 0), QN_OK);
  EXPECT_EQ(sortRows(&context(1), QN_SORT, QN_F64, values, values, strides, 1, 0, nullptr, 0), QN_OK);
}

TEST(Sorting, TakesWhatIsLent) {
  lendSortFunctions(QN_SORT_STABLE, QN_U16,
                    {[](void *elements, intptr_t count, void *) {
                       std::fill_n(static_cast<uint16_t *>(elements), count, uint16_t(7));
                       return 0;
                     },
                     [](void *, intptr_t *, intptr_t, void *) { return -1; }});
  EXPECT_EQ(sorted<uint16_t>(QN_SORT_STABLE, QN_U16, {3, 1}), (std::vector<uint16_t>{7, 7}));
  const uint16_t values[] = {3, 1};
  int64_t places[2];
  const int64_t strides[] = {2, 1, 2, 1, 0};
  EXPECT_EQ(sortRows(&context(1), QN_ARGSORT_STABLE, QN_U16, values, places, strides, 1, 2, nullptr, 0),
            QN_OUT_OF_MEMORY);
}

TEST(Sorting, PutsWhatIsWantedInItsPlace) {
  const std::vector<double> values = {5, noNumber, 1, 4, 2, 3, 0};
  const std::vector<double> out = sorted<double>(QN_PARTITION, QN_F64, values, 1, 1, {5, 2, 2});
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[5], 5);
  EXPECT_TRUE(std::isnan(out[6]));
  EXPECT_LE(std::max(out[0], out[1]), 2);
  EXPECT_GE(std::min(out[3], out[4]), 2);
}

TEST(Sorting, PartitionsRowsOfBytes) {
  EXPECT_EQ(sorted<uint8_t>(QN_PARTITION, QN_U8, {3, 200, 1, 7, 9, 8}, 2, 1, {0, 1, 2}),
            (std::vector<uint8_t>{1, 3, 200, 7, 8, 9}));
}

TEST(Sorting, SortsLongRowsInPieces) {
  const int64_t count = (int64_t(1) << 19) + 12345;
  std::vector<int32_t> values(count);
  for (int64_t k = 0; k < count; ++k)
    values[k] = int32_t(uint32_t(k) * 2654435761u % 1000);
  std::vector<int32_t> expected = values;
  std::ranges::stable_sort(expected);
  EXPECT_EQ(sorted<int32_t>(QN_SORT, QN_I32, values), expected);
  const std::vector<int64_t> places = sorted<int32_t, int64_t>(QN_ARGSORT_STABLE, QN_I32, values);
  for (int64_t k = 1; k < count; ++k) {
    const int32_t before = values[places[k - 1]], after = values[places[k]];
    ASSERT_TRUE(before < after || (before == after && places[k - 1] < places[k])) << k;
  }
}

/// Numbers without an order, of which many are equal.
static std::vector<double> scattered(int64_t count, int64_t different) {
  std::vector<double> values(count);
  for (int64_t k = 0; k < count; ++k)
    values[k] = double(k * 2654435761 % 4294967296 % different) - double(different / 2);
  return values;
}

TEST(Sorting, SharesLongRowsAmongThreads) {
  const int64_t piece = 1 << 18;
  for (int64_t count : {piece + 1, 2 * piece, 3 * piece - 1, 5 * piece + 7})
    for (int64_t different : {int64_t(3), int64_t(1) << 31}) {
      std::vector<double> values = scattered(count, different), expected = values;
      values[count / 2] = expected[count / 2] = noNumber;
      std::vector<int64_t> places(count);
      std::iota(places.begin(), places.end(), 0);
      auto before = [&](int64_t a, int64_t b) {
        return values[a] < values[b] || (std::isnan(values[b]) && !std::isnan(values[a]));
      };
      std::ranges::stable_sort(places, before);
      for (int threads : {1, 2, 5}) {
        EXPECT_EQ((sorted<double, int64_t>(QN_ARGSORT_STABLE, QN_F64, values, 1, threads)), places) << count;
        const std::vector<double> out = sorted<double>(QN_SORT, QN_F64, values, 1, threads);
        bool isSame = std::isnan(out.back());
        for (int64_t k = 0; k + 1 < count; ++k)
          isSame &= out[k] == values[places[k]];
        EXPECT_TRUE(isSame) << count << " " << different << " " << threads;
      }
    }
}

TEST(Sorting, FindsPositionsOfLongRows) {
  for (int64_t count : {int64_t(1) << 15, (int64_t(1) << 15) + 3, int64_t(200001)})
    for (int64_t different : {int64_t(1), int64_t(3), int64_t(1) << 31})
      for (bool isSorted : {false, true}) {
        std::vector<double> values = scattered(count, different), expected = values;
        std::ranges::sort(expected);
        if (isSorted)
          values = expected;
        const std::vector<int64_t> wanted = {0, 1, count / 3, count / 2 - 1, count / 2, count - 2, count - 1};
        const std::vector<double> out = sorted<double>(QN_PARTITION, QN_F64, values, 1, 1, wanted);
        for (int64_t position : wanted)
          EXPECT_EQ(out[position], expected[position]) << count << " " << different << " " << position;
      }
}

TEST(Sorting, FindsPositionsWhereASampleIsWrong) {
  // Every place that the sample looks at has one value.
  const int64_t count = 1 << 16, step = count / 512;
  std::vector<int32_t> values(count), expected;
  for (int64_t k = 0; k < count; ++k)
    values[k] = k % step == 0 ? 7 : int32_t(k * 40503 % 65536);
  expected = values;
  std::ranges::sort(expected);
  const std::vector<int64_t> wanted = {5, count / 2, count - 1};
  const std::vector<int32_t> out = sorted<int32_t>(QN_PARTITION, QN_I32, values, 1, 1, wanted);
  for (int64_t position : wanted)
    EXPECT_EQ(out[position], expected[position]);
}

TEST(Sorting, PutsNanBehindThePositionsOfLongRows) {
  std::vector<float> values(40000);
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = k % 2 ? float(noNumber) : float(k);
  const std::vector<float> out = sorted<float>(QN_PARTITION, QN_F32, values, 1, 1, {10, 39999});
  EXPECT_EQ(out[10], 20);
  EXPECT_TRUE(std::isnan(out[39999]));
}

TEST(Sorting, LeavesRowsAsTheyAreWhereItIsStopped) {
  static int polls;
  for (int32_t order : {QN_SORT, QN_SORT_STABLE}) {
    qn_context stopped = context(1);
    stopped.poll = []() -> int32_t { return ++polls < 4 ? QN_OK : QN_INTERRUPTED; };
    std::vector<int64_t> values(3 << 18), before;
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = int64_t(k) * 7919 % 100003;
    before = values;
    const int64_t count = values.size(), strides[] = {count, 1, count, 1, 1};
    polls = 0;
    EXPECT_EQ(sortRows(&stopped, order, QN_I64, values.data(), values.data(), strides, 1, count, nullptr, 0),
              QN_INTERRUPTED);
    EXPECT_EQ(values, before);
  }
}

TEST(Sorting, PartitionsAsNumpyWhereSomebodyLendsThat) {
  double values[] = {3, 1, 2}, out[3];
  int64_t positions[] = {1};
  const int64_t strides[] = {3, 1, 3, 1, 1};
  EXPECT_EQ(sortRows(&context(1), QN_INTROSELECT, QN_F64, values, out, strides, 1, 3, positions, 1), QN_NO_ROUTINE);
  lendPartition(
      [](int32_t type, void *elements, intptr_t *places, intptr_t count, const int64_t *kth, intptr_t wanted) {
        EXPECT_EQ(type, QN_F64);
        EXPECT_EQ(places, nullptr);
        EXPECT_EQ(kth[0], 1);
        EXPECT_EQ(wanted, 1);
        std::reverse(static_cast<double *>(elements), static_cast<double *>(elements) + count);
        return true;
      });
  EXPECT_EQ(sortRows(&context(1), QN_INTROSELECT, QN_F64, values, out, strides, 1, 3, positions, 1), QN_OK);
  EXPECT_EQ(std::vector<double>(out, out + 3), (std::vector<double>{2, 1, 3}));
  lendPartition([](int32_t, void *, intptr_t *, intptr_t, const int64_t *, intptr_t) { return false; });
  EXPECT_EQ(sortRows(&context(1), QN_INTROSELECT, QN_F64, values, out, strides, 1, 3, positions, 1), QN_OUT_OF_MEMORY);
  lendPartition(nullptr);
}
