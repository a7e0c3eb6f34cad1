// How the arrays of a call lie beside one another, as bytes that can be looked up.
#include "bindings.h"

#include "extents.h"
#include "numpy_api.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

namespace {

PyArrayObject *asArray(PyObject *object) { return reinterpret_cast<PyArrayObject *>(object); }

intptr_t addressOf(PyObject *array) { return reinterpret_cast<intptr_t>(PyArray_DATA(asArray(array))); }

class Arrangement {
public:
  explicit Arrangement(bool withOwners) : withOwners(withOwners) {}

  /// False for a call with arguments that may hold arrays.
  bool add(PyObject *value) {
    if (PyTuple_Check(value) || PyList_Check(value) || PyDict_Check(value))
      return false;
    if (PyArray_Check(value) && !isArray(value))
      return false;
    values.push_back(value);
    return true;
  }

  std::string text() {
    findAnchors();
    for (size_t k = 0; k < values.size(); ++k) {
      put(Py_TYPE(values[k]));
      if (isArray(values[k]))
        putArgument(k);
    }
    return std::move(bytes);
  }

private:
  template <typename T> void put(T value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof(value)); }

  /// Of each array the first argument among those whose ranges of addresses overlap, itself included.
  void findAnchors() {
    anchors.resize(values.size());
    std::iota(anchors.begin(), anchors.end(), size_t(0));
    std::vector<size_t> order;
    for (size_t k = 0; k < values.size(); ++k)
      if (isArray(values[k]) && PyArray_SIZE(asArray(values[k])) > 0)
        order.push_back(k);
    std::ranges::sort(order, {}, [&](size_t k) { return extentOf(values[k]).low; });
    uintptr_t end = 0;
    for (size_t begin = 0, place = 0; place < order.size(); ++place) {
      const Extent extent = extentOf(values[order[place]]);
      if (extent.low >= end)
        begin = place;
      end = std::max(end, extent.high);
      const auto group = std::span(order).subspan(begin, place - begin + 1);
      const size_t first = std::ranges::min(group);
      for (size_t member : group)
        anchors[member] = first;
    }
  }

  void putArgument(size_t k) {
    const bool isAlone = std::ranges::count(anchors, anchors[k]) == 1;
    put(isAlone);
    putArray(values[k]);
    if (isAlone)
      return;
    put(anchors[k]);
    put(static_cast<size_t>(std::ranges::find(values, values[k]) - values.begin()));
    const intptr_t anchor = addressOf(values[anchors[k]]);
    put(addressOf(values[k]) - anchor);
    // Whose memory it is, as far as arrays tell.
    for (PyObject *owner = PyArray_BASE(asArray(values[k])); withOwners && owner && isArray(owner);
         owner = PyArray_BASE(asArray(owner))) {
      putArray(owner);
      put(addressOf(owner) - anchor);
    }
    put(nullptr);
  }

  void putArray(PyObject *object) {
    PyArrayObject *array = asArray(object);
    put(PyArray_TYPE(array));
    put(PyArray_FLAGS(array) &
        (NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE | NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS));
    put(PyArray_ISNOTSWAPPED(array));
    put(PyArray_NDIM(array));
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
      put(PyArray_DIM(array, axis));
      put(PyArray_STRIDE(array, axis));
    }
  }

  bool withOwners;
  std::vector<PyObject *> values;
  std::vector<size_t> anchors;
  std::string bytes;
};

/// Two calls of the same text differ in nothing that decides how their arrays are views of common ones; without owners,
/// of common ones in the memory between their ends. None where an argument may hold arrays.
py::object arrangement(const py::tuple &args, const py::dict &kwargs, bool owners) {
  Arrangement made(owners);
  std::string names = std::to_string(args.size());
  for (py::handle value : args)
    if (!made.add(value.ptr()))
      return py::none();
  for (auto [name, value] : kwargs) {
    names += ' ' + name.cast<std::string>();
    if (!made.add(value.ptr()))
      return py::none();
  }
  return py::bytes(made.text() + names + (owners ? '+' : '-'));
}

/// An array of an array's dtype in the same memory, which holds that memory.
py::object placed(const py::object &array, int64_t offset, const py::tuple &sizes, const py::tuple &steps) {
  if (!isArray(array.ptr()) || sizes.size() != steps.size() || sizes.size() > NPY_MAXDIMS)
    throw py::value_error("placed takes an array, an offset, and a shape and strides of one length");
  npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    shape[axis] = sizes[axis].cast<npy_intp>();
    strides[axis] = steps[axis].cast<npy_intp>();
  }
  PyArray_Descr *descr = PyArray_DESCR(asArray(array.ptr()));
  Py_INCREF(descr);
  char *data = PyArray_BYTES(asArray(array.ptr())) + offset;
  const int flags = PyArray_FLAGS(asArray(array.ptr())) & NPY_ARRAY_WRITEABLE;
  auto made = py::reinterpret_steal<py::object>(
      PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(sizes.size()), shape, strides, data, flags, nullptr));
  if (!made || PyArray_SetBaseObject(asArray(made.ptr()), py::object(array).release().ptr()) < 0)
    throw py::error_already_set();
  PyArray_UpdateFlags(asArray(made.ptr()), NPY_ARRAY_UPDATE_ALL);
  return made;
}

} // namespace

void bindArrangements(py::module_ &module) {
  module.def("arrangement", &arrangement, py::arg("args"), py::arg("kwargs"), py::arg("owners"),
             "How the arrays of a call lie beside one another, and in the arrays that own them, as bytes; None where "
             "containers may "
             "hold arrays.");
  module.def("placed", &placed, py::arg("array"), py::arg("offset"), py::arg("shape"), py::arg("strides"),
             "An array of the same dtype, `offset` bytes from where another one begins.");
}

} // namespace quernel::binding
