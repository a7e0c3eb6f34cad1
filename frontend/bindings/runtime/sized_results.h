/// \file
/// The nodes of a result tree for arrays whose sizes only the run has said. Each assumes that its numbers have been
/// checked, and that the program has returned.

#ifndef QUERNEL_BINDINGS_RUNTIME_SIZED_RESULTS_H
#define QUERNEL_BINDINGS_RUNTIME_SIZED_RESULTS_H

#include "device_arrays.h"
#include "numpy_api.h"
#include "pool_arrays.h"
#include "results.h"
#include "runtime/device/Devices.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace quernel::binding {

/// Gives a new array another shape, with the elements that come first.
inline bool reshape(PyObject *&object, npy_intp *sizes, int count, bool isOnDevice) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  if (isOnDevice) {
    PyObject *header = reshapedHeader(object, count, sizes);
    if (header)
      Py_SETREF(object, header);
    return header;
  }
  if (std::find(sizes, sizes + count, 0) !=
      sizes + count) { // a resized one would keep its strides, where NumPy's have none
    PyObject *empty = PyArray_SimpleNew(count, sizes, PyArray_TYPE(array));
    if (empty)
      Py_SETREF(object, empty);
    return empty;
  }
  PyArray_Dims shape = {sizes, count};
  constexpr int checkReferences = 0;
  auto none = py::reinterpret_steal<py::object>(PyArray_Resize(array, &shape, checkReferences, NPY_CORDER));
  return bool(none);
}

/// The first entries of an output, as many as another output says. It is cut in place, so that the result owns its
/// memory and is as NumPy would have made it.
class PrefixResult final : public ArrayResult {
public:
  PrefixResult(size_t place, bool isOnDevice, size_t count) : ArrayResult(place, isOnDevice), count(count) {}

  PyObject *array(const Frame &frame) const override {
    auto *array = reinterpret_cast<PyArrayObject *>(frame.objects[place]);
    if (!array)
      return PyErr_NoMemory();
    int64_t entries = 0;
    std::memcpy(&entries, frame.buffers[count], sizeof(entries));
    if (entries < 0 || entries > PyArray_DIM(array, 0)) {
      PyErr_Format(PyExc_SystemError, "a program has put %lld entries into an array of %lld",
                   static_cast<long long>(entries), static_cast<long long>(PyArray_DIM(array, 0)));
      return nullptr;
    }
    if (entries < PyArray_DIM(array, 0) && !cut(frame.objects[place], entries))
      return nullptr;
    Py_INCREF(frame.objects[place]);
    return frame.objects[place];
  }

private:
  /// No one else has seen the array yet.
  bool cut(PyObject *&object, npy_intp entries) const {
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    npy_intp sizes[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), PyArray_NDIM(array), sizes);
    sizes[0] = entries;
    return reshape(object, sizes, PyArray_NDIM(array), isOnDevice);
  }

  size_t count;
};

/// A shape that other outputs say, in the order of memory; `axes` says which one of the array's each of its axes is.
struct ShapeOfOutputs {
  /// A size that is known, or the place of an output that holds it.
  struct Size {
    int64_t known;
    std::optional<size_t> count;
  };

  std::vector<Size> shape;
  std::vector<size_t> axes;

  int rank() const { return static_cast<int>(shape.size()); }

  void read(const Frame &frame, npy_intp *sizes) const {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      int64_t size = shape[axis].known;
      if (shape[axis].count)
        std::memcpy(&size, frame.buffers[*shape[axis].count], sizeof(size));
      sizes[axis] = size;
    }
  }

  /// Whether so many elements are room for an array of some sizes.
  bool isWithin(const npy_intp *sizes, npy_intp room) const {
    const npy_intp *end = sizes + shape.size();
    if (std::any_of(sizes, end, [](npy_intp size) { return size < 0; }))
      return false;
    const bool isEmpty = std::find(sizes, end, 0) != end;
    return isEmpty || std::all_of(sizes, end, [&](npy_intp size) { return (room /= size) > 0; });
  }

  /// Gives an array whose axes are those of memory its own.
  void turn(PyArrayObject *array) const {
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), axes.size(), sizes);
    std::copy_n(PyArray_STRIDES(array), axes.size(), strides);
    for (size_t k = 0; k < axes.size(); ++k) {
      PyArray_DIMS(array)[axes[k]] = sizes[k];
      PyArray_STRIDES(array)[axes[k]] = strides[k];
    }
    PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
  }
};

