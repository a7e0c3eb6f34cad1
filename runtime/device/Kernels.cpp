#include "runtime/device/Kernels.h"
#include <string>

using namespace quernel::runtime;

Kernels::Kernels(Device &device, qn_images given) : device(device) {
  for (const qn_image *image = given; image && image->bytes; ++image) {
    images.push_back({*image});
    for (const char *const *name = image->kernels; *name; ++name)
      ++count;
  }
  kernels = std::make_unique<Kernel[]>(count);
  for (size_t number = 0, next = 0; number < images.size(); ++number)
    for (const char *const *name = images[number].source.kernels; *name; ++name, ++next) {
      kernels[next].name = *name;
      kernels[next].image = number;
    }
#define QN_ROUTINE_KERNEL(member, name) routines.member = find(name);
#include "runtime/device/RoutineKernels.def"
}

Kernels::~Kernels() {
  for (const Image &image : images)
    if (image.module)
      device.unload(image.module);
}

DriverFunction Kernels::functionOf(Kernel &kernel) {
  if (const DriverFunction known = kernel.function.load(std::memory_order_acquire)) [[likely]]
    return known;
  std::lock_guard lock(mutex);
  Image &image = images[kernel.image];
  if (!image.module) {
    const std::string_view bytes(static_cast<const char *>(image.source.bytes), image.source.size);
    // Texts have to end with a null character, which need not be one of their bytes.
    const bool isText = !bytes.starts_with("\x7f"
                                           "ELF");
    image.module = device.load(isText ? std::string(bytes).c_str() : bytes.data());
  }
  const DriverFunction found = device.function(image.module, kernel.name);
  kernel.function.store(found, std::memory_order_release);
  return found;
}

void Kernels::launch(int32_t kernel, const qn_grid &grid, void *const *arguments) {
  if (kernel < 0 || kernel >= count)
    throw DeviceFailure("a program asks for its kernel " + std::to_string(kernel) + ", and has " +
                        std::to_string(count));
  device.launch(functionOf(kernels[kernel]), kernels[kernel].name, grid, arguments);
}

int32_t Kernels::find(std::string_view name) const {
  for (int32_t kernel = count - 1; kernel >= 0; --kernel)
    if (kernels[kernel].image == 0 && kernels[kernel].name == name)
      return kernel;
  return -1;
}
