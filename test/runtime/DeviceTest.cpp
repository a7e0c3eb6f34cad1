#include "Processes.h"
#include "StandInDriver.h"
#include "runtime/Interrupts.h"
#include "runtime/device/Devices.h"
#include <algorithm>
#include <numeric>
#include <thread>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr size_t megabyte = 1 << 20;

std::string failureOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const DeviceFailure &failure) {
    return failure.what();
  }
  return "no failure";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

std::vector<uint32_t> numbers(size_t count) {
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 3U);
  return all;
}

} // namespace

TEST(Devices, TellWhatTheyAre) {
  StandInDriver standIn;
  Devices devices([&] { return standIn.table(); });
  EXPECT_EQ(devices.count(), 2);
  EXPECT_EQ(devices.problem(), "");
  const DeviceInfo &info = devices.at(0).info();
  EXPECT_EQ(info.name, "Stand-in A");
  EXPECT_EQ(info.major, 9);
  EXPECT_EQ(info.minor, 0);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.maxThreadsPerBlock, 1024);
  EXPECT_EQ(info.totalMemory, standIn.capacity);
  EXPECT_EQ(&devices.at(0), &devices.at(0));
  EXPECT_EQ(devices.at(1).name(), "device 1 (Stand-in B)");
  EXPECT_EQ(standIn.contexts, 0);
}

TEST(Devices, SayWhatIsMissing) {
  StandInDriver standIn;
  const auto problem = [&] { return Devices([&] { return standIn.table(); }).problem(); };
  standIn.initCode = 999;
  EXPECT_EQ(problem(), "NVIDIA's driver (stand-in) can't begin; see what `nvidia-smi` says: CUDA_ERROR_UNKNOWN (as the "
                       "test wants it)");
  standIn.initCode = driverNoDevice;
  EXPECT_TRUE(contains(problem(), "finds no GPU: see what `nvidia-smi` lists; CUDA_VISIBLE_DEVICES "));
  standIn.initCode = 0;
  standIn.devices = 0;
  EXPECT_TRUE(contains(problem(), "finds no GPU"));
  standIn.devices = 1;
  standIn.version = 11080;
  EXPECT_EQ(problem(),
            "NVIDIA's driver (stand-in) is one for CUDA 11.8, and programs need CUDA 12.0: install the driver "
            "525 or a later one");
}

TEST(Devices, HaveNoOthers) {
  StandInDriver standIn;
  Devices two([&] { return standIn.table(); });
  EXPECT_EQ(failureOf([&] { two.at(2); }), "there is no device 2: the devices are those from 0 to 1");
  EXPECT_EQ(failureOf([&] { two.at(-1); }), "there is no device -1: the devices are those from 0 to 1");
  standIn.devices = 1;
  Devices one([&] { return standIn.table(); });
  EXPECT_EQ(failureOf([&] { one.at(1); }), "there is no device 1: the only one is device 0");
}

