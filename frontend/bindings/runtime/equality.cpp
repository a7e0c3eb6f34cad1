#include "equality.h"

#include "numpy_api.h"

#include <cmath>

namespace quernel::binding {

namespace py = pybind11;

namespace {

bool sameFloat(double left, double right) {
  if (std::isnan(left) || std::isnan(right))
    return std::isnan(left) && std::isnan(right);
  return left == right && std::signbit(left) == std::signbit(right);
}

bool sameTuple(PyObject *left, PyObject *right) {
  if (PyTuple_GET_SIZE(left) != PyTuple_GET_SIZE(right))
    return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(left); ++k)
    if (!sameValue(PyTuple_GET_ITEM(left, k), PyTuple_GET_ITEM(right, k)))
      return false;
  return true;
}

/// Every element of one has its like in the other: `==` alone would take {0.0} for {False}.
bool sameSet(const py::handle &left, const py::handle &right) {
  if (PySet_GET_SIZE(left.ptr()) != PySet_GET_SIZE(right.ptr()))
    return false;
  for (py::handle item : left) {
    bool found = false;
    for (py::handle other : right)
      found = found || sameValue(item.ptr(), other.ptr());
    if (!found)
      return false;
  }
  return true;
}

bool sameRange(const py::handle &left, const py::handle &right) {
  for (const char *part : {"start", "stop", "step"})
    if (!sameValue(py::object(left.attr(part)).ptr(), py::object(right.attr(part)).ptr()))
      return false;
  return true;
}

/// `left == right`, which isn't true of every object and itself.
bool isEqual(PyObject *left, PyObject *right) {
  auto answer = py::reinterpret_steal<py::object>(PyObject_RichCompare(left, right, Py_EQ));
  const int equal = answer ? PyObject_IsTrue(answer.ptr()) : -1;
  if (equal < 0)
    throw py::error_already_set();
  return equal == 1;
}

/// NumPy's scalars are their bytes; any NaN is like any other.
bool sameNumPyScalar(const py::handle &left, const py::handle &right) {
  auto isNaN = [](const py::handle &value) {
    py::object differs = py::reinterpret_steal<py::object>(PyObject_RichCompare(value.ptr(), value.ptr(), Py_NE));
    return differs && PyObject_IsTrue(differs.ptr()) == 1;
  };
  if (PyArray_IsScalar(left.ptr(), Floating) && isNaN(left))
    return isNaN(right);
  return left.attr("dtype").equal(right.attr("dtype")) &&
         isEqual(py::object(left.attr("tobytes")()).ptr(), py::object(right.attr("tobytes")()).ptr());
}

bool sameOfOneType(PyObject *left, PyObject *right) {
  if (PyFloat_Check(left))
    return sameFloat(PyFloat_AS_DOUBLE(left), PyFloat_AS_DOUBLE(right));
  if (PyComplex_Check(left))
    return sameFloat(PyComplex_RealAsDouble(left), PyComplex_RealAsDouble(right)) &&
           sameFloat(PyComplex_ImagAsDouble(left), PyComplex_ImagAsDouble(right));
  if (PyTuple_CheckExact(left))
    return sameTuple(left, right);
  if (PyFrozenSet_CheckExact(left))
    return sameSet(left, right);
  if (PySlice_Check(left) || PyRange_Check(left))
    return sameRange(left, right);
  if (PyArray_IsScalar(left, Generic))
    return sameNumPyScalar(left, right);
  return isEqual(left, right);
}

} // namespace

bool sameValue(PyObject *left, PyObject *right) {
  if (Py_TYPE(left) != Py_TYPE(right))
    return false;
  if (PyUnicode_CheckExact(left) || PyLong_CheckExact(left))
    return left == right || PyObject_RichCompareBool(left, right, Py_EQ) == 1;
  try {
    return sameOfOneType(left, right);
  } catch (py::error_already_set &) {
    return false;
  }
}

} // namespace quernel::binding
