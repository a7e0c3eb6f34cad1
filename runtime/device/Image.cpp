#include "runtime/device/Image.h"
#include <string>

using namespace quernel::runtime;

Image::Image(Device &device, const ProgramImage &image) : device(device), image(image) {
  while (image.kernels && image.kernels[count])
    ++count;
  functions = std::make_unique<std::atomic<DriverFunction>[]>(count);
}

Image::~Image() {
  if (module)
    device.unload(module);
}

DriverFunction Image::functionOf(int32_t kernel) {
  if (kernel < 0 || kernel >= count)
    throw DeviceFailure("a program asks for its kernel " + std::to_string(kernel) + ", and has " +
                        std::to_string(count));
  if (const DriverFunction known = functions[kernel].load(std::memory_order_acquire)) [[likely]]
    return known;
  std::lock_guard lock(mutex);
  if (!module) {
    const std::string_view bytes(static_cast<const char *>(image.bytes), image.size);
    // Texts have to end with a null character, which need not be one of their bytes.
    const bool isText = !bytes.starts_with("\x7f"
                                           "ELF");
    module = device.load(isText ? std::string(bytes).c_str() : bytes.data());
  }
  const DriverFunction found = device.function(module, image.kernels[kernel]);
  functions[kernel].store(found, std::memory_order_release);
  return found;
}

void Image::launch(int32_t kernel, const qn_grid &grid, void *const *arguments) {
  device.launch(functionOf(kernel), image.kernels[kernel], grid, arguments);
}

int32_t Image::find(std::string_view name) const {
  for (int32_t kernel = count - 1; kernel >= 0; --kernel)
    if (image.kernels[kernel] == name)
      return kernel;
  return -1;
}
