#include "runtime/device/Driver.h"
#include "runtime/abi.h"
#include "runtime/device/CudaFolders.h"
#include <cstdlib>
#include <dlfcn.h>
#include <utility>

using namespace quernel::runtime;

namespace {

thread_local std::string noted;

constexpr const char *libraryName = "libcuda.so.1";
/// The oldest driver whose machine code and functions programs are made for, and NVIDIA's number of it.
constexpr int oldestVersion = 12000;
constexpr const char *oldestDriver = "525";

/// Puts a library's functions into a table; the first one that it lacks, or null.
const char *resolve(void *library, Driver &driver) {
  const char *missing = nullptr;
#define QN_DRIVER_FUNCTION(member, symbol, ...)                                                                        \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));                                   \
  if (!driver.member && !missing)                                                                                      \
    missing = symbol;
#define QN_DRIVER_OPTION(member, symbol, ...)                                                                          \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));
#include "runtime/device/Driver.def"
  return missing;
}

std::string textOfVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

void quernel::runtime::noteDeviceProblem(const std::string &text) { noted = text; }

std::string quernel::runtime::notedDeviceProblem() { return noted.empty() ? qn_error_text(QN_DEVICE_FAILED) : noted; }

Driver Driver::load() {
  std::string looked, why;
  for (const CudaFolder &folder : cudaFolders()) {
    const std::string path = folder.file(libraryName);
    looked += (looked.empty() ? "" : ", ") + folder.name;
    // Local, and for good: others in the process may use the same library.
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
      const char *text = dlerror();
      why = text ? text : "unknown error";
      continue;
    }
    Driver driver;
    driver.path = path;
    if (const char *missing = resolve(library, driver))
      throw DeviceFailure("NVIDIA's driver (" + path + ") has no function " + missing + ": install the driver " +
                          oldestDriver + " or a later one");
    return driver;
  }
  throw DeviceFailure(std::string("there is no NVIDIA driver: ") + libraryName + " was looked for in " + looked + " (" +
                      why + "); install NVIDIA's driver " + oldestDriver + " or a later one, or compile for the CPU");
}

int Driver::start() const {
  const auto noDevice = [&] {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return DeviceFailure("NVIDIA's driver (" + path +
                         ") finds no GPU: see what `nvidia-smi` lists; CUDA_VISIBLE_DEVICES " +
                         (visible ? "is \"" + std::string(visible) + "\"" : "isn't set"));
  };
  const int code = init(0);
  if (code == driverNoDevice)
    throw noDevice();
  check(code, "NVIDIA's driver (" + path + ") can't begin; see what `nvidia-smi` says");
  int version = 0;
  check(getVersion(&version), "NVIDIA's driver (" + path + ") doesn't tell its version");
  if (version < oldestVersion)
    throw DeviceFailure("NVIDIA's driver (" + path + ") is one for CUDA " + textOfVersion(version) +
                        ", and programs need CUDA " + textOfVersion(oldestVersion) + ": install the driver " +
                        oldestDriver + " or a later one");
  int count = 0;
  check(getDeviceCount(&count), "NVIDIA's driver (" + path + ") can't count its devices");
  if (count < 1)
    throw noDevice();
  return count;
}

std::string Driver::versionText() const {
  int version = 0;
  return getVersion(&version) == driverSuccess ? textOfVersion(version) : "unknown version";
}

std::string Driver::textOf(int code) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(code, &name) != driverSuccess || !name)
    return "CUDA's error " + std::to_string(code);
  if (getErrorString(code, &text) != driverSuccess || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

void Driver::check(int code, const std::string &what) const {
  if (code != driverSuccess) [[unlikely]]
    throw DeviceFailure(what + ": " + textOf(code));
}
