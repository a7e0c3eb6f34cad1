// cuBLAS, cuSOLVER and cuFFT, which are looked for when a program first calls a routine that one of them has: the
// runtime isn't linked with them.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICELIBRARIES_H
#define QUERNEL_RUNTIME_DEVICE_DEVICELIBRARIES_H

#include "runtime/device/Driver.h"
#include <list>
#include <mutex>
#include <string>

namespace quernel::runtime {

class Device;

/// What cuBLAS and cuSOLVER keep of a device; cuSOLVER's parameters.
using LibraryHandle = struct LibraryHandleTag *;

#define QN_LIBRARY_FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
/// The functions of a library.
struct Cublas {
#include "runtime/device/Cublas.def"
};
#define QN_LIBRARY_FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
struct Cusolver {
#include "runtime/device/Cusolver.def"
};
#define QN_LIBRARY_FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
struct Cufft {
#include "runtime/device/Cufft.def"
};

/// Numbers of the libraries.
namespace cuda {
enum Flip : int { plain = 0, transposed = 1 };
enum Part : int { lower = 0, upper = 1 };
enum Side : int { left = 0 };
enum Diagonal : int { given = 0 };
enum Job : int { valuesAlone = 0, withVectors = 1 };
enum Element : int { realFloat = 0, realDouble = 1, complexFloat = 4, complexDouble = 5 };
enum Transform : int {
  complexFloats = 0x29,
  realToComplexFloats = 0x2a,
  complexToRealFloats = 0x2c,
  complexDoubles = 0x69,
  realToComplexDoubles = 0x6a,
  complexToRealDoubles = 0x6c
};
enum Direction : int { forward = -1, inverse = 1 };
/// Products of floats are those of floats in all steps. Those of doubles may come from units for matrices, which
/// multiply and add doubles.
enum Compute : int { floats = 69, doubles = 70 };
/// Products as they are asked for, with the same bits each time.
enum Setting : int { defaultMath = 0, noAtomics = 0, defaultAlgorithm = -1 };
} // namespace cuda

/// How many lines of how many points are transformed, from one row after the other to such rows.
struct TransformPlan {
  int type;
  int64_t points, lines;

  friend bool operator==(const TransformPlan &, const TransformPlan &) = default;
};

/// The libraries with what they keep of a device. A library that isn't found, lacks a function or can't begin on the
/// device isn't there; that is found out once. Who calls one holds `mutex`, and the device's context is current.
class DeviceLibraries {
public:
  explicit DeviceLibraries(Device &device) : device(device) {}
  DeviceLibraries(const DeviceLibraries &) = delete;
  DeviceLibraries &operator=(const DeviceLibraries &) = delete;

  std::mutex mutex;

  /// A library, which computes in the calling thread's stream; null where it isn't there.
  const Cublas *blas();
  const Cusolver *solver();
  const Cufft *fourier();

  LibraryHandle blasHandle() const { return blasState.handle; }
  LibraryHandle solverHandle() const { return solverState.handle; }
  LibraryHandle solverParameters() const { return parameters; }

  /// A plan of cuFFT's, which is kept, and the bytes of work memory that it needs.
  /// @throws DeviceFailure where cuFFT makes none
  int plan(const TransformPlan &wanted, size_t &workBytes);

  /// Does nothing for 0.
  /// @throws DeviceFailure
  void check(int code, const char *function) const;

private:
  template <typename Table> struct State {
    Table table;
    LibraryHandle handle = nullptr;
    DriverStream stream = nullptr; ///< that the handle computes in
    bool isAsked = false, isThere = false;
  };
  struct Plan {
    TransformPlan of;
    int handle;
    size_t workBytes;
    DriverStream stream;
  };

  template <typename Table, typename Begin> const Table *found(State<Table> &state, Begin begin);
  template <typename Table> const Table *inStream(State<Table> &state, const Table *found, const char *function);

  Device &device;
  State<Cublas> blasState;
  State<Cusolver> solverState;
  State<Cufft> fourierState;
  LibraryHandle parameters = nullptr;
  std::list<Plan> plans; ///< the one that was asked for last in front
};

} // namespace quernel::runtime

#endif
