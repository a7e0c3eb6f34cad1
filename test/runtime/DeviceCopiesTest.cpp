#include "runtime/device/DeviceCopies.h"
#include "StandInDriver.h"
#include "runtime/Interrupts.h"
#include "runtime/device/DeviceCall.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr const char *kernelNames[] = {"add", nullptr};
constexpr char text[] = {'P', 'T', 'X'};
constexpr qn_binary binaries[] = {{text, sizeof text, 80, true}, {}};
constexpr qn_image images[] = {{binaries, kernelNames}, {}};
constexpr int64_t count = 1 << 17; // doubles of an array that is copied late
constexpr qn_grid oneThread{{1, 1, 1}, {1, 1, 1}, 0};

using Values = std::vector<double>;

const qn_device &deviceOf(const qn_context *context) { return *reinterpret_cast<const qn_device *>(context); }

int32_t add(const qn_context *context, void *a, void *b, void *out, int64_t elements = count) {
  void *arguments[] = {&a, &b, &out, &elements};
  return deviceOf(context).launch(&deviceOf(context), 0, &oneThread, arguments);
}

/// A device with a kernel that adds arrays of doubles, which does nothing before somebody waits for it.
struct StandIn {
  StandIn() {
    driver.kernels["add"] = {4, [](const uint64_t *arguments) {
                               const auto *a = reinterpret_cast<const double *>(arguments[0]);
                               const auto *b = reinterpret_cast<const double *>(arguments[1]);
                               auto *out = reinterpret_cast<double *>(arguments[2]);
                               for (uint64_t k = 0; k < arguments[3]; ++k)
                                 out[k] = a[k] + b[k];
                             }};
    within = this;
  }

  int32_t run(qn_entry entry, std::vector<HostBuffer> buffers) {
    driver.done.clear();
    DeviceProgram program(entry, images, device);
    ErrorNote error;
    const int32_t code = runOnDevice(program, 1, buffers, nullptr, error);
    EXPECT_EQ(driver.contexts, 0);
    EXPECT_EQ(device.memory().statistics().allocated, 0U);
    return code;
  }

  /// The place of some work of a stream among what is done; the first or the last one.
  size_t placeOf(const std::string &work) const { return std::ranges::find(driver.done, work) - driver.done.begin(); }
  size_t lastPlaceOf(const std::string &work) const {
    return driver.done.size() - 1 - (std::find(driver.done.rbegin(), driver.done.rend(), work) - driver.done.rbegin());
  }

  StandInDriver driver;
  const Driver table = driver.table();
  Device device{table, 0};
  static inline StandIn *within = nullptr; ///< for entries
};

/// The handles of the thread's stream, and of those that the first call takes for copies to the device and from there.
constexpr uintptr_t own = 7, up = 8;

HostBuffer arrayOf(Values &values, bool isWritten = false) {
  return {values.data(), HostBuffer::array, 0, int64_t(values.size()) * 8, isWritten};
}
HostBuffer resultOf(Values &values) { return {values.data(), HostBuffer::result, 0, int64_t(values.size()) * 8}; }

Values numbersFrom(double first, int64_t elements = count) {
  Values all(elements);
  std::iota(all.begin(), all.end(), first);
  return all;
}
Values sumOf(const Values &a, const Values &b) {
  Values all(a.size());
  std::ranges::transform(a, b, all.begin(), std::plus());
  return all;
}

/// buffers: a, b, a + a, b + b
int32_t addBoth(const qn_context *context, void *const *buffers, const int64_t *) {
  const int32_t code = add(context, buffers[0], buffers[0], buffers[2]);
  return code == QN_OK ? add(context, buffers[1], buffers[1], buffers[3]) : code;
}

} // namespace

TEST(DeviceCopies, AreMadeWhileKernelsRun) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(-7), twiceA(count), twiceB(count);
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(standIn.run(addBoth, {arrayOf(a), arrayOf(b), resultOf(twiceA), resultOf(twiceB)}), QN_OK);
    EXPECT_EQ(twiceA, sumOf(a, a));
    EXPECT_EQ(twiceB, sumOf(b, b));
    // The second array isn't waited for by the first kernel, and the first result doesn't wait for the second kernel.
    EXPECT_EQ(standIn.driver.done,
              (std::vector<std::string>{"up 8", "kernel 7", "down 9", "up 8", "kernel 7", "down 7"}));
    a = sumOf(a, b);
    std::ranges::fill(twiceA, 0);
  }
  EXPECT_EQ(standIn.driver.allocations, 2) << "each call has the memory of the first one";
}

