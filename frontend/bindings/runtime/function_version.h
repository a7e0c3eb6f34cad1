/// \file
/// What of a Python function may be replaced while it stays the same object.

#ifndef QUERNEL_BINDINGS_RUNTIME_FUNCTION_VERSION_H
#define QUERNEL_BINDINGS_RUNTIME_FUNCTION_VERSION_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

/// The code and the defaults that a function has now; nothing of other objects.
class FunctionVersion {
public:
  FunctionVersion() = default;
  explicit FunctionVersion(PyObject *object) {
    if (!object || !PyFunction_Check(object))
      return;
    code = pybind11::reinterpret_borrow<pybind11::object>(PyFunction_GET_CODE(object));
    defaults = pybind11::reinterpret_borrow<pybind11::object>(PyFunction_GET_DEFAULTS(object));
    named = pybind11::reinterpret_borrow<pybind11::object>(PyFunction_GET_KW_DEFAULTS(object));
  }

  /// Whether the object that it was made of is still so.
  bool isThatOf(PyObject *object) const {
    return !code || (PyFunction_GET_CODE(object) == code.ptr() && PyFunction_GET_DEFAULTS(object) == defaults.ptr() &&
                     PyFunction_GET_KW_DEFAULTS(object) == named.ptr());
  }

private:
  pybind11::object code, defaults, named;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FUNCTION_VERSION_H
