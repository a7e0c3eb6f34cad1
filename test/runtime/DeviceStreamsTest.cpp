#include "runtime/device/DeviceStreams.h"
#include "StandInDriver.h"
#include "runtime/device/DeviceCall.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

/// A device whose streams do nothing before somebody waits for them.
struct LateDevice {
  int add() {
    const Device::Current current(device);
    return device.streams().add();
  }
  int add(uintptr_t foreign) {
    const Device::Current current(device);
    return device.streams().add(reinterpret_cast<DriverStream>(foreign));
  }
  void remove(int stream) {
    const Device::Current current(device);
    device.streams().remove(stream);
  }
  void write(void *to, int value) { device.write(to, &value, sizeof value); }
  static int at(const void *memory) { return *static_cast<const int *>(memory); }

  StandInDriver driver;
  const Driver table = driver.table();
  Device device{table, 0};
};

/// While it lives, the thread asks in a stream.
struct Within {
  Device &device;
  int stream;
  Within(LateDevice &late, int stream) : device(late.device), stream(stream) { device.streams().enter(stream); }
  ~Within() {
    const Device::Current current(device);
    device.streams().leave(stream);
  }
};

constexpr size_t most = 100 << 20;

} // namespace

TEST(DeviceStreams, AreThoseOfThreads) {
  LateDevice late;
  DeviceStreams &streams = late.device.streams();
  const int a = late.add(), b = late.add();
  EXPECT_EQ(streams.current(), 0);
  {
    const Within inA(late, a);
    EXPECT_EQ(streams.current(), a);
    std::thread([&] { EXPECT_EQ(streams.current(), 0); }).join();
    {
      const Within inB(late, b);
      EXPECT_EQ(late.device.streamHandle(), streams.handle(b));
    }
    EXPECT_EQ(streams.current(), a);
    void *memory = late.device.allocate(4);
    late.write(memory, 7);
    late.driver.finish(uintptr_t(streams.handle(b)));
    EXPECT_NE(LateDevice::at(memory), 7);
    late.device.synchronize();
    EXPECT_EQ(LateDevice::at(memory), 7);
    late.device.memory().release(memory);
  }
  EXPECT_EQ(streams.current(), 0);
  EXPECT_EQ(late.driver.contexts, 0);
}

TEST(DeviceStreams, GetMemoryOfOthersBehindTheirWork) {
  LateDevice late;
  late.driver.capacity = most;
  const int a = late.add(), b = late.add();
  void *first = nullptr;
  {
    const Within inA(late, a);
    first = late.device.allocate(most);
    std::memset(first, 0, 4);
    late.write(first, 1);
    late.device.memory().release(first);
    void *again = late.device.allocate(most); // a stream's own memory comes back at once
    EXPECT_EQ(again, first);
    late.device.memory().release(again);
  }
  const Within inB(late, b);
  void *second = late.device.allocate(most); // there is no other
  ASSERT_EQ(second, first);
  late.write(second, 2);
  late.device.synchronize();
  late.driver.finish();
  EXPECT_EQ(LateDevice::at(second), 2);
  late.device.memory().release(second);
}

TEST(DeviceStreams, GetNewMemoryBeforeThatOfOthers) {
  LateDevice late;
  const int a = late.add();
  void *first = late.device.allocate(4 << 20);
  late.device.memory().release(first);
  {
    const Within inA(late, a);
    void *second = late.device.allocate(64 << 20);
    EXPECT_NE(second, first);
    late.device.memory().release(second);
  }
  void *third = late.device.allocate(4 << 20);
  EXPECT_EQ(third, first);
  late.device.memory().release(third, setOf(a)); // which has used it, too
  const Within inA(late, a);
  late.device.memory().release(late.device.allocate(4 << 20));
}

TEST(DeviceStreams, WaitForWhatTheyRead) {
  LateDevice late;
  Device &device = late.device;
  const int a = late.add(), b = late.add();
  void *memory = device.allocate(4), *copy = device.allocate(4);
  StreamUse use, copyUse;
  {
    const Within inA(late, a);
    device.use(use, true);
    late.write(memory, 5);
  }
  {
    const Within inB(late, b);
    device.use(use, false);
    device.use(copyUse, true);
    device.copy(copy, memory, 4);
    EXPECT_EQ(use.users, setOf(a) | setOf(b));
    EXPECT_EQ(use.writer, a);
  }
  { // who writes waits for those that read
    const Within inA(late, a);
    device.use(use, true);
    late.write(memory, 6);
    device.synchronize();
    EXPECT_EQ(use.users, setOf(a));
  }
  late.driver.finish();
  EXPECT_EQ(LateDevice::at(memory), 6);
  EXPECT_EQ(LateDevice::at(copy), 5);
}