TEST(Devices, LookForTheDriverWhereTheyAreTold) {
  TemporaryFolder folder;
  writeFile(folder / "lib64/libcuda.so.1", "no library");
  EXPECT_TRUE(succeeded(start([&] {
    setenv("CUDA_PATH", folder.path.c_str(), 1);
    unsetenv("CUDA_HOME");
    const std::string text = failureOf([] { Driver::load(); });
    const std::string start = "there is no NVIDIA driver: libcuda.so.1 was looked for in " + folder.path +
                              "/lib64 ($CUDA_PATH), where the system's loader looks (";
    return text == "no failure" || (text.starts_with(start) && contains(text, "or compile for the CPU"));
  })));
  // A library without its functions, which goes before the system's.
  std::filesystem::copy_file(QUERNEL_TEST_KERNELS, folder / "lib64/libcuda.so.1",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(succeeded(start([&] {
    setenv("CUDA_PATH", folder.path.c_str(), 1);
    return contains(failureOf([] { Driver::load(); }), "lib64/libcuda.so.1) has no function cuInit");
  })));
}

TEST(Devices, RefuseAChildOfAFork) {
  StandInDriver standIn;
  Devices devices([&] { return standIn.table(); });
  Device &device = devices.at(0);
  void *memory = device.allocate(8);
  const int asked = standIn.allocations;
  EXPECT_TRUE(succeeded(start([&] {
    alarm(20);
    return contains(devices.problem(), "was forked from one that had used CUDA") &&
           contains(failureOf([&] { devices.at(0); }), "\"spawn\"") && forkedFromDevices();
  })));
  EXPECT_FALSE(forkedFromDevices());
  device.memory().release(memory);
  EXPECT_EQ(standIn.allocations, asked);
}

TEST(Device, CopiesBothWays) {
  StandInDriver standIn;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  // Fewer bytes than a part, and several parts.
  for (size_t count : {size_t(0), size_t(5), megabyte, 5 * megabyte + 3}) {
    std::vector<uint32_t> sent = numbers(count), expected = sent, received(count);
    void *memory = device.allocate(count * 4), *other = device.allocate(count * 4);
    const size_t to = standIn.bytesToDevice, from = standIn.bytesToHost;
    device.write(memory, sent.data(), count * 4);
    std::ranges::fill(sent, 0); // before the device has done anything
    device.copy(other, memory, count * 4);
    device.read(received.data(), other, count * 4);
    EXPECT_EQ(received, expected);
    EXPECT_EQ(standIn.bytesToDevice - to, count * 4);
    EXPECT_EQ(standIn.bytesToHost - from, count * 4);
    device.memory().release(memory);
    device.memory().release(other);
  }
  EXPECT_EQ(standIn.contexts, 0);
}

TEST(Device, WaitsForNoWrite) {
  StandInDriver standIn;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  void *memory = device.allocate(64);
  for (int k = 0; k < 1000; ++k)
    device.write(memory, &k, sizeof k);
  EXPECT_EQ(standIn.synchronizations, 0);
  EXPECT_EQ(device.pinned().statistics().asked, 1U);
  int last = 0;
  device.read(&last, memory, sizeof last);
  EXPECT_EQ(last, 999);
  // The pinned memory comes back as the next write finds them done.
  device.write(memory, &last, sizeof last);
  EXPECT_LE(device.pinned().statistics().allocated, 512U);
}

TEST(Device, WaitsUntilTheUserWantsToStop) {
  StandInDriver standIn;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  void *memory = device.allocate(64);
  int first = 5, second = 0;
  device.write(memory, &first, sizeof first);
  // Another thread, which hasn't asked yet, asks at once.
  std::thread([&] {
    setInterruptCheck([] { return int32_t(QN_INTERRUPTED); });
    standIn.isStuck = true;
    EXPECT_THROW(device.read(&second, memory, sizeof second), DeviceInterrupted);
    EXPECT_EQ(second, 0);
    // The device may still write where it was to copy to: nobody else gets that.
    EXPECT_EQ(device.pinned().statistics().allocated, 1024U);
    setInterruptCheck(nullptr);
    standIn.isStuck = false;
  }).join();
  device.read(&second, memory, sizeof second);
  EXPECT_EQ(second, 5);
  EXPECT_EQ(standIn.contexts, 0);
}

TEST(Device, KeepsFewBytesUnderWay) {
  StandInDriver standIn;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  const std::vector<uint32_t> sent = numbers(50 * megabyte / 4);
  void *memory = device.allocate(50 * megabyte);
  device.write(memory, sent.data(), 50 * megabyte);
  EXPECT_LE(device.pinned().statistics().allocated, 32 * megabyte);
  std::vector<uint32_t> received(sent.size());
  device.read(received.data(), memory, 50 * megabyte);
  EXPECT_EQ(received, sent);
}

TEST(Device, CopiesWithoutPinnedMemory) {
  StandInDriver standIn;
  standIn.pinnedPieces = 0;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  std::vector<uint32_t> sent = numbers(3 * megabyte), expected = sent, received(sent.size());
  void *memory = device.allocate(sent.size() * 4);
  device.write(memory, sent.data(), sent.size() * 4);
  std::ranges::fill(sent, 0);
  device.read(received.data(), memory, sent.size() * 4);
  EXPECT_EQ(received, expected);
}

TEST(Device, SaysHowMuchMemoryThereIs) {
  StandInDriver standIn;
  standIn.capacity = 10 * megabyte;
  const Driver driver = standIn.table();
  Device device(driver, 0);
  void *memory = device.allocate(3 * megabyte);
  EXPECT_EQ(failureOf([&] { device.allocate(8 * megabyte); }),
            "device 0 (Stand-in A) has no memory for 8388608 bytes: 6291456 of its 10485760 bytes are free, and arrays "
            "of this process take 3145728; drop arrays that aren't needed, or compute in smaller parts");
  device.memory().release(memory);
  memory = device.allocate(8 * megabyte);
  EXPECT_TRUE(standIn.holds(memory));
  EXPECT_EQ(standIn.releases, 1);
}

TEST(Device, SaysWhatFailed) {
  StandInDriver standIn;
  const Driver driver = standIn.table();
  Device device(driver, 1);
  void *memory = device.allocate(8);
  int value = 0;
  standIn.copyCode = 999;
  EXPECT_EQ(failureOf([&] { device.write(memory, &value, 4); }),
            "device 1 (Stand-in B) can't copy 4 bytes to it: CUDA_ERROR_UNKNOWN (as the test wants it)");
  EXPECT_TRUE(contains(failureOf([&] { device.read(&value, memory, 4); }), "can't copy 4 bytes from it: "));
  standIn.copyCode = 0;
  standIn.lateCode = 700;
  EXPECT_EQ(failureOf([&] { device.synchronize(); }),
            "device 1 (Stand-in B) failed in what it was asked for before: CUDA_ERROR_ILLEGAL_ADDRESS (as the test "
            "wants it)");
  EXPECT_EQ(driver.textOf(12345), "CUDA's error 12345");
  EXPECT_EQ(standIn.contexts, 0);
}
