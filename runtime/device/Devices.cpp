#include "runtime/device/Devices.h"
#include <atomic>
#include <pthread.h>

using namespace quernel::runtime;

namespace {

std::atomic<bool> begunHere = false, forked = false;

void markForked() { forked = begunHere.load(); }

/// From now on a child of this process can't use the driver.
void noteBegin() {
  static const int registered = pthread_atfork(nullptr, nullptr, markForked);
  begunHere = registered == 0;
}

} // namespace

bool quernel::runtime::forkedFromDevices() { return forked.load(std::memory_order_relaxed); }

Devices &Devices::shared() {
  // Never destroyed: arrays may outlive every static object.
  static auto *devices = new Devices(Driver::load);
  return *devices;
}

const Driver &Devices::begun() {
  if (driver)
    return *driver;
  auto loaded = std::make_unique<Driver>(load());
  found = loaded->start();
  noteBegin();
  made.resize(found);
  driver = std::move(loaded);
  return *driver;
}

static void checkFork() {
  if (forkedFromDevices())
    throw DeviceFailure(
        "this process was forked from one that had used CUDA, which can't be used in it: start processes "
        "with multiprocessing's \"spawn\" or \"forkserver\", or fork before the first use of a device");
}

int Devices::count() {
  checkFork();
  std::lock_guard lock(mutex);
  begun();
  return found;
}

std::string Devices::problem() {
  try {
    count();
  } catch (const DeviceFailure &failure) {
    return failure.what();
  }
  return "";
}

Device &Devices::at(int number) {
  checkFork();
  std::lock_guard lock(mutex);
  const Driver &usable = begun();
  if (number < 0 || number >= found)
    throw DeviceFailure(
        "there is no device " + std::to_string(number) + ": " +
        (found == 1 ? "the only one is device 0" : "the devices are those from 0 to " + std::to_string(found - 1)));
  if (!made[number])
    made[number] = std::make_unique<Device>(usable, number);
  return *made[number];
}

int Devices::holder(const void *address) {
  constexpr int deviceOrdinal = 9;
  checkFork();
  std::lock_guard lock(mutex);
  int number = 0;
  const Driver &usable = begun();
  usable.check(usable.getPointerAttribute(&number, deviceOrdinal, address), "no device has memory at the address");
  return number;
}
