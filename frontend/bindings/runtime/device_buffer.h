/// \file
/// Memory of a device that a Python object has.

#ifndef QUERNEL_BINDINGS_RUNTIME_DEVICE_BUFFER_H
#define QUERNEL_BINDINGS_RUNTIME_DEVICE_BUFFER_H

#include "runtime/device/Device.h"

#include <pybind11/pybind11.h>

#include <cstdint>

namespace quernel::binding {

namespace py = pybind11;

/// Memory of a device that goes with the object.
class DeviceBuffer {
public:
  /// New memory. Throws a DeviceFailure where there is none, and a ValueError for fewer bytes than none.
  DeviceBuffer(int number, int64_t bytes);
  /// Memory of the device's pool that the object has from now on.
  DeviceBuffer(runtime::Device &device, void *memory, int64_t bytes);
  /// Memory that somebody else has, as long as the owner lives; what was written there precedes what the thread's
  /// stream is asked for.
  DeviceBuffer(int number, uintptr_t address, int64_t bytes, py::object owner);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory); }
  int64_t bytes() const { return size; }
  int number() const { return device->number(); }

  /// Which streams use the memory.
  runtime::StreamUse &use() const { return uses; }
  /// What somebody else's stream is asked for from now on comes behind all that was asked of the memory.
  void lend(uintptr_t stream) const;
  /// Waits until all that was asked of the memory is done.
  void await() const;

  /// Copies all bytes of an object with the buffer protocol to a place.
  void copyFrom(const py::object &from, int64_t offset);
  /// Copies bytes of another buffer of the same device.
  void copyBetween(const DeviceBuffer &from, int64_t bytes, int64_t fromOffset, int64_t offset);
  /// Fills an object with the buffer protocol with the bytes from a place on, and waits for them.
  void copyTo(const py::object &to, int64_t offset);

private:
  char *place(int64_t offset, size_t bytes) const;
  void awaitUses() noexcept;
  runtime::Device &usable() const;

  runtime::Device *device = nullptr;
  void *memory = nullptr;
  int64_t size = 0;
  py::object owner;
  mutable runtime::StreamUse uses;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_DEVICE_BUFFER_H