TEST(DeviceCopies, MoveSmallArraysInTheThreadsStream) {
  StandIn standIn;
  constexpr int64_t few = 1000;
  Values a = numbersFrom(1, few), b = numbersFrom(2, few), out(few);
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    return add(context, buffers[0], buffers[1], buffers[2], few);
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), arrayOf(b), resultOf(out)}), QN_OK);
  EXPECT_EQ(out, sumOf(a, b));
  EXPECT_EQ(standIn.driver.done, (std::vector<std::string>{"up 7", "up 7", "kernel 7", "down 7"}));
}

TEST(DeviceCopies, WaitForWhatUsedTheirMemory) {
  StandIn standIn;
  Values a = numbersFrom(1), out(count);
  void *before = standIn.device.allocate(count * 8), *kept = standIn.device.allocate(8);
  const double old = 5;
  standIn.device.write(before, &old, 8);
  standIn.device.copy(kept, before, 8);
  standIn.device.memory().release(before); // the call gets it, and nothing has been done
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const int32_t code = add(context, buffers[0], buffers[0], buffers[1]);
    StandIn::within->driver.finish(up); // as early as may be
    return code;
  };
  const HostBuffer all[] = {arrayOf(a), resultOf(out)};
  DeviceProgram entered(program, images, standIn.device);
  ErrorNote error;
  ASSERT_EQ(runOnDevice(entered, 1, all, nullptr, error), QN_OK);
  double seen = 0;
  standIn.device.read(&seen, kept, 8);
  EXPECT_EQ(seen, old);
  EXPECT_EQ(out, sumOf(a, a));
  standIn.device.memory().release(kept);
}

TEST(DeviceCopies, LeaveOutWhatNothingUses) {
  StandIn standIn;
  Values a = numbersFrom(1), never = numbersFrom(3), written = numbersFrom(4), out(count);
  const Values before = written;
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    return add(context, buffers[0], buffers[0], buffers[3]);
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), arrayOf(never), arrayOf(written, true), resultOf(out)}), QN_OK);
  EXPECT_EQ(out, sumOf(a, a));
  EXPECT_EQ(written, before);
  EXPECT_EQ(standIn.driver.bytesToDevice, size_t(count) * 8);
  EXPECT_EQ(standIn.driver.bytesToHost, size_t(count) * 8);
}

TEST(DeviceCopies, KeepTheOrderOfWhatIsWrittenInPlace) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(10), out(count);
  // a += b; out = a + a; a += b
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    void *a = buffers[0], *b = buffers[1], *out = buffers[2];
    for (auto [left, right, to] : {std::array{a, b, a}, std::array{a, a, out}, std::array{a, b, a}})
      if (const int32_t code = add(context, left, right, to))
        return code;
    return QN_OK;
  };
  const Values once = sumOf(a, b), twice = sumOf(once, b), sum = sumOf(once, once);
  ASSERT_EQ(standIn.run(program, {arrayOf(a, true), arrayOf(b), resultOf(out)}), QN_OK);
  EXPECT_EQ(a, twice);
  EXPECT_EQ(out, sum);
  EXPECT_LT(standIn.placeOf("down 9"), standIn.lastPlaceOf("kernel 7"));
}

TEST(DeviceCopies, OfResultsComeBehindTheirLastUse) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(10), out(count), other(count);
  // out = a + a; other = b + b; out += other
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const int32_t code = addBoth(context, buffers, nullptr);
    return code == QN_OK ? add(context, buffers[2], buffers[3], buffers[2]) : code;
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), arrayOf(b), resultOf(out), resultOf(other)}), QN_OK);
  EXPECT_EQ(out, sumOf(sumOf(a, a), sumOf(b, b)));
  EXPECT_EQ(other, sumOf(b, b));
}

