// CUDA's driver, which is looked for when somebody asks for a device: the runtime isn't linked with it.
#ifndef QUERNEL_RUNTIME_DEVICE_DRIVER_H
#define QUERNEL_RUNTIME_DEVICE_DRIVER_H

#include "runtime/device/DeviceFailure.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace quernel::runtime {

/// An address of the device's, CUdeviceptr.
using DriverAddress = void *;
using DriverContext = struct DriverContextTag *;
using DriverStream = struct DriverStreamTag *;
using DriverEvent = struct DriverEventTag *;
using DriverModule = struct DriverModuleTag *;
using DriverFunction = struct DriverFunctionTag *;

using DriverGraph = struct DriverGraphTag *;
using DriverNode = struct DriverNodeTag *;
using DriverRunnableGraph = struct DriverRunnableGraphTag *;

/// What a node of a graph is, CUgraphNodeParams; all of it that isn't used is 0.
struct DriverNodeParameters {
  struct Kernel {
    DriverFunction function;
    unsigned blocks[3], threads[3], shared;
    void **arguments, **extra;
    void *kernel;
    DriverContext context;
  };
  struct Conditional {
    uint64_t condition;
    int type;
    unsigned count;
    DriverGraph *bodies; ///< the driver's, as many as `count`
    DriverContext context;
  };

  int type, reserved[3];
  union {
    long long padding[29];
    Kernel kernel;
    Conditional conditional;
  };
  long long reservedToo;
};

/// What functions of the driver return.
enum : int {
  driverSuccess = 0,
  driverInvalidValue = 1,
  driverOutOfMemory = 2,
  driverNoDevice = 100,
  driverNoBinary = 209,
  driverNewerPtx = 222,
  driverNotReady = 600,
};

/// The functions of the driver. Tests make tables of their own.
struct Driver {
#define QN_DRIVER_FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
#include "runtime/device/Driver.def"

  /// Where the library was found.
  std::string path;

  /// Loads libcuda.so.1 from the folders lib64 of $CUDA_PATH and $CUDA_HOME, or from where the loader finds it. It
  /// stays loaded.
  /// @throws DeviceFailure where there is none, or it lacks a function
  static Driver load();

  /// Begins the driver and counts its devices.
  /// @throws DeviceFailure where it can't begin, is older than CUDA 12, or has no device
  int start() const;

  /// The version of CUDA that the driver is for, as "13.0".
  std::string versionText() const;

  /// The driver's name of an error, and its words for it.
  std::string textOf(int code) const;

  /// Does nothing for `driverSuccess`.
  /// @param what  what was asked, as in "device 0 can't copy 8 bytes"
  /// @throws DeviceFailure
  void check(int code, const std::string &what) const;
};

} // namespace quernel::runtime

#endif
