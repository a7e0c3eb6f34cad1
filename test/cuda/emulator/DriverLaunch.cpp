// The driver's functions of streams, events, modules and launches.
#include "Driver.h"

#include "Settings.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

using namespace emulator;

DRIVER cuStreamCreate(Stream **result, unsigned flags) {
  ENTER_CONTEXT
  static int made = 0;
  auto stream = std::make_unique<Stream>(Driver::get().context()->device, (flags & 1) == 0, ++made);
  *result = stream.get();
  Driver::get().streams[*result] = std::move(stream);
  return Success;
}
DRIVER cuStreamCreateWithPriority(Stream **stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }

DRIVER cuStreamDestroy_v2(Stream *stream) {
  ENTER_CONTEXT
  auto found = Driver::get().streams.find(stream);
  if (found == Driver::get().streams.end())
    return InvalidHandle;
  // Others may wait for its work, directly or by an event.
  if (int code = drainAll())
    return code;
  for (const auto &[handle, event] : Driver::get().events)
    if (event->stream == stream)
      event->stream = nullptr;
  Driver::get().streams.erase(found);
  return Success;
}

DRIVER cuStreamSynchronize(void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  if (!stream)
    return InvalidHandle;
  stream->drain();
  return Driver::get().sticky;
}

/// Who asks again and again sees some more of the work done.
DRIVER cuStreamQuery(void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  if (!stream)
    return InvalidHandle;
  bool isDone = stream->progress();
  return Driver::get().sticky != Success ? Driver::get().sticky : isDone ? Success : NotReady;
}

static Event *findEvent(const void *handle) {
  auto found = Driver::get().events.find(handle);
  return found == Driver::get().events.end() ? nullptr : found->second.get();
}

DRIVER cuEventCreate(Event **event, unsigned) {
  ENTER_CONTEXT
  auto made = std::make_unique<Event>();
  *event = made.get();
  Driver::get().events[*event] = std::move(made);
  return Success;
}

DRIVER cuEventDestroy_v2(Event *event) {
  ENTER_CONTEXT
  return Driver::get().events.erase(event) ? Success : InvalidHandle;
}

DRIVER cuEventRecord(Event *handle, void *streamHandle) {
  ENTER_CONTEXT
  Event *event = findEvent(handle);
  Stream *stream = findStream(streamHandle);
  if (!event || !stream)
    return InvalidHandle;
  auto note = [handle] {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    if (Event *event = findEvent(handle))
      event->nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return Success;
  };
  int code = stream->submit({note, "", true});
  event->stream = stream;
  event->ticket = stream->issued;
  return code;
}

DRIVER cuStreamWaitEvent(void *streamHandle, Event *handle, unsigned) {
  ENTER_CONTEXT
  Event *event = findEvent(handle);
  Stream *stream = findStream(streamHandle);
  if (!event || !stream)
    return InvalidHandle;
  if (!event->stream)
    return Success;
  return stream->submit({[] { return Success; }, "", true, {{event->stream, event->ticket}}});
}

DRIVER cuEventSynchronize(Event *handle) {
  ENTER_CONTEXT
  Event *event = findEvent(handle);
  if (!event)
    return InvalidHandle;
  if (event->stream)
    event->stream->drain(event->ticket);
  return Driver::get().sticky;
}

DRIVER cuEventQuery(Event *handle) {
  ENTER_CONTEXT
  Event *event = findEvent(handle);
  if (!event)
    return InvalidHandle;
  bool wasPending = event->isPending();
  if (wasPending)
    event->stream->progress();
  return Driver::get().sticky != Success ? Driver::get().sticky : wasPending ? NotReady : Success;
}

DRIVER cuEventElapsedTime_v2(float *milliseconds, Event *fromHandle, Event *toHandle) {
  ENTER_CONTEXT
  Event *from = findEvent(fromHandle), *to = findEvent(toHandle);
  if (!from || !to || (!from->stream && !from->nanoseconds) || (!to->stream && !to->nanoseconds))
    return InvalidHandle;
  if (from->isPending() || to->isPending())
    return NotReady;
  *milliseconds = static_cast<float>(to->nanoseconds - from->nanoseconds) * 1e-6f;
  return Success;
}
DRIVER cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}

DRIVER cuModuleLoadDataEx(LoadedModule **result, const void *image, unsigned, int *, void **) {
  ENTER_CONTEXT
  std::string why;
  auto loaded = std::make_unique<LoadedModule>();
  if (strncmp(static_cast<const char *>(image), ".version", 8) == 0)
    loaded->ptx = Ptx::parse(static_cast<const char *>(image), why);
  else
    loaded->module = Module::load(image, &Launch::interface(), why);
  if (!loaded->ptx && !loaded->module)
    return Driver::get().fail(why.find("capability") != std::string::npos ? NoBinaryForDevice : InvalidImage,
                              "cuModuleLoadData: " + why);
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
  if (int code = drainAll())
    return code;
  return Driver::get().modules.erase(module) ? Success : InvalidHandle;
}

DRIVER cuModuleGetFunction(Function **function, LoadedModule *module, const char *name) {
  ENTER_CONTEXT
  if (Driver::get().modules.count(module) == 0)
    return InvalidHandle;
  const Kernel *kernel = module->ptx ? module->ptx->kernel(name) : module->module->kernel(name);
  if (!kernel)
    return NotFound;
  std::unique_ptr<Function> &slot = module->functions[name];
  if (!slot)
    slot = std::make_unique<Function>(Function{module->module.get(), module->ptx.get(), kernel});
  *function = slot.get();
  return Success;
}

