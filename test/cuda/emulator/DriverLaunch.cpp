// The driver's functions of streams, events, modules and launches.
#include "Driver.h"

#include "Settings.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace emulator;

static bool isStream(const void *stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 || Driver::get().streams.count(stream) != 0;
}

DRIVER cuStreamCreate(Stream **stream, unsigned) {
  ENTER_CONTEXT
  *stream = new Stream{Driver::get().context()->device};
  Driver::get().streams.insert(*stream);
  return Success;
}
DRIVER cuStreamCreateWithPriority(Stream **stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }

DRIVER cuStreamDestroy_v2(Stream *stream) {
  ENTER_CONTEXT
  if (Driver::get().streams.erase(stream) == 0)
    return InvalidHandle;
  delete stream;
  return Success;
}

DRIVER cuStreamSynchronize(Stream *stream) {
  ENTER_CONTEXT
  return isStream(stream) ? Success : InvalidHandle;
}
DRIVER cuStreamQuery(Stream *stream) {
  ENTER_CONTEXT
  return isStream(stream) ? Success : InvalidHandle;
}

static bool isEvent(const void *event) { return Driver::get().events.count(event) != 0; }

DRIVER cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
  ENTER_CONTEXT
  return isStream(stream) && isEvent(event) ? Success : InvalidHandle;
}

DRIVER cuEventCreate(Event **event, unsigned) {
  ENTER_CONTEXT
  *event = new Event{0, false};
  Driver::get().events.insert(*event);
  return Success;
}

DRIVER cuEventDestroy_v2(Event *event) {
  ENTER_CONTEXT
  if (Driver::get().events.erase(event) == 0)
    return InvalidHandle;
  delete event;
  return Success;
}

DRIVER cuEventRecord(Event *event, Stream *stream) {
  ENTER_CONTEXT
  if (!isEvent(event) || !isStream(stream))
    return InvalidHandle;
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  *event = {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), true};
  return Success;
}

DRIVER cuEventSynchronize(Event *event) {
  ENTER_CONTEXT
  return isEvent(event) ? Success : InvalidHandle;
}
DRIVER cuEventQuery(Event *event) {
  ENTER_CONTEXT
  return isEvent(event) ? Success : InvalidHandle;
}

DRIVER cuEventElapsedTime_v2(float *milliseconds, Event *from, Event *to) {
  ENTER_CONTEXT
  if (!isEvent(from) || !isEvent(to) || !from->isRecorded || !to->isRecorded)
    return InvalidHandle;
  *milliseconds = static_cast<float>(to->nanoseconds - from->nanoseconds) * 1e-6f;
  return Success;
}
DRIVER cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}

DRIVER cuModuleLoadDataEx(LoadedModule **result, const void *image, unsigned, int *, void **) {
  ENTER_CONTEXT
  std::string why;
  std::unique_ptr<Module> module = Module::load(image, &Launch::interface(), why);
  if (!module)
    return Driver::get().fail(why.find("capability") != std::string::npos ? NoBinaryForDevice : InvalidImage,
                              "cuModuleLoadData: " + why);
  auto loaded = std::make_unique<LoadedModule>();
  loaded->module = std::move(module);
  *result = loaded.get();
  Driver::get().modules[*result] = std::move(loaded);
  return Success;
}
DRIVER cuModuleLoadData(LoadedModule **result, const void *image) {
  ENTER_CONTEXT
  return cuModuleLoadDataEx(result, image, 0, nullptr, nullptr);
}

DRIVER cuModuleUnload(LoadedModule *module) {
  ENTER_CONTEXT
  return Driver::get().modules.erase(module) ? Success : InvalidHandle;
}

DRIVER cuModuleGetFunction(Function **function, LoadedModule *module, const char *name) {
  ENTER_CONTEXT
  if (Driver::get().modules.count(module) == 0)
    return InvalidHandle;
  const Kernel *kernel = module->module->kernel(name);
  if (!kernel)
    return NotFound;
  std::unique_ptr<Function> &slot = module->functions[name];
  if (!slot)
    slot = std::make_unique<Function>(Function{module->module.get(), kernel});
  *function = slot.get();
  return Success;
}

DRIVER cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, LoadedModule *module, const char *name) {
  ENTER_CONTEXT
  if (Driver::get().modules.count(module) == 0)
    return InvalidHandle;
  Range range = module->module->variable(name);
  if (address)
    *address = range.begin;
  if (bytes)
    *bytes = range.size;
  return range.begin ? Success : NotFound;
}

static bool isFunction(const Function *function) {
  for (const auto &[handle, loaded] : Driver::get().modules)
    for (const auto &[name, known] : loaded->functions)
      if (known.get() == function)
        return true;
  return false;
}

static constexpr int mostThreads = 1024, mostDynamicOptIn = 99 << 10;