TEST(DeviceCopies, OfArraysThatOverlapAreOne) {
  StandIn standIn;
  Values all = numbersFrom(1, count + 8), b = numbersFrom(2), out(count);
  const HostBuffer first{all.data(), HostBuffer::array, 0, count * 8, true},
      shifted{all.data() + 8, HostBuffer::array, 0, count * 8};
  // first += b; out = shifted + shifted
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const int32_t code = add(context, buffers[0], buffers[2], buffers[0]);
    return code == QN_OK ? add(context, buffers[1], buffers[1], buffers[3]) : code;
  };
  Values expected = all, twice(count);
  for (int64_t k = 0; k < count; ++k)
    expected[k] += b[k];
  for (int64_t k = 0; k < count; ++k)
    twice[k] = 2 * expected[k + 8];
  ASSERT_EQ(standIn.run(program, {first, shifted, arrayOf(b), resultOf(out)}), QN_OK);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(out, twice);
}

TEST(DeviceCopies, AreThereForReadsAndWrites) {
  StandIn standIn;
  Values a = numbersFrom(3), b = numbersFrom(4), out(count);
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    const qn_device &device = deviceOf(context);
    auto *a = static_cast<double *>(buffers[0]);
    const double written = -1;
    double read = 0;
    if (const int32_t code = device.write(&device, a, &written, 8))
      return code;
    if (const int32_t code = device.read(&device, &read, a + 1, 8))
      return code;
    EXPECT_EQ(read, 4);
    // The device had work, so the host has sent the rest while it waited.
    EXPECT_EQ(StandIn::within->driver.bytesToDevice, size_t(count) * 16 + 8);
    return add(context, a, buffers[1], buffers[2]);
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), arrayOf(b), resultOf(out)}), QN_OK);
  EXPECT_EQ(out[0], -1 + 4);
  EXPECT_EQ(out[1], 4 + 5);
  EXPECT_EQ(a[0], 3);
}

TEST(DeviceCopies, AreThereForRoutines) {
  StandIn standIn;
  Values a = numbersFrom(-count), sorted(count);
  std::ranges::reverse(a);
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    void *operands[] = {buffers[0], buffers[1]};
    const int64_t strides[] = {0, 1, 0, 0, 1, 0}, sizes[] = {1, count, 1, 1};
    return context->call(context, QN_SORT, QN_F64, operands, strides, sizes);
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), resultOf(sorted)}), QN_OK);
  EXPECT_EQ(sorted, numbersFrom(-count));
}

TEST(DeviceCopies, AllWaitWhereTheDriverTellsNoParameters) {
  StandIn standIn;
  standIn.driver.tellsParameters = false;
  Values a = numbersFrom(1), b = numbersFrom(2), twiceA(count), twiceB(count);
  ASSERT_EQ(standIn.run(addBoth, {arrayOf(a), arrayOf(b), resultOf(twiceA), resultOf(twiceB)}), QN_OK);
  EXPECT_EQ(twiceA, sumOf(a, a));
  EXPECT_EQ(twiceB, sumOf(b, b));
  EXPECT_EQ(standIn.driver.done,
            (std::vector<std::string>{"up 8", "up 8", "kernel 7", "kernel 7", "down 7", "down 7"}));
}

TEST(DeviceCopies, NeedNoPinnedMemory) {
  StandIn standIn;
  standIn.driver.pinnedPieces = 0;
  Values a = numbersFrom(1), b = numbersFrom(2), twiceA(count), twiceB(count);
  ASSERT_EQ(standIn.run(addBoth, {arrayOf(a), arrayOf(b), resultOf(twiceA), resultOf(twiceB)}), QN_OK);
  EXPECT_EQ(twiceA, sumOf(a, a));
  EXPECT_EQ(twiceB, sumOf(b, b));
}

TEST(DeviceCopies, GiveNoResultsOfAProgramThatFails) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(2), out(count), more(count);
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    if (const int32_t code = add(context, buffers[0], buffers[0], buffers[2]))
      return code;
    if (const int32_t code = add(context, buffers[1], buffers[1], buffers[1]))
      return code;
    return context->fail(context, QN_FIRST_ERROR, nullptr, 0);
  };
  const Values twice = sumOf(b, b);
  ASSERT_EQ(standIn.run(program, {arrayOf(a), arrayOf(b, true), resultOf(out)}), QN_FIRST_ERROR);
  EXPECT_EQ(b, twice);
  EXPECT_EQ(out, Values(count));
  EXPECT_EQ(standIn.run(addBoth, {arrayOf(a), arrayOf(b), resultOf(out), resultOf(more)}), QN_OK);
  EXPECT_EQ(out, sumOf(a, a));
}

