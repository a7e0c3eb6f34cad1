// The kernels of a program, loaded on a device.
#ifndef QUERNEL_RUNTIME_DEVICE_IMAGE_H
#define QUERNEL_RUNTIME_DEVICE_IMAGE_H

#include "runtime/Loader.h"
#include "runtime/device/Device.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

namespace quernel::runtime {

/// The image of a program on one device, loaded as the first of its kernels is asked for.
class Image {
public:
  /// @param image  of a program that stays loaded
  Image(Device &device, const ProgramImage &image);
  /// Unloads it; no launch may be under way.
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  /// Runs a kernel by its number, and doesn't wait for it. The device's context has to be current.
  /// @throws DeviceFailure where the image can't be loaded, hasn't the kernel, or the driver refuses the launch
  void launch(int32_t kernel, const qn_grid &grid, void *const *arguments);

  /// The number of the kernel of a name; -1 where there is none.
  int32_t find(std::string_view name) const;

private:
  DriverFunction functionOf(int32_t kernel);

  Device &device;
  const ProgramImage image;
  int32_t count = 0; ///< of the kernels
  std::unique_ptr<std::atomic<DriverFunction>[]> functions;
  std::mutex mutex;
  DriverModule module = nullptr;
};

} // namespace quernel::runtime

#endif
