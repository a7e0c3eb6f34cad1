#include "error_state.h"

#include "runtime/FloatFlags.h"

#include <string_view>

namespace quernel::binding {

namespace py = pybind11;

namespace {

constexpr std::pair<const char *, int> names[] = {
    {"divide", divideKind}, {"over", overKind}, {"under", underKind}, {"invalid", invalidKind}};

/// The state that `numpy.geterr()` tells.
ErrorState askedState() {
  ErrorState state;
  const py::dict told = py::module_::import("numpy").attr("geterr")();
  for (const auto &[name, kind] : names) {
    const std::string mode = py::str(told[name]);
    if (mode != "ignore")
      state.heard |= kind;
    if (mode != "ignore" && mode != "warn")
      state.strict |= kind;
  }
  return state;
}

/// The context variable that holds NumPy's state, or null where this NumPy has none by that name.
PyObject *stateVariable() {
  static PyObject *const variable = [] {
    PyObject *found = nullptr;
    try {
      py::object kept = py::module_::import("numpy._core.umath").attr("_extobj_contextvar");
      found = kept.release().ptr();
    } catch (py::error_already_set &error) {
      error.discard_as_unraisable("quernel: the state of floating-point errors");
    }
    return found && PyContextVar_CheckExact(found) ? found : nullptr;
  }();
  return variable;
}

/// Python's list of filters, or null. The module's namespace is asked, which costs less than the module.
PyObject *filters() {
  static PyObject *const names = [] {
    PyObject *module = PyImport_ImportModule("warnings"); // kept
    return module ? PyModule_GetDict(module) : nullptr;
  }();
  static PyObject *const name = PyUnicode_InternFromString("filters");
  PyObject *found = names && name ? PyDict_GetItemWithError(names, name) : nullptr;
  if (!found)
    PyErr_Clear();
  return found;
}

/// Whether a filter, a tuple that begins with an action, a text and a category, raises NumPy's warnings.
bool isError(PyObject *filter) {
  if (!PyTuple_Check(filter) || PyTuple_GET_SIZE(filter) < 3)
    return false;
  PyObject *action = PyTuple_GET_ITEM(filter, 0), *category = PyTuple_GET_ITEM(filter, 2);
  return PyUnicode_Check(action) && PyUnicode_CompareWithASCIIString(action, "error") == 0 && PyType_Check(category) &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(PyExc_RuntimeWarning),
                          reinterpret_cast<PyTypeObject *>(category));
}

} // namespace

int kindsOf(int flags) {
  return (flags & FE_DIVBYZERO ? divideKind : 0) | (flags & FE_OVERFLOW ? overKind : 0) |
         (flags & FE_UNDERFLOW ? underKind : 0) | (flags & FE_INVALID ? invalidKind : 0);
}

ErrorState errorState() {
  // A state is an object that never changes; the last one is kept, so that no other gets its address.
  static PyObject *known = nullptr;
  static ErrorState state;
  PyObject *variable = stateVariable(), *current = nullptr;
  if (variable && PyContextVar_Get(variable, nullptr, &current) < 0)
    PyErr_Clear();
  const auto held = py::reinterpret_steal<py::object>(current);
  if (current && current == known)
    return state;
  try {
    const ErrorState asked = askedState();
    Py_XINCREF(current);
    Py_XSETREF(known, current);
    return state = asked;
  } catch (py::error_already_set &error) {
    error.discard_as_unraisable("quernel: the state of floating-point errors");
  }
  return {divideKind | overKind | invalidKind, 0};
}

bool warningsRaise() {
  // Filters are put in front of the list, or a new list stands in for it.
  static PyObject *knownList = nullptr, *knownFirst = nullptr;
  static Py_ssize_t knownSize = 0;
  static bool answer = false;
  PyObject *list = filters();
  if (!list || !PyList_Check(list) || PyList_GET_SIZE(list) == 0)
    return false;
  PyObject *first = PyList_GET_ITEM(list, 0);
  if (list == knownList && first == knownFirst && PyList_GET_SIZE(list) == knownSize) [[likely]]
    return answer;
  answer = false;
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); ++k)
    answer |= isError(PyList_GET_ITEM(list, k));
  // Kept, so that no other ones get their addresses.
  Py_INCREF(list);
  Py_XSETREF(knownList, list);
  Py_INCREF(first);
  Py_XSETREF(knownFirst, first);
  knownSize = PyList_GET_SIZE(list);
  return answer;
}

} // namespace quernel::binding
