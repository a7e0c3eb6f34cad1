#include "runtime/device/DeviceCall.h"
#include "StandInDriver.h"
#include "runtime/Pool.h"
#include "runtime/Random.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <numeric>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr const char *kernelNames[] = {"add", "fill", nullptr};
constexpr char text[] = {'P', 'T', 'X'};
constexpr qn_binary binaries[] = {{text, sizeof text, 80, true}, {}};
constexpr qn_image imagesOfKernels[] = {{binaries, kernelNames}, {}};

/// A device with kernels for doubles: the sum of two arrays, and an array of one number.
struct StandIn {
  StandIn() {
    driver.kernels["add"] = {4, [](const uint64_t *arguments) {
                               const auto *a = reinterpret_cast<const double *>(arguments[0]);
                               const auto *b = reinterpret_cast<const double *>(arguments[1]);
                               auto *out = reinterpret_cast<double *>(arguments[2]);
                               for (uint64_t k = 0; k < arguments[3]; ++k)
                                 out[k] = a[k] + b[k];
                             }};
    driver.kernels["fill"] = {3, [](const uint64_t *arguments) {
                                auto *out = reinterpret_cast<double *>(arguments[0]);
                                std::fill_n(out, arguments[2], std::bit_cast<double>(arguments[1]));
                              }};
  }

  /// Runs an entry; its text goes to `problem`.
  int32_t run(qn_entry entry, std::vector<HostBuffer> buffers, std::vector<int64_t> sizes = {},
              qn_images images = imagesOfKernels) {
    DeviceProgram program(entry, images, device);
    const int32_t code = runOnDevice(program, 1, buffers, sizes.data(), error);
    if (code == QN_DEVICE_FAILED)
      problem = notedDeviceProblem();
    EXPECT_EQ(driver.contexts, 0);
    return code;
  }

  StandInDriver driver;
  const Driver table = driver.table();
  Device device{table, 0};
  ErrorNote error;
  std::string problem;
};

const qn_device &deviceOf(const qn_context *context) { return *reinterpret_cast<const qn_device *>(context); }

constexpr qn_grid oneThread{{1, 1, 1}, {1, 1, 1}, 0};

int32_t launchAdd(const qn_context *context, void *a, void *b, void *out, int64_t count) {
  void *arguments[] = {&a, &b, &out, &count};
  return deviceOf(context).launch(&deviceOf(context), 0, &oneThread, arguments);
}

/// The sum of two arrays by way of a temporary, which is released before the device has done anything.
int32_t addThrice(const qn_context *context, void *const *buffers, const int64_t *sizes) {
  void *sum = context->alloc(sizes[0] * 8);
  if (!sum)
    return QN_OUT_OF_MEMORY;
  int32_t code = launchAdd(context, buffers[0], buffers[1], sum, sizes[0]);
  if (code == QN_OK)
    code = launchAdd(context, sum, buffers[1], buffers[2], sizes[0]);
  context->release(sum);
  return code;
}

HostBuffer arrayOf(std::vector<double> &values, bool isWritten = false) {
  return {values.data(), HostBuffer::array, 0, int64_t(values.size()) * 8, isWritten};
}

HostBuffer resultOf(std::vector<double> &values) {
  return {values.data(), HostBuffer::result, 0, int64_t(values.size()) * 8};
}

} // namespace

TEST(DeviceCall, RunsAProgramOnArraysOfTheHost) {
  StandIn standIn;
  std::vector<double> a = {1, 2, 3}, b = {10, 20, 30}, out(3);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(standIn.run(addThrice, {arrayOf(a), arrayOf(b), resultOf(out)}, {3}), QN_OK);
    EXPECT_EQ(out, (std::vector<double>{21, 42, 63}));
  }
  EXPECT_EQ(standIn.driver.bytesToDevice, 3 * 48U);
  EXPECT_EQ(standIn.driver.bytesToHost, 3 * 24U);
  EXPECT_EQ(standIn.driver.launches, 6);
  // Memory of the first call serves the others.
  EXPECT_EQ(standIn.driver.allocations, 1);
  EXPECT_EQ(standIn.device.memory().statistics().allocated, 0U);
  EXPECT_EQ(standIn.driver.modules, 3);
  EXPECT_EQ(standIn.driver.unloads, 3);
}

