// The devices of the process, each of which is made when somebody asks for it.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICES_H
#define QUERNEL_RUNTIME_DEVICE_DEVICES_H

#include "runtime/device/Device.h"

namespace quernel::runtime {

/// The devices of a driver. Any thread may call any method.
class Devices {
public:
  /// @param load  gives the driver when it is needed, or throws a DeviceFailure
  explicit Devices(std::function<Driver()> load) : load(std::move(load)) {}

  /// The process's. They live until it ends.
  static Devices &shared();

  /// How many there are. Throws a DeviceFailure where there is no driver, or no device.
  int count();
  /// Why there is none, or an empty text.
  std::string problem();
  /// The device of a number; an exception as above, and where there is no such device.
  Device &at(int number);
  /// The number of the device that has memory at an address; an exception as above, and where none has.
  int holder(const void *address);

private:
  const Driver &begun();

  std::function<Driver()> load;
  std::mutex mutex;
  std::unique_ptr<Driver> driver;
  int found = 0;
  std::vector<std::unique_ptr<Device>> made;
};

/// Whether this process was forked from one that had begun the driver, whose functions mustn't be called in it.
bool forkedFromDevices();

} // namespace quernel::runtime

#endif
