#include "conditions.h"

#include "forms.h"

#include <algorithm>

namespace quernel::binding {

Conditions::Conditions(const ConditionForms &forms, size_t symbols) : positional(forms.positional), declared(symbols) {
  setNames(forms.names);
  for (py::handle form : itemsOf(forms.parameters, "parameters"))
    parameters.push_back(makeGuard(form, declared, itemName("parameters", parameters.size())));
  const size_t count = static_cast<size_t>(positional) + names.size();
  if (parameters.size() != count)
    throw py::value_error("parameters: " + std::to_string(parameters.size()) + " guards for " + std::to_string(count) +
                          " arguments");
  for (py::handle form : itemsOf(forms.extras, "extras"))
    extras.push_back(makeExtra(form, itemName("extras", extras.size())));
  sizes = declared.finish();
}

FrameLayout Conditions::layout() const {
  FrameLayout layout;
  layout.sizes = sizes;
  layout.inputs = declared.byNumber.size();
  layout.instances = declared.instances;
  return layout;
}

void Conditions::setNames(const py::object &forms) {
  py::list interned;
  for (py::handle name : itemsOf(forms, "kwnames")) {
    textOf(name, "a name", itemName("kwnames", interned.size()));
    PyObject *text = name.inc_ref().ptr();
    PyUnicode_InternInPlace(&text);
    interned.append(py::reinterpret_steal<py::object>(text));
  }
  names = py::tuple(interned);
}

Conditions::Extra Conditions::makeExtra(py::handle form, const std::string &where) {
  py::tuple items = itemsOf(form, where);
  expectItems(items, 3, "namespace, class or cell, key, guard", where);
  Extra extra{items[0], items[1], nullptr};
  if (!items[2].is_none())
    extra.guard = makeGuard(py::object(items[2]), declared, where);
  if (PyCell_Check(extra.place.ptr())) {
    if (!extra.key.is_none())
      throw py::value_error(where + ": a cell has no keys; expected None");
    return extra;
  }
  if (!PyDict_Check(extra.place.ptr()) && !PyType_Check(extra.place.ptr()))
    throw py::type_error(where + ": expected a dict, a class or a cell, not " + Py_TYPE(extra.place.ptr())->tp_name);
  py::hash(extra.key); // an unhashable key raises here, not at every call
  return extra;
}

bool Conditions::Extra::matches(Frame &frame) const {
  PyObject *found = nullptr;
  if (PyCell_Check(place.ptr()))
    found = PyCell_GET(place.ptr());
  else if (PyType_Check(place.ptr()))
    found = _PyType_Lookup(reinterpret_cast<PyTypeObject *>(place.ptr()), key.ptr());
  else
    found = PyDict_GetItemWithError(place.ptr(), key.ptr());
  if (!found) {
    if (PyErr_Occurred())
      PyErr_Clear();
    return !guard;
  }
  auto object = py::reinterpret_borrow<py::object>(found);
  return guard && guard->matches(object.ptr(), frame);
}

bool Conditions::namesMatch(PyObject *given) const {
  for (size_t k = 0; k < names.size(); ++k) {
    PyObject *name = PyTuple_GET_ITEM(given, k);
    PyObject *expected = PyTuple_GET_ITEM(names.ptr(), k);
    // Names from a call's source are interned; those of a dict needn't be.
    if (name != expected && PyUnicode_Compare(name, expected) != 0)
      return false;
  }
  return true;
}

bool Conditions::hold(const Arguments &arguments, Frame &frame) const {
  if (arguments.positional != positional || arguments.named() != static_cast<Py_ssize_t>(names.size()) ||
      !namesMatch(arguments.names))
    return false;
  for (size_t k = 0; k < parameters.size(); ++k)
    if (!parameters[k]->matches(arguments.values[k], frame))
      return false;
  for (const Extra &extra : extras)
    if (!extra.matches(frame))
      return false;
  // What has no size of 0 or 1 is left to a program that knows more.
  return !declared.takesSmall ||
         std::any_of(frame.sizes, frame.sizes + declared.bound.size(), [](int64_t size) { return size < 2; });
}

int Conditions::traverse(visitproc visit, void *arg) const {
  for (const auto &guard : parameters)
    if (int stop = guard->traverse(visit, arg))
      return stop;
  for (const Extra &extra : extras) {
    Py_VISIT(extra.place.ptr());
    Py_VISIT(extra.key.ptr());
    if (int stop = extra.guard ? extra.guard->traverse(visit, arg) : 0)
      return stop;
  }
  return 0;
}

void Conditions::clear() {
  positional = -1;
  // Moved out first: dropping the last reference to an object may run code that comes back here.
  auto oldParameters = std::move(parameters);
  auto oldExtras = std::move(extras);
  parameters.clear();
  extras.clear();
}

} // namespace quernel::binding