TEST(DeviceCall, LoadsAnImageOnce) {
  StandIn standIn;
  DeviceProgram program(addThrice, imagesOfKernels, standIn.device);
  EXPECT_EQ(standIn.driver.modules, 0);
  std::vector<double> a = {1}, b = {2}, out(1);
  const std::vector<HostBuffer> buffers = {arrayOf(a), arrayOf(b), resultOf(out)};
  const int64_t sizes[] = {1};
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(runOnDevice(program, 1, buffers, sizes, standIn.error), QN_OK);
  EXPECT_EQ(standIn.driver.modules, 1);
}

TEST(DeviceCall, SharesMemoryThatArraysShare) {
  StandIn standIn;
  std::vector<double> all = {1, 2, 3, 4, 5}, out(3);
  const HostBuffer first{all.data(), HostBuffer::array, 0, 24}, last{all.data() + 2, HostBuffer::array, 0, 24};
  ASSERT_EQ(standIn.run(addThrice, {first, last, resultOf(out)}, {3}), QN_OK);
  EXPECT_EQ(out, (std::vector<double>{1 + 6, 2 + 8, 3 + 10}));
  EXPECT_EQ(standIn.driver.bytesToDevice, 40U);
  ASSERT_EQ(standIn.run(addThrice, {arrayOf(out), arrayOf(out), resultOf(all)}, {3}), QN_OK);
  EXPECT_EQ(all[0], 21);
}

TEST(DeviceCall, TakesArraysThatAreThereAlready) {
  StandIn standIn;
  std::vector<double> a = {1, 2, 3}, back(3);
  void *there = standIn.device.allocate(24), *out = standIn.device.allocate(24);
  standIn.device.write(there, a.data(), 24);
  ASSERT_EQ(standIn.run(addThrice, {{there, HostBuffer::resident}, arrayOf(a), {out, HostBuffer::resident}}, {3}),
            QN_OK);
  EXPECT_EQ(standIn.driver.bytesToHost, 0U);
  standIn.device.read(back.data(), out, 24);
  EXPECT_EQ(back, (std::vector<double>{3, 6, 9}));
}

TEST(DeviceCall, TakesReversedArrays) {
  StandIn standIn;
  std::vector<double> all = {1, 2, 3}, out(1);
  const auto lastTwo = [](const qn_context *context, void *const *buffers, const int64_t *) {
    auto *start = static_cast<double *>(buffers[0]);
    return launchAdd(context, start, start - 2, buffers[1], 1);
  };
  ASSERT_EQ(standIn.run(lastTwo, {{all.data() + 2, HostBuffer::array, -16, 8}, resultOf(out)}), QN_OK);
  EXPECT_EQ(out[0], 4);
}

TEST(DeviceCall, BringsBackWhatIsWritten) {
  StandIn standIn;
  std::vector<double> a = {1, 2, 3}, out(3, -1);
  double number = 5;
  const auto doubled = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    const int32_t code = launchAdd(context, buffers[0], buffers[0], buffers[0], 2);
    const double taken = *static_cast<double *>(buffers[1]); // memory of the program
    *static_cast<double *>(buffers[1]) = 2 * taken;
    return code == QN_OK && taken == 7 ? context->fail(context, QN_FIRST_ERROR, nullptr, 0) : code;
  };
  ASSERT_EQ(standIn.run(doubled, {arrayOf(a, true), {&number}, resultOf(out)}), QN_OK);
  EXPECT_EQ(a, (std::vector<double>{2, 4, 3}));
  EXPECT_EQ(number, 10);
  // A program that ends with an error leaves what it has written, but no results.
  std::ranges::fill(out, -1);
  number = 7;
  EXPECT_EQ(standIn.run(doubled, {arrayOf(a, true), {&number}, resultOf(out)}), QN_FIRST_ERROR);
  EXPECT_EQ(a[1], 8);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(standIn.error.code(), QN_FIRST_ERROR);
}

TEST(DeviceCall, KeepsTheNumbersOfAnError) {
  StandIn standIn;
  const auto failing = [](const qn_context *context, void *const *, const int64_t *sizes) {
    context->fail(context, 18, sizes, 2);
    return context->fail(context, 17, sizes + 1, 1);
  };
  EXPECT_EQ(standIn.run(failing, {}, {4, 9}), 17);
  EXPECT_EQ(standIn.error.code(), 18);
  ASSERT_EQ(standIn.error.values().size(), 2U);
  EXPECT_EQ(standIn.error.values()[1], 9);
}

