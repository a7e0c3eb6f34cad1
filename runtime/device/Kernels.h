// The kernels of a program, loaded on a device.
#ifndef QUERNEL_RUNTIME_DEVICE_KERNELS_H
#define QUERNEL_RUNTIME_DEVICE_KERNELS_H

#include "runtime/abi.h"
#include "runtime/device/Device.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace quernel::runtime {

/// The numbers of the kernels of RoutineKernels.def among a program's; -1 for those that its routines don't need.
struct RoutineKernels {
#define QN_ROUTINE_KERNEL(member, ...) int32_t member = -1;
#include "runtime/device/RoutineKernels.def"

  bool areThere() const { return copy >= 0; }
};

/// The images of a program on one device, each loaded as the first of its kernels is asked for.
class Kernels {
public:
  /// @param images  of a program that stays loaded; null for none
  Kernels(Device &device, qn_images images);
  /// Unloads them; no launch may be under way.
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  /// Runs a kernel by its number, and doesn't wait for it. The device's context has to be current.
  /// @throws DeviceFailure where its image has nothing for such a device, or can't be loaded, there is no such kernel,
  /// or the driver refuses the launch
  void launch(int32_t kernel, const qn_grid &grid, void *const *arguments);

  /// Puts a kernel into the graph of a loop instead.
  /// @throws DeviceFailure
  void add(int32_t kernel, const qn_grid &grid, void *const *arguments, LoopGraph &graph);

  /// The bytes of each argument of a kernel, which is loaded; none where the driver doesn't tell, or there is no such
  /// kernel.
  std::span<const size_t> argumentBytes(int32_t kernel);

  const RoutineKernels &forRoutines() const { return routines; }

private:
  struct Image {
    const qn_binary *binaries;
    DriverModule module = nullptr;
  };
  /// A kernel of the program, by its number.
  struct Kernel {
    const char *name;
    size_t image;
    std::atomic<DriverFunction> function = nullptr;
    std::optional<std::vector<size_t>> argumentBytes; ///< if somebody has asked for them
  };

  /// The number of the kernel of a name in the program's own image, which is the first; -1 where there is none.
  int32_t find(std::string_view name) const;
  DriverModule loaded(const qn_binary *binaries);
  DriverFunction functionOf(Kernel &kernel);
  Kernel &numbered(int32_t kernel);

  Device &device;
  std::vector<Image> images;
  std::unique_ptr<Kernel[]> kernels;
  int32_t count = 0; ///< of the kernels
  RoutineKernels routines;
  std::mutex mutex;
};

} // namespace quernel::runtime

#endif
