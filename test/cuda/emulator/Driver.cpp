#include "Driver.h"

#include "Settings.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <utility>
#include <vector>

namespace emulator {

Driver &Driver::get() {
  // Never destroyed: others call while the process ends.
  static auto *driver = new Driver;
  return *driver;
}

/// The contexts of the calling thread, the current one last.
static std::vector<Context *> &contexts() {
  static thread_local std::vector<Context *> contexts;
  return contexts;
}

Context *Driver::context() const { return contexts().empty() ? nullptr : contexts().back(); }

Context *Driver::primary(int device) {
  static std::map<int, Context> all;
  return &all.try_emplace(device, Context{device}).first->second;
}

int Driver::fail(int code, const std::string &text) {
  lastCode = code;
  lastText = text;
  fprintf(stderr, "emulator: %s\n", text.c_str());
  return code;
}

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {Success, "CUDA_SUCCESS", "no error"},
    {InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {InvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NoBinaryForDevice, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {InvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {Unknown, "CUDA_ERROR_UNKNOWN", "unknown error"}};

const char *Driver::text(int code) const {
  if (code == lastCode && code != Success)
    return lastText.c_str();
  for (const auto &error : errors)
    if (error.code == code)
      return error.text;
  return nullptr;
}

Call::Call(const char *name, bool needsContext) : code(Success), lock(Driver::get().mutex) {
  Driver &driver = Driver::get();
  ++driver.calls[name];
  if (!driver.isInitialized && strcmp(name, "cuInit") != 0)
    code = driver.fail(NotInitialized, std::string(name) + " is called before cuInit");
  else if (needsContext && !driver.context())
    code = driver.fail(InvalidContext, std::string(name) + " is called by a thread without a context");
  else if (refusedFunction() == name)
    code = driver.fail(NotSupported, std::string(name) + " is refused");
  else if (needsContext)
    code = driver.sticky;
}

} // namespace emulator

using namespace emulator;

DRIVER cuInit(unsigned flags) {
  // Not an entry that fails before the first call.
  Driver::get().isInitialized = true;
  ENTER
  return flags == 0 ? settings().devices > 0 ? Success : NoDevice : InvalidValue;
}

DRIVER cuDriverGetVersion(int *version) {
  *version = driverVersion();
  return Success;
}

DRIVER cuGetErrorName(int code, const char **name) {
  for (const auto &error : errors)
    if (error.code == code) {
      *name = error.name;
      return Success;
    }
  *name = nullptr;
  return InvalidValue;
}

DRIVER cuGetErrorString(int code, const char **text) {
  *text = Driver::get().text(code);
  return *text ? Success : InvalidValue;
}

DRIVER cuDeviceGetCount(int *count) {
  ENTER
  *count = settings().devices;
  return Success;
}

static bool isDevice(int device) { return device >= 0 && device < settings().devices; }

DRIVER cuDeviceGet(int *device, int ordinal) {
  ENTER
  *device = ordinal;
  return isDevice(ordinal) ? Success : InvalidDevice;
}

DRIVER cuDeviceGetName(char *name, int size, int device) {
  ENTER
  if (!isDevice(device))
    return InvalidDevice;
  snprintf(name, size, "Quernel emulator");
  return Success;
}

DRIVER cuDeviceGetUuid_v2(char *uuid, int device) {
  ENTER
  memset(uuid, 0, 16);
  uuid[15] = static_cast<char>(device + 1);
  return isDevice(device) ? Success : InvalidDevice;
}
DRIVER cuDeviceGetUuid(char *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

DRIVER cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER
  *bytes = settings().memory;
  return isDevice(device) ? Success : InvalidDevice;
}

/// By the numbers of CUdevice_attribute; those that aren't here are 0.
static const std::map<int, int> attributes = {
    {1, 1024},        // the threads of a block
    {2, 1024},        // and along x,
    {3, 1024},        // y
    {4, 64},          // and z
    {5, 0x7FFFFFFF},  // the blocks of a grid along x,
    {6, 65535},       // y
    {7, 65535},       // and z
    {8, 48 << 10},    // shared memory of a block
    {9, 64 << 10},    // constant memory
    {10, 32},         // lanes of a warp
    {11, 0x7FFFFFFF}, // pitch
    {12, 65536},      // registers of a block
    {13, 1000000},    // kHz
    {14, 512},        // alignment of textures
    {15, 1},          // copies and kernels overlap
    {16, 4},          // multiprocessors
    {19, 1},          // maps the host's memory
    {31, 1},          // concurrent kernels
    {36, 1000000},    // kHz of the memory
    {37, 256},        // bits of its bus
    {38, 4 << 20},    // level 2 cache
    {39, 2048},       // threads of a multiprocessor
    {40, 1},          // engines for copies
    {41, 1},          // unified addresses
    {81, 100 << 10},  // shared memory of a multiprocessor
    {82, 65536},      // its registers
    {97, 99 << 10},   // shared memory of a block that asks for it
    {106, 16},        // blocks of a multiprocessor
    {115, 1},         // pools of memory
};

DRIVER cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER
  if (!isDevice(device))
    return InvalidDevice;
  auto found = attributes.find(attribute);
  *value = attribute == 75             ? settings().major
           : attribute == 76           ? settings().minor
           : found == attributes.end() ? 0
                                       : found->second;
  return Success;
}

DRIVER cuDevicePrimaryCtxRetain(Context **context, int device) {
  ENTER
  if (!isDevice(device))
    return InvalidDevice;
  *context = Driver::get().primary(device);
  return Success;
}

DRIVER cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER
  return isDevice(device) ? Success : InvalidDevice;
}
DRIVER cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

