#include "device_arrays.h"

#include "device_buffer.h"
#include "errors.h"
#include "forms.h"
#include "numpy_api.h"
#include "runtime/device/Devices.h"

#include <algorithm>
#include <array>
#include <memory>
#include <pybind11/stl.h>
#include <structmember.h>
#include <utility>
#include <vector>

namespace quernel::binding {

namespace {

/// The Python class `DeviceArray`, which lives as long as the process, and where its objects keep their headers.
PyObject *arrayType = nullptr;
Py_ssize_t headerOffset = 0;

PyObject *&headerSlot(PyObject *deviceArray) {
  return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(deviceArray) + headerOffset);
}

void registerArrayType(const py::type &type) {
  PyObject *member = _PyType_Lookup(reinterpret_cast<PyTypeObject *>(type.ptr()), py::str("_header").ptr());
  if (!member || !Py_IS_TYPE(member, &PyMemberDescr_Type))
    throw py::type_error("a class of arrays on devices needs a slot _header");
  headerOffset = reinterpret_cast<PyMemberDescrObject *>(member)->d_member->offset;
  arrayType = py::object(type).release().ptr();
}

std::array<int64_t, NPY_MAXDIMS> stridesInOrder(int64_t itemBytes, int rank, const int64_t *sizes) {
  std::array<int64_t, NPY_MAXDIMS> strides;
  int64_t step = itemBytes;
  for (int axis = rank; axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

PyObject *headerInOrder(py::handle buffer, void *address, py::handle descr, int rank, const int64_t *sizes,
                        bool isWriteable) {
  const int64_t itemBytes = PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(descr.ptr()));
  const auto strides = stridesInOrder(itemBytes, rank, sizes);
  return newHeader(buffer, address, descr, rank, sizes, strides.data(), isWriteable);
}

/// Makes a header with a buffer that is made by `make`, whose errors become Python's.
template <typename Make> PyObject *headerWith(py::handle descr, int rank, const int64_t *sizes, Make make) {
  try {
    const py::object buffer = py::cast(std::unique_ptr<DeviceBuffer>(make()));
    void *address = reinterpret_cast<void *>(buffer.cast<const DeviceBuffer &>().address());
    return headerInOrder(buffer, address, descr, rank, sizes, true);
  } catch (const runtime::DeviceFailure &failure) {
    setDeviceError(failure.what());
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  return nullptr;
}

/// For `DeviceArray`, which makes its header when somebody asks.
py::object headerForPython(const py::object &buffer, uintptr_t address, const std::vector<int64_t> &sizes,
                           const std::vector<int64_t> &strides, const py::object &descr, bool isWriteable) {
  if (!PyArray_DescrCheck(descr.ptr()) || sizes.size() != strides.size() || sizes.size() > NPY_MAXDIMS)
    throw py::type_error("device_header: expected a dtype, and a stride for each size");
  PyObject *header = newHeader(buffer, reinterpret_cast<void *>(address), descr, static_cast<int>(sizes.size()),
                               sizes.data(), strides.data(), isWriteable);
  if (!header)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(header);
}

} // namespace

PyObject *newHeader(py::handle buffer, void *address, py::handle descr, int rank, const int64_t *sizes,
                    const int64_t *strides, bool isWriteable) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  auto *type = reinterpret_cast<PyArray_Descr *>(descr.inc_ref().ptr()); // NumPy takes this reference
  PyObject *header = PyArray_NewFromDescr(&PyArray_Type, type, rank, reinterpret_cast<const npy_intp *>(sizes),
                                          reinterpret_cast<const npy_intp *>(strides), address,
                                          isWriteable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
  if (header && PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(header), buffer.inc_ref().ptr()) < 0)
    Py_CLEAR(header);
  return header;
}

PyObject *newHeaderOn(int device, py::handle descr, int rank, const int64_t *sizes, int64_t bytes) {
  return headerWith(descr, rank, sizes, [&] { return new DeviceBuffer(device, bytes); });
}

PyObject *adoptedHeader(runtime::Device &device, void *memory, py::handle descr, int rank, const int64_t *sizes,
                        int64_t bytes) {
  return headerWith(descr, rank, sizes, [&] { return new DeviceBuffer(device, memory, bytes); });
}

PyObject *reshapedHeader(PyObject *header, int rank, const int64_t *sizes) {
  auto *array = reinterpret_cast<PyArrayObject *>(header);
  return headerInOrder(PyArray_BASE(array), PyArray_DATA(array), reinterpret_cast<PyObject *>(PyArray_DESCR(array)),
                       rank, sizes, PyArray_ISWRITEABLE(array));
}

PyObject *headerOf(PyObject *deviceArray) {
  if (!arrayType || reinterpret_cast<PyObject *>(Py_TYPE(deviceArray)) != arrayType) {
    PyErr_Format(PyExc_TypeError, "expected a DeviceArray, not %.200s", Py_TYPE(deviceArray)->tp_name);
    return nullptr;
  }
  if (PyObject *known = headerSlot(deviceArray))
    return known;
  auto made = py::reinterpret_steal<py::object>(PyObject_CallMethod(deviceArray, "header", nullptr)); // which keeps it
  return made ? headerSlot(deviceArray) : nullptr;
}

PyObject *headerOn(PyObject *object, int device) {
  if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != arrayType)
    return nullptr;
  PyObject *header = headerOf(object);
  PyErr_Clear();
  PyObject *base = header ? PyArray_BASE(reinterpret_cast<PyArrayObject *>(header)) : nullptr;
  if (!base || !py::isinstance<DeviceBuffer>(base) || py::handle(base).cast<const DeviceBuffer &>().number() != device)
    return nullptr;
  return header;
}

PyObject *newDeviceArray(PyObject *header, PyObject *source) {
  PyObject *buffer = PyArray_BASE(reinterpret_cast<PyArrayObject *>(source));
  const bool isWhole = header == source;
  const auto address = reinterpret_cast<uintptr_t>(PyArray_DATA(reinterpret_cast<PyArrayObject *>(header)));
  return PyObject_CallMethod(arrayType, "_from_header", "OOKO", header, buffer,
                             static_cast<unsigned long long>(address), isWhole ? Py_True : Py_False);
}

void bindDeviceArrays(py::module_ &module) {
  module.def("register_device_array", registerArrayType, py::arg("type"), "Say which class DeviceArray is.");
  module.def("device_header", headerForPython, py::arg("buffer"), py::arg("address"), py::arg("shape"),
             py::arg("strides"), py::arg("dtype"), py::arg("writeable"),
             "An ndarray at an address of a device's, whose elements nobody may read.");
}

} // namespace quernel::binding