TEST(DeviceStreams, GoBehindStreamZero) {
  LateDevice late;
  Device &device = late.device;
  const int a = late.add();
  void *memory = device.allocate(4);
  StreamUse use;
  {
    const Within inA(late, a);
    device.use(use, true);
    late.write(memory, 5);
  }
  const DriverStream gone = device.streams().handle(a);
  late.remove(a);
  EXPECT_EQ(late.driver.streamsGone, 1);
  late.driver.gone.insert(uintptr_t(gone));
  int value = 0;
  device.use(use, false);
  device.read(&value, memory, 4);
  EXPECT_EQ(value, 5);
  // Another one with the same number comes behind all that, too.
  StreamUse other{setOf(a), a};
  late.write(memory, 8);
  const int b = late.add();
  EXPECT_EQ(b, a);
  const Within inB(late, b);
  device.use(other, false);
  device.read(&value, memory, 4);
  EXPECT_EQ(value, 8);
  EXPECT_FALSE(late.driver.usedGone);
}

TEST(DeviceStreams, MayBeOthers) {
  LateDevice late;
  Device &device = late.device;
  constexpr uintptr_t foreign = 0x1234;
  const int a = late.add(foreign);
  void *memory = device.allocate(4);
  StreamUse use;
  {
    const Within inA(late, a);
    EXPECT_EQ(uintptr_t(device.streamHandle()), foreign);
    device.use(use, true);
    late.write(memory, 5);
  }
  late.driver.gone.insert(foreign); // who has it may destroy it, and what it was asked for is waited for
  int value = 0;
  device.use(use, false);
  device.read(&value, memory, 4);
  EXPECT_EQ(value, 5);
  late.remove(a);
  EXPECT_EQ(late.driver.streamsGone, 0);
  EXPECT_FALSE(late.driver.usedGone);
}

TEST(DeviceStreams, AreAllWaitedFor) {
  LateDevice late;
  Device &device = late.device;
  const int a = late.add();
  void *memory = device.allocate(4);
  std::memset(memory, 0, 4);
  {
    const Within inA(late, a);
    late.write(memory, 5);
  }
  device.synchronize(); // of stream 0 alone
  EXPECT_NE(LateDevice::at(memory), 5);
  device.synchronizeAll();
  EXPECT_EQ(LateDevice::at(memory), 5);
  {
    const Within inA(late, a);
    late.write(memory, 6);
  }
  device.finish();
  EXPECT_EQ(LateDevice::at(memory), 6);
}

TEST(DeviceStreams, AndForeignOnesWaitForEachOther) {
  LateDevice late;
  Device &device = late.device;
  const auto foreign = reinterpret_cast<DriverStream>(0x99);
  void *memory = device.allocate(4);
  late.write(memory, 5);
  {
    const Device::Current current(device);
    device.streams().orderForeign(setOf(0), foreign);
  }
  late.driver.finish(0x99);
  EXPECT_EQ(LateDevice::at(memory), 5);
  int value = 6;
  late.table.copyToDevice(memory, &value, 4, foreign);
  {
    const Device::Current current(device);
    device.streams().follow(foreign);
  }
  int seen = 0;
  device.read(&seen, memory, 4);
  EXPECT_EQ(seen, 6);
}

TEST(DeviceStreams, AreNotTooMany) {
  LateDevice late;
  for (int k = 1; k < mostStreams; ++k)
    EXPECT_EQ(late.add(), k);
  try {
    late.add();
    FAIL();
  } catch (const DeviceFailure &failure) {
    EXPECT_STREQ(failure.what(), "device 0 (Stand-in A) has 64 streams already; drop those that aren't needed");
  }
  late.remove(9);
  EXPECT_EQ(late.add(), 9);
}

TEST(DeviceStreams, OfCallsWaitForTheArraysThatTheySee) {
  LateDevice late;
  const int a = late.add();
  int *memory = static_cast<int *>(late.device.allocate(4));
  StreamUse use;
  {
    const Within inA(late, a);
    late.device.use(use, true);
    late.write(memory, 5);
  }
  const auto reads = [](const qn_context *context, void *const *buffers, const int64_t *) -> int32_t {
    const auto *device = reinterpret_cast<const qn_device *>(context);
    int value = 0;
    const int32_t code = device->read(device, &value, buffers[0], sizeof value);
    EXPECT_EQ(value, 5);
    return code;
  };
  DeviceProgram program(reads, nullptr, late.device);
  HostBuffer buffer{memory, HostBuffer::resident, 0, 4, false, &use};
  ErrorNote error;
  EXPECT_EQ(runOnDevice(program, 1, {&buffer, 1}, nullptr, error), QN_OK);
  EXPECT_EQ(use.users, setOf(0) | setOf(a));
}