static int threadLimit(const Function *function) {
  return function->kernel->threads > 0 ? std::min(function->kernel->threads, mostThreads) : mostThreads;
}

DRIVER cuFuncGetAttribute(int *value, int attribute, Function *function) {
  ENTER
  if (!isFunction(function))
    return InvalidHandle;
  switch (attribute) {
  case 0:
    *value = threadLimit(function);
    return Success;
  case 1:
    // Of all the module's kernels.
    *value = static_cast<int>(function->module->shared.size);
    return Success;
  case 4:
    *value = 32;
    return Success;
  case 5:
  case 6:
    *value = settings().major * 10 + settings().minor;
    return Success;
  case 8:
    *value = function->mostDynamic;
    return Success;
  default:
    *value = 0;
    return Success;
  }
}

DRIVER cuFuncSetAttribute(Function *function, int attribute, int value) {
  ENTER_CONTEXT
  if (!isFunction(function))
    return InvalidHandle;
  if (attribute != 8)
    return Success;
  if (value < 0 || value > mostDynamicOptIn)
    return InvalidValue;
  function->mostDynamic = value;
  return Success;
}

DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads, size_t dynamic) {
  ENTER_CONTEXT
  if (!isFunction(function))
    return InvalidHandle;
  if (threads <= 0)
    return InvalidValue;
  size_t shared = std::max<size_t>(dynamic, 1);
  *blocks = threads > threadLimit(function)
                ? 0
                : static_cast<int>(std::min<size_t>({16, size_t(2048 / threads), (100 << 10) / shared}));
  return Success;
}

/// Why a launch can't be; empty where it can.
static std::string obstacle(const Function &function, const Shape &shape) {
  const Index &blocks = shape.blocks, &threads = shape.threads;
  if (!blocks.x || !blocks.y || !blocks.z || !threads.x || !threads.y || !threads.z)
    return "an extent of the grid or of its blocks is 0";
  if (blocks.x > 0x7FFFFFFF || blocks.y > 65535 || blocks.z > 65535)
    return "the grid has more blocks than a device can run";
  uint64_t count = uint64_t(threads.x) * threads.y * threads.z;
  if (threads.x > 1024 || threads.y > 1024 || threads.z > 64 || count > mostThreads)
    return "a block has " + std::to_string(count) + " threads, more than a device can run";
  if (shape.shared > unsigned(function.mostDynamic))
    return "a block asks for " + std::to_string(shape.shared) + " bytes of shared memory, and the limit is " +
           std::to_string(function.mostDynamic);
  return {};
}

/// The arguments as the kernel had them when it was launched, which the host may change at once.
static std::vector<std::vector<char>> copies(const Kernel &kernel, void **parameters) {
  std::vector<std::vector<char>> result;
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    // A whole number of words, so that they have the alignment.
    result.emplace_back((kernel.sizes[i] + 15) / 16 * 16);
    memcpy(result.back().data(), parameters[i], kernel.sizes[i]);
  }
  return result;
}

DRIVER cuLaunchKernel(Function *function, unsigned blocksX, unsigned blocksY, unsigned blocksZ, unsigned threadsX,
                      unsigned threadsY, unsigned threadsZ, unsigned shared, Stream *stream, void **parameters,
                      void **extra) {
  ENTER_CONTEXT
  Driver &driver = Driver::get();
  if (!isFunction(function) || !isStream(stream))
    return driver.fail(InvalidHandle, "cuLaunchKernel: the function or the stream doesn't exist");
  const Kernel &kernel = *function->kernel;
  Shape shape = {{blocksX, blocksY, blocksZ}, {threadsX, threadsY, threadsZ}, shared};
  if (std::string why = obstacle(*function, shape); !why.empty())
    return driver.fail(InvalidValue, std::string(kernel.name) + ": " + why);
  if (threadsX * threadsY * threadsZ > unsigned(threadLimit(function)))
    return driver.fail(LaunchOutOfResources, std::string(kernel.name) + ": a block has more threads than the " +
                                                 std::to_string(threadLimit(function)) + " of its launch bounds");
  if (extra || (kernel.parameters != 0 && !parameters))
    return driver.fail(InvalidValue, std::string(kernel.name) + ": arguments are needed as a list of addresses");
  std::vector<std::vector<char>> values = copies(kernel, parameters);
  std::vector<const void *> addresses;
  for (const std::vector<char> &value : values)
    addresses.push_back(value.data());
  Launch launch(*function->module, kernel, shape, driver.context()->device);
  if (launch.run(addresses.data()))
    return Success;
  int code = driver.fail(launch.failure == Launch::Failure::Address ? IllegalAddress : LaunchFailed, launch.text);
  if (!lateErrors())
    return code;
  driver.sticky = code;
  return Success;
}