TEST(DeviceCopies, LeaveArgumentsAloneWhereTheDeviceFails) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(2), out(count);
  const Values before = a;
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    if (const int32_t code = add(context, buffers[0], buffers[0], buffers[0]))
      return code;
    StandIn::within->driver.lateCode = 700;
    return add(context, buffers[1], buffers[1], buffers[2]);
  };
  EXPECT_EQ(standIn.run(program, {arrayOf(a, true), arrayOf(b), resultOf(out)}), QN_DEVICE_FAILED);
  EXPECT_EQ(a, before);
}

TEST(DeviceCopies, EndWithTheUsersStop) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(2), twiceA(count), twiceB(count);
  const std::vector<HostBuffer> buffers = {arrayOf(a), arrayOf(b), resultOf(twiceA), resultOf(twiceB)};
  standIn.driver.isStuck = true;
  setInterruptCheck([] { return int32_t(QN_INTERRUPTED); });
  EXPECT_EQ(standIn.run(addBoth, buffers), QN_INTERRUPTED);
  setInterruptCheck(nullptr);
  standIn.driver.isStuck = false;
  // What was under way is done before the next call's work in the same memory.
  std::ranges::swap_ranges(a, b);
  std::ranges::fill(twiceA, 0);
  ASSERT_EQ(standIn.run(addBoth, buffers), QN_OK);
  EXPECT_EQ(twiceA, sumOf(a, a));
  EXPECT_EQ(twiceB, sumOf(b, b));
}

TEST(DeviceCopies, ThatAreStoppedComeBeforeWhatUsesTheirMemoryNext) {
  StandIn standIn;
  const auto stopped = [&](qn_entry entry, std::vector<HostBuffer> buffers) {
    standIn.driver.isStuck = true;
    setInterruptCheck([] { return int32_t(QN_INTERRUPTED); });
    EXPECT_EQ(standIn.run(entry, std::move(buffers)), QN_INTERRUPTED);
    setInterruptCheck(nullptr);
    standIn.driver.isStuck = false;
  };
  // Only so much of it is under way that the host has to wait.
  Values large = numbersFrom(1, int64_t(5) << 20);
  const auto sum = [](const qn_context *context, void *const *buffers, const int64_t *) {
    return add(context, buffers[0], buffers[0], buffers[0], int64_t(5) << 20);
  };
  stopped(sum, {arrayOf(large, true)});
  void *memory = standIn.device.allocate(large.size() * 8);
  auto *late = static_cast<double *>(memory) + (30 << 20) / 8; // of the last part that is under way
  const double mine = -5;
  standIn.device.write(late, &mine, 8);
  standIn.device.synchronize();
  standIn.driver.finish();
  EXPECT_EQ(*late, mine);
  standIn.device.memory().release(memory);

  Values a = numbersFrom(1), b = numbersFrom(2), twiceA(count), twiceB(count);
  stopped(addBoth, {arrayOf(a), arrayOf(b), resultOf(twiceA), resultOf(twiceB)});
  standIn.driver.finish(own);
  EXPECT_LT(standIn.placeOf("down 9"), standIn.driver.done.size());
}

TEST(DeviceCopies, MarkAddressesInStructures) {
  StandIn standIn;
  Values a = numbersFrom(1), b = numbersFrom(2);
  const std::vector<HostBuffer> buffers = {arrayOf(a), arrayOf(b)};
  const Device::Current current(standIn.device);
  DeviceCopies copies(standIn.device, buffers);
  const std::vector<void *> addresses = copies.make();
  ASSERT_TRUE(copies.areLate());
  const size_t each = size_t(count) * 8;
  const struct {
    double number;
    const void *address;
    int32_t last;
  } argument{1, static_cast<char *>(addresses[1]) + each - 1, 2};
  copies.markWords(&argument, sizeof argument);
  copies.markWords(&addresses[0], 4); // too short for an address
  copies.begin();
  EXPECT_EQ(standIn.driver.bytesToDevice, each);
  copies.mark(static_cast<char *>(addresses[0]) + each); // behind it
  copies.begin();
  EXPECT_EQ(standIn.driver.bytesToDevice, each);
  copies.mark(addresses[0]);
  copies.begin();
  EXPECT_EQ(standIn.driver.bytesToDevice, 2 * each);
}
