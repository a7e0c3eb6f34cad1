#include "function_guard.h"

namespace quernel::binding {

CodeGuard::CodeGuard(PyObject *function, std::vector<std::unique_ptr<Guard>> parts)
    : code(py::reinterpret_borrow<py::object>(PyFunction_GET_CODE(function))),
      globals(py::reinterpret_borrow<py::object>(PyFunction_GET_GLOBALS(function))),
      cells(FunctionParts(function).cellCount()), defaults(FunctionParts(function).defaultCount()),
      names(FunctionParts(function).names()), parts(std::move(parts)) {}

bool CodeGuard::partsMatch(const FunctionParts &found, Frame &frame) const {
  auto guard = parts.begin();
  const auto matches = [&](PyObject *part) {
    if (!part)
      return false;
    const auto kept = py::reinterpret_borrow<py::object>(part);
    return (*guard++)->matches(part, frame);
  };
  for (size_t place = 0; place < cells; ++place)
    if (!matches(found.cell(place)))
      return false;
  for (size_t place = 0; place < defaults; ++place)
    if (!matches(found.byPlace(place)))
      return false;
  for (py::handle name : names)
    if (!matches(found.byName(name.ptr())))
      return false;
  return true;
}

bool CodeGuard::matches(PyObject *object, Frame &frame) const {
  if (!PyFunction_Check(object) || PyFunction_GET_CODE(object) != code.ptr() ||
      PyFunction_GET_GLOBALS(object) != globals.ptr())
    return false;
  PyObject *attributes = reinterpret_cast<PyFunctionObject *>(object)->func_dict;
  if (attributes && PyDict_GET_SIZE(attributes))
    return false;
  const FunctionParts found(object);
  const bool isLike =
      found.cellCount() == cells && found.defaultCount() == defaults && found.namedCount() == names.size();
  const bool holds = isLike && partsMatch(found, frame);
  PyErr_Clear(); // of a name that isn't there
  return holds;
}

int CodeGuard::traverse(visitproc visit, void *arg) const {
  Py_VISIT(code.ptr());
  Py_VISIT(globals.ptr());
  for (const auto &part : parts)
    if (int stop = part->traverse(visit, arg))
      return stop;
  return 0;
}

} // namespace quernel::binding
