#include "guards.h"

#include <algorithm>

namespace quernel::binding {

/// Whether a class has something that Python asks before the object's own attributes, a slot apart.
static bool standsBefore(PyObject *member, PyObject *slot) {
  return member && member != slot && Py_TYPE(member)->tp_descr_set;
}

/// A new reference to an attribute of the object itself, in a slot or in its dict; null, without an error, where it has
/// none.
static py::object ownAttribute(PyObject *object, PyObject *dict, const py::object &name, const py::object &slot) {
  py::object found;
  if (slot)
    found = py::reinterpret_steal<py::object>(
        Py_TYPE(slot.ptr())->tp_descr_get(slot.ptr(), object, reinterpret_cast<PyObject *>(Py_TYPE(object))));
  else if (dict)
    found = py::reinterpret_borrow<py::object>(PyDict_GetItemWithError(dict, name.ptr()));
  if (!found && PyErr_Occurred())
    PyErr_Clear();
  return found;
}

bool ObjectGuard::hasAttributes(PyObject *object, Frame &frame) const {
  auto dict = py::reinterpret_steal<py::object>(PyObject_GenericGetDict(object, nullptr));
  if (!dict)
    PyErr_Clear(); // it has slots alone
  if (count && (dict ? PyDict_GET_SIZE(dict.ptr()) : 0) != *count)
    return false;
  for (const AbsentAttribute &attribute : absent) {
    if (!attribute.isOfClass && _PyType_Lookup(Py_TYPE(object), attribute.name.ptr()))
      return false;
    if (ownAttribute(object, dict.ptr(), attribute.name, attribute.slot))
      return false;
  }
  for (const GuardedAttribute &attribute : attributes) {
    if (standsBefore(_PyType_Lookup(Py_TYPE(object), attribute.name.ptr()), attribute.slot.ptr()))
      return false;
    const py::object found = ownAttribute(object, dict.ptr(), attribute.name, attribute.slot);
    if (!found || !attribute.guard->matches(found.ptr(), frame))
      return false;
  }
  return true;
}

bool takeNumber(PyObject *object, size_t number, Frame &frame) {
  if (std::find(frame.instances, frame.instances + number, object) != frame.instances + number)
    return false;
  Py_INCREF(object);
  Py_XSETREF(frame.instances[number], object);
  return true;
}

bool ObjectGuard::matches(PyObject *object, Frame &frame) const {
  return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type.ptr() && takeNumber(object, number, frame) &&
         hasAttributes(object, frame);
}

static int traverseAll(const std::vector<GuardedAttribute> &attributes, visitproc visit, void *arg) {
  for (const GuardedAttribute &attribute : attributes) {
    Py_VISIT(attribute.slot.ptr());
    if (int stop = attribute.guard->traverse(visit, arg))
      return stop;
  }
  return 0;
}

int ObjectGuard::traverse(visitproc visit, void *arg) const {
  Py_VISIT(type.ptr());
  for (const AbsentAttribute &attribute : absent)
    Py_VISIT(attribute.slot.ptr());
  return traverseAll(attributes, visit, arg);
}

bool PartsGuard::matches(PyObject *object, Frame &frame) const {
  if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != type.ptr())
    return false;
  return std::ranges::all_of(parts, [&](const GuardedAttribute &part) {
    const py::object found = ownAttribute(object, nullptr, part.name, part.slot);
    return found && part.guard->matches(found.ptr(), frame);
  });
}

int PartsGuard::traverse(visitproc visit, void *arg) const {
  Py_VISIT(type.ptr());
  return traverseAll(parts, visit, arg);
}

} // namespace quernel::binding