DRIVER cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, LoadedModule *module, const char *name) {
  ENTER_CONTEXT
  if (Driver::get().modules.count(module) == 0)
    return InvalidHandle;
  if (!module->module)
    return NotFound;
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
    *value = static_cast<int>(function->sharedBytes());
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

/// Parameters lie at multiples of their sizes, up to 16 bytes.
DRIVER cuFuncGetParamInfo(Function *function, size_t number, size_t *offset, size_t *bytes) {
  ENTER
  if (!isFunction(function))
    return InvalidHandle;
  const Kernel &kernel = *function->kernel;
  if (number >= kernel.parameters)
    return InvalidValue;
  size_t end = 0;
  for (size_t k = 0; k <= number; ++k) {
    size_t step = std::min<size_t>(std::bit_ceil(size_t(kernel.sizes[k])), 16);
    *offset = (end + step - 1) / step * step;
    end = *offset + kernel.sizes[k];
  }
  *bytes = kernel.sizes[number];
  return Success;
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
  size_t shared = std::max<size_t>(dynamic + function->sharedBytes(), 1);
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
  // Without asking for more, a kernel has 48 KiB together with what it declares.
  unsigned declared = function.sharedBytes(), usual = 48 << 10;
  if (declared > usual)
    return "the kernel declares " + std::to_string(declared) + " bytes of shared memory, more than a block has";
  if (shape.shared > unsigned(function.mostDynamic) ||
      (unsigned(function.mostDynamic) <= usual && declared + shape.shared > usual))
    return "a block asks for " + std::to_string(shape.shared) + " bytes of shared memory beside " +
           std::to_string(declared) + " declared ones, and the limit is " + std::to_string(function.mostDynamic);
  return {};
}

/// The arguments, each in a whole number of words, so that they have the alignment.
static std::vector<std::vector<char>> copies(const Kernel &kernel, void **parameters) {
  std::vector<std::vector<char>> result;
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    result.emplace_back((kernel.sizes[i] + 15) / 16 * 16);
    memcpy(result.back().data(), parameters[i], kernel.sizes[i]);
  }
  return result;
}

int emulator::request(const char *name, const Function *function, const Shape &shape, void **parameters, void **extra,
                      LaunchRequest &made) {
  Driver &driver = Driver::get();
  if (!isFunction(function))
    return driver.fail(InvalidHandle, std::string(name) + ": the function doesn't exist");
  const Kernel &kernel = *function->kernel;
  if (std::string why = obstacle(*function, shape); !why.empty())
    return driver.fail(InvalidValue, std::string(kernel.name) + ": " + why);
  const unsigned threads = shape.threads.x * shape.threads.y * shape.threads.z;
  if (threads > unsigned(threadLimit(function)))
    return driver.fail(LaunchOutOfResources, std::string(kernel.name) + ": a block has more threads than the " +
                                                 std::to_string(threadLimit(function)) + " of its launch bounds");
  if (extra || (kernel.parameters != 0 && !parameters))
    return driver.fail(InvalidValue, std::string(kernel.name) + ": arguments are needed as a list of addresses");
  made = {function, shape, copies(kernel, parameters)};
  return Success;
}

int emulator::launch(const LaunchRequest &asked, int device) {
  Driver &driver = Driver::get();
  if (!isFunction(asked.function))
    return driver.fail(InvalidHandle, "a kernel of a graph belongs to a module that is unloaded");
  const Function &function = *asked.function;
  int code = Success;
  if (function.ptx) {
    if (std::string why = function.ptx->run(asked.values, device, setCondition); !why.empty())
      code = driver.fail(IllegalAddress, why);
  } else {
    std::vector<const void *> addresses;
    for (const std::vector<char> &value : asked.values)
      addresses.push_back(value.data());
    Launch launch(*function.module, *function.kernel, asked.shape, device);
    if (!launch.run(addresses.data()))
      code = driver.fail(launch.failure == Launch::Failure::Address ? IllegalAddress : LaunchFailed, launch.text);
  }
  if (code == Success || !lateErrors())
    return code;
  driver.sticky = code;
  return Success;
}

DRIVER cuLaunchKernel(Function *function, unsigned blocksX, unsigned blocksY, unsigned blocksZ, unsigned threadsX,
                      unsigned threadsY, unsigned threadsZ, unsigned shared, void *streamHandle, void **parameters,
                      void **extra) {
  ENTER_CONTEXT
  Driver &driver = Driver::get();
  Stream *stream = findStream(streamHandle);
  if (!stream)
    return driver.fail(InvalidHandle, "cuLaunchKernel: the stream doesn't exist");
  LaunchRequest asked;
  Shape shape = {{blocksX, blocksY, blocksZ}, {threadsX, threadsY, threadsZ}, shared};
  if (int code = request("cuLaunchKernel", function, shape, parameters, extra, asked))
    return code;
  const std::string name = std::string("kernel ") + function->kernel->name;
  auto run = [asked, device = driver.context()->device] { return launch(asked, device); };
  return stream->submit({run, name});
}