TEST(DeviceCall, ReadsAndWrites) {
  StandIn standIn;
  std::vector<double> a = {1, 2}, out(2);
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const qn_device &device = deviceOf(context);
    double taken = 0;
    device.read(&device, &taken, static_cast<double *>(buffers[0]) + 1, 8);
    for (double value : {taken + 1, taken + 2}) {
      device.write(&device, buffers[1], &value, 8);
      device.write(&device, static_cast<double *>(buffers[1]) + 1, &value, 8);
      value = 0;
    }
    return int32_t(QN_OK);
  };
  ASSERT_EQ(standIn.run(program, {arrayOf(a), resultOf(out)}), QN_OK);
  EXPECT_EQ(out, (std::vector<double>{4, 4}));
}

TEST(DeviceCall, BringsMemoryThatIsHandedOverIntoThePool) {
  StandIn standIn;
  const auto giving = [](const qn_context *context, void *const *buffers, const int64_t *sizes) -> int32_t {
    void *memory = context->alloc(sizes[0] * 8);
    double value = 2.5;
    void *arguments[] = {&memory, &value, const_cast<int64_t *>(sizes)};
    if (int32_t code = deviceOf(context).write(&deviceOf(context), buffers[0], &memory, sizeof(memory)))
      return code;
    return deviceOf(context).launch(&deviceOf(context), 1, &oneThread, arguments);
  };
  alignas(16) void *address[2] = {};
  ASSERT_EQ(standIn.run(giving, {{address, HostBuffer::address, 0, 8}}, {100}), QN_OK);
  EXPECT_FALSE(standIn.driver.holds(address[0]));
  EXPECT_EQ(static_cast<double *>(address[0])[99], 2.5);
  EXPECT_EQ(standIn.device.memory().statistics().allocated, 0U);
  Pool::shared().release(address[0]);
}

TEST(DeviceCall, SaysThatMemoryIsOutAndGoesOn) {
  StandIn standIn;
  standIn.driver.capacity = 4 << 20;
  std::vector<double> a = {1, 2, 3}, out(3), large(1 << 20);
  const auto greedy = [](const qn_context *context, void *const *, const int64_t *) -> int32_t {
    return context->alloc(8 << 20) ? QN_OK : QN_OUT_OF_MEMORY;
  };
  EXPECT_EQ(standIn.run(greedy, {}), QN_DEVICE_FAILED);
  EXPECT_TRUE(standIn.problem.starts_with("device 0 (Stand-in A) has no memory for 8388608 bytes: "))
      << standIn.problem;
  EXPECT_EQ(standIn.run(addThrice, {arrayOf(large), arrayOf(a), resultOf(out)}, {3}), QN_DEVICE_FAILED);
  EXPECT_EQ(standIn.run(addThrice, {arrayOf(a), arrayOf(a), resultOf(out)}, {3}), QN_OK);
  EXPECT_EQ(out[2], 9);
  // A code of the host's own is another thing.
  const auto poor = [](const qn_context *, void *const *, const int64_t *) -> int32_t { return QN_OUT_OF_MEMORY; };
  EXPECT_EQ(standIn.run(poor, {}), QN_OUT_OF_MEMORY);
}

TEST(DeviceCall, CountsKernelsFromImageToImage) {
  StandIn standIn;
  constexpr const char *none[] = {nullptr}, *first[] = {"fill", nullptr};
  const qn_image images[] = {{binaries, none}, {binaries, first}, {binaries, kernelNames}, {}};
  // The sum is the second kernel here.
  const auto add = [](const qn_context *context, void *const *buffers, const int64_t *sizes) -> int32_t {
    int64_t count = sizes[0];
    void *arguments[] = {(void *)&buffers[0], (void *)&buffers[0], (void *)&buffers[1], &count};
    return deviceOf(context).launch(&deviceOf(context), 1, &oneThread, arguments);
  };
  std::vector<double> a = {1, 2}, out(2);
  EXPECT_EQ(standIn.run(add, {arrayOf(a), resultOf(out)}, {2}, images), QN_OK);
  EXPECT_EQ(out[1], 4);
}

TEST(DeviceCall, LoadsTheBestBinaryForTheDevice) {
  StandIn standIn; // of compute capability 9.0
  std::vector<double> a = {1, 2}, out(2);
  const auto loaded = [&](std::vector<qn_binary> given) {
    given.push_back({});
    const qn_image images[] = {{given.data(), kernelNames}, {}};
    EXPECT_EQ(standIn.run(addThrice, {arrayOf(a), arrayOf(a), resultOf(out)}, {2}, images), QN_OK);
    return standIn.driver.loadedImage;
  };
  const qn_binary for80{"for 80", 6, 80, false}, ptx80{"PTX 80", 6, 80, true}, for90{"for 90", 6, 90, false},
      ptx90{"PTX 90", 6, 90, true}, for100{"for 100", 7, 100, false}, ptx100{"PTX 100", 7, 100, true};
  EXPECT_EQ(loaded({for80, ptx80}), "PTX 80");
  EXPECT_EQ(loaded({for80, ptx80, for90, ptx90, for100, ptx100}), "for 90");
  EXPECT_EQ(loaded({ptx100, ptx90, ptx80}), "PTX 90");
  EXPECT_EQ(loaded({ptx80, ptx90, ptx100}), "PTX 90");
}