DRIVER cuCtxSetCurrent(Context *context) {
  ENTER
  if (!contexts().empty())
    contexts().pop_back();
  if (context)
    contexts().push_back(context);
  return Success;
}

DRIVER cuCtxGetCurrent(Context **context) {
  ENTER
  *context = Driver::get().context();
  return Success;
}

DRIVER cuCtxPushCurrent_v2(Context *context) {
  ENTER
  contexts().push_back(context);
  return context ? Success : InvalidContext;
}

DRIVER cuCtxPopCurrent_v2(Context **context) {
  ENTER_WITH(false)
  if (contexts().empty())
    return InvalidContext;
  if (context)
    *context = contexts().back();
  contexts().pop_back();
  return Success;
}

DRIVER cuCtxGetDevice(int *device) {
  ENTER_CONTEXT
  *device = Driver::get().context()->device;
  return Success;
}

DRIVER cuCtxSynchronize() {
  ENTER_CONTEXT
  return drainAll();
}

DRIVER cuGetProcAddress_v2(const char *name, void **function, int, uint64_t, int *status) {
  static void *self = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void *>(&cuInit), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  *function = nullptr;
  for (const char *suffix : {"_v2", ""})
    if (!*function)
      *function = dlsym(self, (std::string(name) + suffix).c_str());
  if (status)
    *status = *function ? 0 : 1;
  return *function ? Success : NotFound;
}
DRIVER cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// What tests ask. Names may have their suffix _v2 or not.

static std::string plain(const std::string &name) {
  return name.size() > 3 && name.compare(name.size() - 3, 3, "_v2") == 0 ? name.substr(0, name.size() - 3) : name;
}

extern "C" __attribute__((visibility("default"))) int64_t emulator_count(const char *name) {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  int64_t sum = 0;
  for (const auto &[called, count] : Driver::get().calls)
    sum += plain(called) == plain(name) ? count : 0;
  return sum;
}

/// Of the copies "HtoD", "DtoH" and "DtoD".
extern "C" __attribute__((visibility("default"))) int64_t emulator_bytes(const char *direction) {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  return Driver::get().copied[direction];
}

extern "C" __attribute__((visibility("default"))) void emulator_reset_counts() {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  Driver::get().calls.clear();
  Driver::get().copied.clear();
}

/// What streams have done since this was asked last, with EMULATOR_LOG; as long as nobody asks again.
extern "C" __attribute__((visibility("default"))) const char *emulator_log() {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  static std::string told;
  told = std::exchange(Driver::get().log, {});
  return told.c_str();
}

/// Forgets the error that all calls return, which a device would not.
extern "C" __attribute__((visibility("default"))) void emulator_reset_error() {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  Driver::get().sticky = Success;
}
