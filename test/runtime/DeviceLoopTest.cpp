// Loops of programs for devices that end when the device's memory says so.
#include "StandInDriver.h"
#include "runtime/Interrupts.h"
#include "runtime/device/DeviceCall.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr const char *kernelNames[] = {"count", "break", nullptr};
constexpr char text[] = {'P', 'T', 'X'};
constexpr qn_binary binaries[] = {{text, sizeof text, 80, true}, {}};
constexpr qn_image imagesOfKernels[] = {{binaries, kernelNames}, {}};
constexpr qn_grid oneThread{{1, 1, 1}, {1, 1, 1}, 0};

/// What turns of the test's loops count in the device's memory: a row of numbers, in each turn the next one.
struct Memory {
  int64_t done, wanted, failure, failsAt;
  bool goesOn;
};

struct StandIn {
  StandIn() {
    driver.kernels["count"] = {1, [this](const uint64_t *arguments) {
                                 auto &memory = *reinterpret_cast<Memory *>(arguments[0]);
                                 if (memory.failure)
                                   return;
                                 memory.goesOn = ++memory.done < memory.wanted;
                                 memory.failure = memory.done == memory.failsAt;
                                 turns.push_back(memory.done);
                               }};
  }

  int32_t run(qn_entry entry, Memory &memory) {
    DeviceProgram program(entry, imagesOfKernels, device);
    const std::vector<HostBuffer> buffers = {{&memory, HostBuffer::array, 0, sizeof memory, true}};
    const int32_t code = runOnDevice(program, 1, buffers, nullptr, error);
    EXPECT_EQ(driver.contexts, 0);
    EXPECT_EQ(driver.graphs, driver.graphsGone);
    EXPECT_EQ(device.memory().statistics().allocated, 0U);
    return code;
  }

  StandInDriver driver;
  const Driver table = driver.table();
  Device device{table, 0};
  ErrorNote error;
  std::vector<int64_t> turns; ///< as the device has done them
};

/// What a loop hands to its turns.
struct Loop {
  const qn_device *device;
  Memory *memory; ///< the device's
  enum { nothing, allocates, reads, writes, draws, calls, repeats } besides = nothing;
  int asked = 0;
};

int32_t turn(void *data) {
  auto &loop = *static_cast<Loop *>(data);
  ++loop.asked;
  int64_t number = 0;
  int32_t code = QN_OK;
  const qn_device *device = loop.device;
  if (loop.besides == Loop::allocates)
    device->context.release(device->context.alloc(64));
  if (loop.besides == Loop::reads)
    code = device->read(device, &number, &loop.memory->wanted, sizeof number);
  if (loop.besides == Loop::writes)
    code = device->write(device, &loop.memory->failsAt, &number, sizeof number);
  if (loop.besides == Loop::calls && loop.asked == 17)
    code = device->context.call(&device->context, -1, 0, nullptr, nullptr, nullptr);
  if (loop.besides == Loop::draws && loop.asked == 17)
    code = device->context.draw(&device->context, -1, 0, nullptr, nullptr, nullptr);
  if (loop.besides == Loop::repeats && loop.asked == 17)
    code = device->repeat(device, &loop.memory->goesOn, nullptr, turn, data);
  if (code != QN_OK)
    return code;
  void *arguments[] = {&loop.memory};
  return device->launch(device, 0, &oneThread, arguments);
}

/// Counts until the device says that it is enough; the failure is part of the same memory.
template <auto besides = Loop::nothing>
int32_t count(const qn_context *context, void *const *buffers, const int64_t *) {
  const auto *device = reinterpret_cast<const qn_device *>(context);
  Loop loop{device, static_cast<Memory *>(buffers[0]), besides};
  return device->repeat(device, &loop.memory->goesOn, &loop.memory->failure, turn, &loop);
}

/// The numbers from 1 on.
std::vector<int64_t> upTo(int64_t last) {
  std::vector<int64_t> all;
  for (int64_t k = 1; k <= last; ++k)
    all.push_back(k);
  return all;
}

} // namespace

TEST(DeviceLoop, AsksForShortLoopsTurnByTurn) {
  for (const int64_t wanted : {0, 1, 5, 16}) {
    StandIn standIn;
    Memory memory{0, wanted, 0, -1, wanted > 0};
    ASSERT_EQ(standIn.run(count<>, memory), QN_OK);
    EXPECT_EQ(memory.done, wanted);
    EXPECT_EQ(standIn.driver.launches, wanted);
    EXPECT_EQ(standIn.driver.graphs, 0);
  }
}

TEST(DeviceLoop, HasTheDeviceRepeatLongOnes) {
  for (const int64_t wanted : {17, 100, 5000}) {
    StandIn standIn;
    Memory memory{0, wanted, 0, -1, true};
    ASSERT_EQ(standIn.run(count<>, memory), QN_OK);
    EXPECT_EQ(standIn.turns, upTo(wanted));
    EXPECT_FALSE(memory.goesOn);
    EXPECT_EQ(standIn.driver.launches, 16);
    EXPECT_EQ(standIn.driver.graphs, 1);
    EXPECT_EQ(standIn.device.loopGraphs().launches, standIn.driver.graphLaunches);
    EXPECT_GT(standIn.driver.graphLaunches, wanted > 100 ? 1 : 0); // of 64 turns at most, then of more
    EXPECT_EQ(standIn.device.loopGraphs().problem(), "");
  }
}

