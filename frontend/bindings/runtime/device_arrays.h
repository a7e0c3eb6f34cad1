/// \file
/// Arrays in the memory of devices: Python's `DeviceArray`, and its header.
///
/// A *header* is an ndarray of the same sizes and strides at the address on the device; its base has the memory. So
/// what is told of arrays by sizes, strides and addresses is told of those on devices by the same functions. The host
/// can't read its elements, and nobody outside of calls gets to see it.

#ifndef QUERNEL_BINDINGS_RUNTIME_DEVICE_ARRAYS_H
#define QUERNEL_BINDINGS_RUNTIME_DEVICE_ARRAYS_H

#include <pybind11/pybind11.h>

#include <cstdint>

namespace quernel::runtime {
class Device;
}

namespace quernel::binding {

namespace py = pybind11;

/// A new header, null with a Python error set.
/// @param buffer  whose memory it is
/// @param descr   a NumPy dtype
/// @param strides  in bytes
PyObject *newHeader(py::handle buffer, void *address, py::handle descr, int rank, const int64_t *sizes,
                    const int64_t *strides, bool isWriteable);

/// A new header of new memory, whose elements lie in the order of sizes. Null with a Python error set: a DeviceError
/// where the device has no memory.
PyObject *newHeaderOn(int device, py::handle descr, int rank, const int64_t *sizes, int64_t bytes);

/// The same for memory of the device's pool, which the header's base has from now on, whatever happens.
PyObject *adoptedHeader(runtime::Device &device, void *memory, py::handle descr, int rank, const int64_t *sizes,
                        int64_t bytes);

/// The first elements of a header's memory as another header, whose elements lie in the order of sizes.
PyObject *reshapedHeader(PyObject *header, int rank, const int64_t *sizes);

/// The header of a DeviceArray on a device, borrowed from it; null, without an error, for any other object.
PyObject *headerOn(PyObject *object, int device);

/// The header of a DeviceArray, borrowed from it; null with a Python error set.
PyObject *headerOf(PyObject *deviceArray);

/// A new DeviceArray of a header, or of a view of one. Null with a Python error set.
/// @param source  the header, of which `header` is a view or which it is itself
PyObject *newDeviceArray(PyObject *header, PyObject *source);

/// `_runtime.device_header` and where the runtime learns of `DeviceArray`.
void bindDeviceArrays(py::module_ &module);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_DEVICE_ARRAYS_H
