#include "device_arrays.h"
#include "extents.h"
#include "guards.h"
#include "numpy_api.h"

#include <cstdlib>

namespace quernel::binding {

static PyTypeObject *memmapType; // lives as long as NumPy's module

void findArrayTypes() {
  memmapType =
      reinterpret_cast<PyTypeObject *>(py::object(py::module_::import("numpy").attr("memmap")).release().ptr());
}

bool isArray(PyObject *object) { return Py_TYPE(object) == &PyArray_Type || Py_TYPE(object) == memmapType; }

int flagsOf(PyObject *array) {
  const int flags = PyArray_FLAGS(reinterpret_cast<PyArrayObject *>(array));
  return Py_TYPE(array) == &PyArray_Type ? flags | plainFlag : flags;
}

bool ArrayGuard::matches(PyObject *object, Frame &frame) const {
  if (device < 0)
    return isArray(object) && holds(object, frame);
  PyObject *header = headerOn(object, device);
  if (!header || !holds(header, frame))
    return false;
  Py_INCREF(object);
  frame.deviceArrays[input] = object;
  return true;
}

bool ArrayGuard::holds(PyObject *object, Frame &frame) const {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  if (PyArray_TYPE(array) != typeNumber || PyArray_NDIM(array) != static_cast<int>(shape.size()))
    return false;
  // NumPy keeps the contiguity flag right, and axes of size 1 don't matter to it.
  const int needed =
      NPY_ARRAY_ALIGNED | (written ? NPY_ARRAY_WRITEABLE : 0) | (dense && axes.empty() ? NPY_ARRAY_C_CONTIGUOUS : 0);
  if ((PyArray_FLAGS(array) & needed) != needed || !PyArray_ISNOTSWAPPED(array))
    return false;
  if (askedFlags != 0 && (flagsOf(object) & askedFlags) != flags)
    return false;
  const npy_intp *dims = PyArray_DIMS(array);
  int64_t bytes = itemBytes;
  for (const Dim &dim : shape) {
    const int64_t size = *dims++;
    bytes *= size;
    if (dim.symbol < 0) {
      if (size != dim.size)
        return false;
      continue;
    }
    int64_t &symbol = frame.sizes[dim.symbol];
    if (size < dim.size || (!dim.isFirst && symbol != size))
      return false;
    symbol = size;
  }
  if (dense ? !axes.empty() && !isDense(object) : !takeStrides(object, frame))
    return false;
  frame.bytes += bytes;
  frame.buffers[input] = PyArray_DATA(array);
  Py_INCREF(object);
  frame.objects[input] = object;
  return true;
}

bool ArrayGuard::isDense(PyObject *object) const {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  int64_t step = itemBytes;
  for (size_t place = shape.size(); place-- > 0;) {
    const int axis = static_cast<int>(axisInMemory(place));
    if (PyArray_DIM(array, axis) > 1 && PyArray_STRIDE(array, axis) != step)
      return false;
    step *= PyArray_DIM(array, axis);
  }
  return true;
}

bool ArrayGuard::takeStrides(PyObject *object, Frame &frame) const {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const npy_intp *actual = PyArray_STRIDES(array);
  int64_t span = 0;
  for (size_t place = shape.size(); place-- > 0;) {
    const size_t axis = axisInMemory(place);
    const int64_t size = PyArray_DIM(array, static_cast<int>(axis));
    const bool even = actual[axis] % itemBytes == 0;
    if (!even && size > 1)
      return false;
    const int64_t stride = even ? actual[axis] / itemBytes : 0;
    if (!strides.empty() && size > 1 && stride != strides[axis])
      return false;
    frame.sizes[strideOffset + place] = stride;
    if (!nested || size < 2)
      continue;
    if (std::abs(stride) <= span)
      return false;
    span += (size - 1) * std::abs(stride);
  }
  if (nested)
    return !isDense(object);
  return !written || !mayOverlapItself(object);
}

Inputs::Input &Inputs::declare(int64_t number, const std::string &where) {
  const auto k = static_cast<size_t>(number);
  if (k >= byNumber.size())
    byNumber.resize(k + 1);
  if (byNumber[k].declared)
    throw py::value_error(where + ": input " + std::to_string(k) + " is declared twice");
  byNumber[k].declared = true;
  return byNumber[k];
}

size_t Inputs::finish() {
  size_t offset = bound.size();
  for (size_t k = 0; k < byNumber.size(); ++k) {
    if (!byNumber[k].declared)
      throw py::value_error("no guard declares input " + std::to_string(k));
    if (ArrayGuard *array = byNumber[k].array; array && !array->dense) {
      array->strideOffset = offset;
      offset += array->shape.size();
    }
  }
  for (size_t k = 0; k < bound.size(); ++k)
    if (!bound[k])
      throw py::value_error("no array has a dimension with symbol " + std::to_string(k));
  return offset;
}

} // namespace quernel::binding
