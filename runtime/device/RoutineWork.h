// What the routines of a device's libraries share; for runtime/device/*.cpp only.
#ifndef QUERNEL_RUNTIME_DEVICE_ROUTINEWORK_H
#define QUERNEL_RUNTIME_DEVICE_ROUTINEWORK_H

#include "runtime/Library.h"
#include "runtime/device/DeviceLibraries.h"
#include "runtime/device/Kernels.h"
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace quernel::runtime {

/// Matrices in the device's memory, which lie so many elements from each other; a type of abi.h with floats.
struct DeviceMatrices {
  void *data;
  int32_t type;
  int64_t next, row, column;

  DeviceMatrices flipped() const { return {data, type, next, column, row}; }
};

inline bool isComplexType(int32_t type) { return type == QN_C64 || type == QN_C128; }
/// The type of the parts; of a real type itself.
inline int32_t realTypeOf(int32_t type) { return isComplexType(type) ? type - QN_C64 : type; }
inline int32_t complexTypeOf(int32_t type) { return isComplexType(type) ? type : type + QN_C64; }
/// The type that numpy.linalg computes in: that with doubles.
inline int32_t wideTypeOf(int32_t type) { return isComplexType(type) ? QN_C128 : QN_F64; }
/// The libraries' number of a type.
int elementOf(int32_t type);

/// Which places of a matrix a copy takes from another one; elsewhere are zeros, or for `identity` those and ones.
enum class MatrixPart : int64_t { all, lower, upper, identity, none };

/// The numbers that a copy multiplies the problems' elements with.
struct ScaleFactors {
  const void *data = nullptr;
  int32_t type = QN_F64;
  int64_t next = 0;
};

/// A call of a routine, with the memory that it needs from the device's pool; that goes back when this does, and
/// whoever gets it asks in the same stream. Throws DeviceFailures.
class RoutineWork {
public:
  RoutineWork(Device &device, Kernels &loaded, const RoutineCall &call) : used(device), loaded(loaded), call(call) {}
  ~RoutineWork();
  RoutineWork(const RoutineWork &) = delete;
  RoutineWork &operator=(const RoutineWork &) = delete;

  Device &device() const { return used; }
  DeviceLibraries &libraries() const { return used.libraries(); }

  int32_t routine() const { return call.routine; }
  int32_t type() const { return call.type; }
  int64_t size(int axis) const { return call.sizes[axis]; }
  int64_t batch() const { return call.sizes[0]; }
  /// An operand whose elements are of a type.
  DeviceMatrices operand(int number, int32_t type) const {
    const int64_t *strides = call.strides + int64_t(3) * number;
    return {call.operands[number], type, strides[0], strides[1], strides[2]};
  }
  DeviceMatrices operand(int number) const { return operand(number, call.type); }

  /// Memory for so many elements, at least one.
  template <typename T> T *take(int64_t count) { return static_cast<T *>(takeBytes(count, sizeof(T))); }
  /// Memory for the matrices of so many problems in Fortran's order; of all where the number is negative.
  DeviceMatrices takeMatrices(int32_t type, int64_t rows, int64_t columns, int64_t problems = -1);
  /// Memory for a size in bytes, null for none.
  void *takeWork(size_t bytes) { return bytes ? takeBytes(int64_t(bytes), 1) : nullptr; }

  /// cuBLAS, which has memory to work in until this goes; null where it isn't there.
  const Cublas *beginBlas();

  struct CopyOptions {
    MatrixPart part = MatrixPart::all;
    /// How many rows and columns there are to copy; behind them are zeros. All where they are negative.
    int64_t rows = -1, columns = -1;
    ScaleFactors factors{};
    /// The imaginary parts of the first row and of this one become 0; none where it is negative.
    int64_t lastReal = -1;
    /// How many problems; all where it is negative.
    int64_t problems = -1;
  };
  /// Copies the matrices of problems, of so many rows and columns; elements become those of the other type.
  void copy(const DeviceMatrices &from, const DeviceMatrices &to, int64_t rows, int64_t columns,
            const CopyOptions &options);
  void copy(const DeviceMatrices &from, const DeviceMatrices &to, int64_t rows, int64_t columns) {
    copy(from, to, rows, columns, CopyOptions());
  }
  /// The matrices of an input in Fortran's order, with doubles, in memory that may change.
  DeviceMatrices load(int operand, int64_t rows, int64_t columns);
  /// Identities, or zeros.
  void fill(const DeviceMatrices &to, int64_t rows, int64_t columns, MatrixPart part);

  /// The addresses of all problems' matrices, in the device's memory.
  void **addresses(const DeviceMatrices &of);
  /// Leaves a code in the last operand where a problem's number isn't 0, or a value of it isn't a number.
  void noteFailures(const int32_t *infos, int32_t code, const double *values = nullptr, int64_t next = 0);

  /// Runs one of the kernels that programs have for routines, for so many turns.
  void launch(int32_t kernel, int64_t turns, void *const *arguments);
  const RoutineKernels &kernels() const { return loaded.forRoutines(); }

private:
  void *takeBytes(int64_t count, int64_t each);

  Device &used;
  Kernels &loaded;
  const RoutineCall &call;
  std::vector<void *> blocks;
};

/// The routines; each returns QN_OK, or nothing where the host has to compute it.
std::optional<int32_t> multiplyOnDevice(RoutineWork &work);
std::optional<int32_t> solveOnDevice(RoutineWork &work);
std::optional<int32_t> invertOnDevice(RoutineWork &work);
std::optional<int32_t> determinantsOnDevice(RoutineWork &work);
std::optional<int32_t> signsAndLogarithmsOnDevice(RoutineWork &work);
std::optional<int32_t> factorizeOnDevice(RoutineWork &work);
std::optional<int32_t> choleskyOnDevice(RoutineWork &work);
std::optional<int32_t> solveLowerOnDevice(RoutineWork &work);
std::optional<int32_t> solveUpperOnDevice(RoutineWork &work);
std::optional<int32_t> qrOnDevice(RoutineWork &work);
std::optional<int32_t> qrCompleteOnDevice(RoutineWork &work);
std::optional<int32_t> qrTriangleOnDevice(RoutineWork &work);
std::optional<int32_t> svdOnDevice(RoutineWork &work);
std::optional<int32_t> svdFullOnDevice(RoutineWork &work);
std::optional<int32_t> singularValuesOnDevice(RoutineWork &work);
std::optional<int32_t> eighOnDevice(RoutineWork &work);
std::optional<int32_t> symmetricEigenvaluesOnDevice(RoutineWork &work);
std::optional<int32_t> eigOnDevice(RoutineWork &work);
std::optional<int32_t> eigenvaluesOnDevice(RoutineWork &work);
std::optional<int32_t> transformOnDevice(RoutineWork &work);

} // namespace quernel::runtime

#endif
