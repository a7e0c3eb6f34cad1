#include "runtime/device/Kernels.h"
#include <string>

using namespace quernel::runtime;

Kernels::Kernels(Device &device, qn_images given) : device(device) {
  for (const qn_image *image = given; image && image->binaries; ++image) {
    images.push_back({image->binaries});
    for (const char *const *name = image->kernels; *name; ++name)
      ++count;
  }
  kernels = std::make_unique<Kernel[]>(count);
  for (size_t number = 0, next = 0; number < images.size(); ++number)
    for (const char *const *name = given[number].kernels; *name; ++name, ++next) {
      kernels[next].name = *name;
      kernels[next].image = number;
    }
#define QN_ROUTINE_KERNEL(member, ...) routines.member = find("routine_" #member);
#include "runtime/device/RoutineKernels.def"
}

Kernels::~Kernels() {
  for (const Image &image : images)
    if (image.module)
      device.unload(image.module);
}

/// The best of some binaries for a device of a compute capability: machine code before PTX, and what is for a device
/// most like it. Null where it can run none of them.
static const qn_binary *bestFor(int capability, const qn_binary *binaries) {
  const qn_binary *best = nullptr;
  for (const qn_binary *binary = binaries; binary->bytes; ++binary) {
    const bool isOfKind = binary->is_ptx || binary->capability / 10 == capability / 10;
    if (binary->capability > capability || !isOfKind)
      continue;
    const bool isBetter =
        !best || (binary->is_ptx == best->is_ptx ? binary->capability > best->capability : !binary->is_ptx);
    if (isBetter)
      best = binary;
  }
  return best;
}

static std::string versionText(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

DriverModule Kernels::loaded(const qn_binary *binaries) {
  const int capability = device.info().major * 10 + device.info().minor;
  const qn_binary *best = bestFor(capability, binaries);
  if (!best) {
    std::string there;
    for (const qn_binary *binary = binaries; binary->bytes; ++binary)
      there += (there.empty() ? "" : ", ") + versionText(binary->capability) + (binary->is_ptx ? " and later" : "");
    throw DeviceFailure(device.name() + ", of compute capability " + versionText(capability) +
                        ", can't run a program's kernels, which were compiled for " + there + ": compile them for sm_" +
                        std::to_string(capability));
  }
  const auto *bytes = static_cast<const char *>(best->bytes);
  // Texts have to end with a null character, which need not be one of their bytes.
  return device.load(best->is_ptx ? std::string(bytes, best->size).c_str() : bytes, best->is_ptx);
}

DriverFunction Kernels::functionOf(Kernel &kernel) {
  if (const DriverFunction known = kernel.function.load(std::memory_order_acquire)) [[likely]]
    return known;
  std::lock_guard lock(mutex);
  Image &image = images[kernel.image];
  if (!image.module)
    image.module = loaded(image.binaries);
  const DriverFunction found = device.function(image.module, kernel.name);
  kernel.function.store(found, std::memory_order_release);
  return found;
}

Kernels::Kernel &Kernels::numbered(int32_t kernel) {
  if (kernel < 0 || kernel >= count)
    throw DeviceFailure("a program asks for its kernel " + std::to_string(kernel) + ", and has " +
                        std::to_string(count));
  return kernels[kernel];
}

void Kernels::launch(int32_t kernel, const qn_grid &grid, void *const *arguments) {
  Kernel &asked = numbered(kernel);
  device.launch(functionOf(asked), asked.name, grid, arguments);
}

void Kernels::add(int32_t kernel, const qn_grid &grid, void *const *arguments, LoopGraph &graph) {
  graph.add(functionOf(numbered(kernel)), grid, arguments);
}

std::span<const size_t> Kernels::argumentBytes(int32_t kernel) {
  if (kernel < 0 || kernel >= count)
    return {};
  const DriverFunction function = functionOf(kernels[kernel]);
  std::lock_guard lock(mutex);
  std::optional<std::vector<size_t>> &known = kernels[kernel].argumentBytes;
  if (!known)
    known = device.parameterBytes(function);
  return *known;
}

int32_t Kernels::find(std::string_view name) const {
  for (int32_t kernel = count - 1; kernel >= 0; --kernel)
    if (kernels[kernel].image == 0 && kernels[kernel].name == name)
      return kernel;
  return -1;
}
