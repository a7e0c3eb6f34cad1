#include "scalar_guard.h"

#include "dtypes.h"
#include "numpy_api.h"

#include <cstring>

namespace quernel::binding {

namespace {

/// Puts a number into its slot; false for an object that isn't such a number.
using Taker = bool (*)(PyObject *object, uint64_t *slot);

bool takeFloat(PyObject *object, uint64_t *slot) {
  if (!PyFloat_CheckExact(object))
    return false;
  const double value = PyFloat_AS_DOUBLE(object);
  std::memcpy(slot, &value, sizeof(value));
  return true;
}

bool takeComplex(PyObject *object, uint64_t *slot) {
  if (!PyComplex_CheckExact(object))
    return false;
  const Py_complex value = PyComplex_AsCComplex(object);
  std::memcpy(slot, &value, sizeof(value));
  return true;
}

bool takeInt(PyObject *object, uint64_t *slot) {
  if (!PyLong_CheckExact(object))
    return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  std::memcpy(slot, &value, sizeof(value));
  return !overflow;
}

bool takeBool(PyObject *object, uint64_t *slot) {
  *slot = object == Py_True;
  return PyBool_Check(object);
}

template <typename ScalarObject, typename Type, int number> bool takeNumPy(PyObject *object, uint64_t *slot) {
  // The type objects of NumPy's API are entries of a table that is filled at import.
  static PyTypeObject *const type = [] {
    PyObject *found = PyArray_TypeObjectFromType(number);
    return reinterpret_cast<PyTypeObject *>(found);
  }();
  if (Py_TYPE(object) != type)
    return false;
  std::memcpy(slot, &reinterpret_cast<ScalarObject *>(object)->obval, sizeof(Type));
  return true;
}

Taker numPyTaker(int number) {
  switch (number) {
  case NPY_BOOL:
    return takeNumPy<PyBoolScalarObject, npy_bool, NPY_BOOL>;
  case NPY_INT8:
    return takeNumPy<PyByteScalarObject, npy_byte, NPY_INT8>;
  case NPY_INT16:
    return takeNumPy<PyShortScalarObject, npy_short, NPY_INT16>;
  case NPY_INT32:
    return takeNumPy<PyIntScalarObject, npy_int, NPY_INT32>;
  case NPY_INT64:
    return takeNumPy<PyLongScalarObject, npy_long, NPY_INT64>;
  case NPY_UINT8:
    return takeNumPy<PyUByteScalarObject, npy_ubyte, NPY_UINT8>;
  case NPY_UINT16:
    return takeNumPy<PyUShortScalarObject, npy_ushort, NPY_UINT16>;
  case NPY_UINT32:
    return takeNumPy<PyUIntScalarObject, npy_uint, NPY_UINT32>;
  case NPY_UINT64:
    return takeNumPy<PyULongScalarObject, npy_ulong, NPY_UINT64>;
  case NPY_FLOAT16:
    return takeNumPy<PyHalfScalarObject, npy_half, NPY_FLOAT16>;
  case NPY_FLOAT32:
    return takeNumPy<PyFloatScalarObject, npy_float, NPY_FLOAT32>;
  case NPY_FLOAT64:
    return takeNumPy<PyDoubleScalarObject, npy_double, NPY_FLOAT64>;
  case NPY_COMPLEX64:
    return takeNumPy<PyCFloatScalarObject, npy_cfloat, NPY_COMPLEX64>;
  case NPY_COMPLEX128:
    return takeNumPy<PyCDoubleScalarObject, npy_cdouble, NPY_COMPLEX128>;
  default:
    return nullptr;
  }
}
static_assert(NPY_INT64 == NPY_LONG && NPY_INT32 == NPY_INT, "written for LP64");

class ScalarGuard final : public Guard {
public:
  ScalarGuard(size_t input, Taker take) : input(input), take(take) {}

  bool matches(PyObject *object, Frame &frame) const override {
    frame.buffers[input] = frame.slot(input);
    return take(object, frame.slot(input));
  }

private:
  size_t input;
  Taker take;
};

Taker takerOf(const std::string &kind, const std::string &where) {
  if (kind == "float")
    return takeFloat;
  if (kind == "complex")
    return takeComplex;
  if (kind == "int")
    return takeInt;
  if (kind == "bool")
    return takeBool;
  if (kind.starts_with("np."))
    return numPyTaker(elementType(kind.substr(3), where).number);
  return nullptr;
}

} // namespace

std::unique_ptr<Guard> makeScalarGuard(size_t input, const std::string &kind, const std::string &where) {
  Taker take = takerOf(kind, where);
  if (!take)
    throw py::value_error(where + ": no scalar is of the kind '" + kind + "'");
  return std::make_unique<ScalarGuard>(input, take);
}

} // namespace quernel::binding
