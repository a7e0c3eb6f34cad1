#include "hand_over.h"

#include "bindings.h"
#include "frontend/bindings/python_lock.h"

namespace quernel::binding {

namespace {

/// The Python class of `HandOver`, which lives as long as the module.
PyObject *handOverType = nullptr;

} // namespace

PyObject *answered(PyObject *answer, const Arguments &arguments) {
  if (!answer || reinterpret_cast<PyObject *>(Py_TYPE(answer)) != handOverType) [[likely]]
    return answer;
  const auto owned = py::reinterpret_steal<py::object>(answer);
  const py::object function = owned.cast<const HandOver &>().function;
  return inPython(
      [&] { return PyObject_Vectorcall(function.ptr(), arguments.values, arguments.positional, arguments.names); });
}

void bindHandOver(py::module_ &module) {
  handOverType =
      py::class_<HandOver>(module, "HandOver", "Instead of an answer: the function that answers the same arguments.")
          .def(py::init<py::object>(), py::arg("function"))
          .def_readonly("function", &HandOver::function)
          .ptr();
}

} // namespace quernel::binding
