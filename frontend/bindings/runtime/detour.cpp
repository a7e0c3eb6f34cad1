#include "detour.h"

#include "frontend/bindings/python_lock.h"

namespace quernel::binding {

Detour::Detour(py::object called, const ConditionForms &forms)
    : function(std::move(called)), conditions(forms, 0), layout(conditions.layout()) {
  if (!PyCallable_Check(function.ptr()))
    throw py::type_error("function: expected what can be called, not " + std::string(Py_TYPE(function.ptr())->tp_name));
}

bool Detour::call(const Arguments &arguments, PyObject *&result) const {
  {
    Frame frame(layout);
    if (!conditions.hold(arguments, frame))
      return false;
  }
  result = inPython(
      [&] { return PyObject_Vectorcall(function.ptr(), arguments.values, arguments.positional, arguments.names); });
  return true;
}

int Detour::traverse(visitproc visit, void *arg) const {
  Py_VISIT(function.ptr());
  return conditions.traverse(visit, arg);
}

void Detour::clear() {
  conditions.clear();
  const auto dropped = std::move(function);
}

} // namespace quernel::binding