/// The first elements of an output of one dimension, in a shape that other outputs say. It is reshaped in place, so
/// that the result owns its memory.
class RoomResult final : public ArrayResult {
public:
  RoomResult(size_t place, bool isOnDevice, ShapeOfOutputs shape)
      : ArrayResult(place, isOnDevice), shape(std::move(shape)) {}

  PyObject *array(const Frame &frame) const override {
    auto *array = reinterpret_cast<PyArrayObject *>(frame.objects[place]);
    if (!array)
      return PyErr_NoMemory();
    npy_intp sizes[NPY_MAXDIMS];
    shape.read(frame, sizes);
    if (!shape.isWithin(sizes, PyArray_SIZE(array))) {
      PyErr_Format(PyExc_SystemError, "a program has put too large an array into one of %lld",
                   static_cast<long long>(PyArray_SIZE(array)));
      return nullptr;
    }
    const bool isShaped = PyArray_NDIM(array) > 1; // for another place in the result
    if (!isShaped && !reshape(frame.objects[place], sizes, shape.rank(), isOnDevice))
      return nullptr;
    if (!isShaped)
      shape.turn(reinterpret_cast<PyArrayObject *>(frame.objects[place]));
    Py_INCREF(frame.objects[place]);
    return frame.objects[place];
  }

private:
  ShapeOfOutputs shape;
};

/// An array in memory that the program has handed over; an output holds the address, until an array owns the memory.
class HandedResult final : public ArrayResult {
public:
  /// @param device  the number of the one whose memory it is; -1 for the host
  HandedResult(size_t place, int device, py::object descr, ShapeOfOutputs shape)
      : ArrayResult(place, device >= 0), device(device), descr(std::move(descr)), shape(std::move(shape)) {}

  PyObject *array(const Frame &frame) const override {
    PyObject *&object = frame.objects[place];
    if (!object && !make(frame, object))
      return nullptr;
    Py_INCREF(object);
    return object;
  }

private:
  bool make(const Frame &frame, PyObject *&object) const {
    npy_intp sizes[NPY_MAXDIMS];
    shape.read(frame, sizes);
    if (isOnDevice) {
      object = adopted(*static_cast<void **>(frame.buffers[place]), sizes);
      if (object)
        shape.turn(reinterpret_cast<PyArrayObject *>(object));
      return object;
    }
    auto *type = reinterpret_cast<PyArray_Descr *>(py::object(descr).release().ptr()); // NumPy takes this reference
    {
      HandedMemory memory(*static_cast<void **>(frame.buffers[place]));
      if (!memory) {
        Py_DECREF(type);
        return false;
      }
      object = PyArray_NewFromDescr(&PyArray_Type, type, shape.rank(), sizes, nullptr, nullptr, 0, nullptr);
    }
    if (object)
      shape.turn(reinterpret_cast<PyArrayObject *>(object));
    return object;
  }

  PyObject *adopted(void *&address, const npy_intp *sizes) const {
    int64_t bytes = PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(descr.ptr()));
    for (int axis = 0; axis < shape.rank(); ++axis)
      bytes *= sizes[axis];
    runtime::Device &theirs = runtime::Devices::shared().at(device);
    return adoptedHeader(theirs, std::exchange(address, nullptr), descr, shape.rank(), sizes, bytes);
  }

  int device;
  py::object descr;
  ShapeOfOutputs shape;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_SIZED_RESULTS_H