TEST(DeviceLoop, EndsWhereAKernelFails) {
  for (const int64_t failsAt : {3, 50}) {
    StandIn standIn;
    Memory memory{0, 1000000, 0, failsAt, true};
    ASSERT_EQ(standIn.run(count<>, memory), QN_OK); // the program says what has failed
    EXPECT_EQ(standIn.turns, upTo(failsAt));
    EXPECT_TRUE(memory.goesOn);
  }
}

TEST(DeviceLoop, GoesOnTurnByTurnWhereTheDriverRefuses) {
  for (const char *function : {"createGraph", "createCondition", "addGraphNode", "instantiateGraph", "launchGraph"}) {
    StandIn standIn;
    standIn.driver.refused = function;
    for (int k = 0; k < 2; ++k) {
      Memory memory{0, 40, 0, -1, true};
      standIn.turns.clear();
      ASSERT_EQ(standIn.run(count<>, memory), QN_OK) << function;
      EXPECT_EQ(standIn.turns, upTo(40)) << function;
    }
    EXPECT_EQ(standIn.driver.launches, 80);
    EXPECT_EQ(standIn.driver.graphs, 1) << "nobody tries again";
    EXPECT_NE(standIn.device.loopGraphs().problem().find("device 0 (Stand-in A) "), std::string::npos);
    EXPECT_EQ(standIn.device.loopGraphs().launches, 0);
  }
}

TEST(DeviceLoop, GoesOnTurnByTurnWhereAGraphRunsNothing) {
  StandIn standIn;
  standIn.driver.runsLoops = false;
  Memory memory{0, 40, 0, -1, true};
  ASSERT_EQ(standIn.run(count<>, memory), QN_OK);
  EXPECT_EQ(standIn.turns, upTo(40));
  EXPECT_EQ(standIn.device.loopGraphs().problem(), "device 0 (Stand-in A) runs no turn of a loop's graph");
}

TEST(DeviceLoop, NeedsADriverThatHasGraphs) {
  const auto problem = [](auto change) {
    StandIn standIn;
    Driver table = standIn.table;
    change(standIn.driver, table);
    Device device(table, 0);
    try {
      device.loopGraphs().lastKernel();
    } catch (const DeviceFailure &failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  const std::string old = "the driver is one for CUDA 12.3, and loops in graphs need CUDA 12.4";
  EXPECT_EQ(problem([](StandInDriver &driver, Driver &) { driver.version = 12030; }), old);
  EXPECT_NE(problem([](StandInDriver &, Driver &table) { table.addGraphNode = nullptr; }), "");
  EXPECT_NE(problem([](StandInDriver &driver, Driver &) { driver.kernels.clear(); }), "");
  EXPECT_EQ(problem([](StandInDriver &, Driver &) {}), "");
  setenv("QUERNEL_DEVICE_GRAPHS", "off", 1);
  EXPECT_EQ(problem([](StandInDriver &, Driver &) {}), "QUERNEL_DEVICE_GRAPHS is \"off\"");
  unsetenv("QUERNEL_DEVICE_GRAPHS");
}

TEST(DeviceLoop, RepeatsNothingButKernels) {
  for (const qn_entry entry : {count<Loop::allocates>, count<Loop::reads>, count<Loop::writes>, count<Loop::draws>,
                               count<Loop::calls>, count<Loop::repeats>}) {
    StandIn standIn;
    Memory memory{0, 40, 0, -1, true};
    ASSERT_EQ(standIn.run(entry, memory), QN_OK);
    EXPECT_EQ(standIn.turns, upTo(40));
    EXPECT_EQ(standIn.driver.graphLaunches, 0);
    EXPECT_EQ(standIn.device.loopGraphs().problem(), "") << "other loops may have graphs";
  }
}

TEST(DeviceLoop, EndsWhereTheUserStopsIt) {
  static int asked = 0;
  for (const int polls : {1, 10, 17, 24}) {
    StandIn standIn;
    asked = polls;
    setInterruptCheck([] { return int32_t(--asked > 0 ? QN_OK : QN_INTERRUPTED); });
    Memory memory{0, int64_t(1) << 40, 0, int64_t(1) << 40, true};
    DeviceProgram program(count<>, imagesOfKernels, standIn.device);
    const std::vector<HostBuffer> buffers = {{&memory, HostBuffer::array, 0, sizeof memory, true}};
    EXPECT_EQ(runOnDevice(program, 1, buffers, nullptr, standIn.error), QN_INTERRUPTED);
    setInterruptCheck(nullptr);
    EXPECT_EQ(standIn.driver.graphs, standIn.driver.graphsGone);
    EXPECT_EQ(standIn.device.memory().statistics().allocated, 0U);
  }
}