TEST(DeviceCall, SaysWhatFailed) {
  StandIn standIn;
  std::vector<double> a = {1}, out(1);
  const auto problem = [&](qn_images images, qn_entry entry = addThrice) {
    EXPECT_EQ(standIn.run(entry, {arrayOf(a), arrayOf(a), resultOf(out)}, {1}, images), QN_DEVICE_FAILED);
    return standIn.problem;
  };
  standIn.driver.launchCode = 701;
  EXPECT_EQ(problem(imagesOfKernels),
            "device 0 (Stand-in A) can't run the kernel add with 1 x 1 x 1 blocks of 1 x 1 x 1 threads and 0 bytes of "
            "shared memory: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (as the test wants it)");
  standIn.driver.launchCode = 0;
  const qn_binary othersCode[] = {{"other", 5, 90, false}, {}};
  const qn_image other[] = {{othersCode, kernelNames}, {}};
  EXPECT_EQ(problem(other),
            "device 0 (Stand-in A), of compute capability 9.0, can't load a program's kernels, which were compiled for "
            "another one: CUDA_ERROR_NO_BINARY_FOR_GPU (as the test wants it)");
  const qn_binary newer[] = {{"newer", 5, 100, false}, {"newer", 5, 100, true}, {"older", 5, 80, false}, {}};
  const qn_image later[] = {{newer, kernelNames}, {}};
  EXPECT_EQ(problem(later),
            "device 0 (Stand-in A), of compute capability 9.0, can't run a program's kernels, which were "
            "compiled for 10.0, 10.0 and later, 8.0: compile them for sm_90");
  const qn_binary tooNew[] = {{"new PTX", 7, 80, true}, {}};
  const qn_image ofNewCuda[] = {{tooNew, kernelNames}, {}};
  EXPECT_EQ(
      problem(ofNewCuda),
      "device 0 (Stand-in A), of compute capability 9.0, can't load a program's kernels, which are PTX of a later "
      "CUDA than the driver's 12.4; install a newer driver, or compile them for sm_90: "
      "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (as the test wants it)");
  const char *const absentName[] = {"absent", nullptr};
  const qn_image absent[] = {{binaries, absentName}, {}};
  EXPECT_EQ(problem(absent), "device 0 (Stand-in A) finds no kernel absent in a program: "
                             "CUDA_ERROR_NOT_FOUND (as the test wants it)");
  EXPECT_EQ(problem(nullptr), "a program asks for its kernel 0, and has 0");
  standIn.driver.lateCode = 700;
  EXPECT_TRUE(problem(imagesOfKernels).find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
}

TEST(DeviceCall, KeepsWhyTheDeviceFailedWhereAProgramHasAnErrorForIt) {
  StandIn standIn;
  const auto failing = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const int64_t code = launchAdd(context, buffers[0], buffers[0], buffers[0], 1);
    return context->fail(context, QN_FIRST_ERROR, &code, 1);
  };
  std::vector<double> a = {1};
  standIn.driver.launchCode = 701;
  EXPECT_EQ(standIn.run(failing, {arrayOf(a)}), QN_FIRST_ERROR);
  ASSERT_EQ(standIn.error.values().size(), 1U);
  EXPECT_EQ(standIn.error.values()[0], QN_DEVICE_FAILED);
  EXPECT_TRUE(notedDeviceProblem().find("can't run the kernel add") != std::string::npos);
}

TEST(DeviceCall, AsksForMuchSharedMemory) {
  StandIn standIn;
  const auto program = [](const qn_context *context, void *const *buffers, const int64_t *) {
    int64_t count = 1;
    double value = 1;
    void *out = buffers[0], *arguments[] = {&out, &value, &count};
    const qn_grid grid{{1, 1, 1}, {1, 1, 1}, 100 << 10};
    return deviceOf(context).launch(&deviceOf(context), 1, &grid, arguments);
  };
  std::vector<double> out(1);
  ASSERT_EQ(standIn.run(program, {resultOf(out)}), QN_OK);
  EXPECT_EQ(standIn.driver.dynamicShared, 100 << 10);
}

TEST(DeviceCall, ComputesRoutinesOnTheHost) {
  StandIn standIn;
  // A transposed matrix, and one between whose rows others are.
  std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, -1, -1, 0, 1, -1, -1, 1, 1}, out(4);
  const auto product = [](const qn_context *context, void *const *buffers, const int64_t *) {
    const int64_t strides[] = {0, 1, 2, 0, 4, 1, 0, 2, 1}, sizes[] = {1, 2, 3, 2};
    return context->call(context, QN_MATMUL, QN_F64, buffers, strides, sizes);
  };
  ASSERT_EQ(standIn.run(product, {arrayOf(a), arrayOf(b), resultOf(out)}), QN_OK);
  EXPECT_EQ(out, (std::vector<double>{1 + 5, 3 + 5, 2 + 6, 4 + 6}));
  EXPECT_EQ(standIn.driver.launches, 0);
}

TEST(DeviceCall, KeepsWhatLiesBetweenResultsOfRoutines) {
  StandIn standIn;
  // Rows that are columns of one array, sorted in place, and read from there.
  std::vector<double> a = {3, 9, 1, 9, 2, 9};
  const auto sort = [](const qn_context *context, void *const *buffers, const int64_t *) {
    void *operands[] = {buffers[0], buffers[0]};
    const int64_t strides[] = {0, 2, 0, 0, 2, 0}, sizes[] = {1, 3, 1, 1};
    return context->call(context, QN_SORT, QN_F64, operands, strides, sizes);
  };
  ASSERT_EQ(standIn.run(sort, {arrayOf(a, true)}), QN_OK);
  EXPECT_EQ(a, (std::vector<double>{1, 9, 2, 9, 3, 9}));
}

TEST(DeviceCall, TakesOutputsThatLieInEachOther) {
  StandIn standIn;
  std::vector<double> out(6, -1);
  std::vector<uint64_t> state = {uint64_t(StreamKind::pcg64), 1, 2, 3, 4, 0};
  // The new state and the numbers are every other element of one array.
  const auto draw = [](const qn_context *context, void *const *buffers, const int64_t *) {
    auto *numbers = static_cast<double *>(buffers[1]);
    void *operands[] = {buffers[0], buffers[0], numbers + 1};
    const int64_t strides[] = {0, 1, 0, 0, 1, 0, 0, 2, 0}, sizes[] = {1, 2, 6, 1};
    return context->call(context, QN_RANDOM, QN_U64, operands, strides, sizes);
  };
  std::vector<uint64_t> expectedState = state;
  double expected[2];
  for (double &number : expected)
    ASSERT_EQ(drawOne(&context(1), QN_RANDOM, 6, expectedState.data(), expectedState.data(), &number), QN_OK);
  ASSERT_EQ(standIn.run(draw, {{state.data(), HostBuffer::array, 0, 48, true}, arrayOf(out, true)}), QN_OK);
  EXPECT_EQ(state, expectedState);
  EXPECT_EQ(out, (std::vector<double>{-1, expected[0], -1, expected[1], -1, -1}));
}

TEST(DeviceCall, DrawsOnTheHost) {
  StandIn standIn;
  std::vector<uint64_t> state = {uint64_t(StreamKind::pcg64), 1, 2, 3, 4, 0}, expectedState = state;
  std::vector<double> out(1);
  double expected = 0;
  ASSERT_EQ(drawOne(&context(1), QN_RANDOM, 6, state.data(), expectedState.data(), &expected), QN_OK);
  const auto draw = [](const qn_context *context, void *const *buffers, const int64_t *) {
    auto *words = static_cast<uint64_t *>(buffers[0]);
    return context->draw(context, QN_RANDOM, 6, words, words, static_cast<double *>(buffers[1]));
  };
  ASSERT_EQ(standIn.run(draw, {{state.data(), HostBuffer::array, 0, 48, true}, resultOf(out)}), QN_OK);
  EXPECT_EQ(state, expectedState);
  EXPECT_EQ(out[0], expected);
}

TEST(DeviceCall, HasNoOtherRoutines) {
  StandIn standIn;
  const auto program = [](const qn_context *context, void *const *, const int64_t *sizes) {
    return context->call(context, int32_t(sizes[0]), int32_t(sizes[1]), nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(standIn.run(program, {}, {QN_ROUTINES, QN_F64}), QN_NO_ROUTINE);
  EXPECT_EQ(standIn.run(program, {}, {QN_MATMUL, QN_TYPES}), QN_NO_ROUTINE);
}
