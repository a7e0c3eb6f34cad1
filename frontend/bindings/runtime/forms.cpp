#include "forms.h"

#include <algorithm>

namespace quernel::binding {

static std::string typeName(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

py::tuple itemsOf(py::handle form, const std::string &where) {
  if (!PyTuple_Check(form.ptr()) && !PyList_Check(form.ptr()))
    throw py::type_error(where + ": expected a tuple or a list, not " + typeName(form));
  return py::reinterpret_steal<py::tuple>(PySequence_Tuple(form.ptr()));
}

py::tuple kindAndItems(py::handle form, std::string &kind, const std::string &where) {
  py::tuple items = itemsOf(form, where);
  if (items.empty())
    throw py::value_error(where + ": an empty tuple");
  kind = textOf(items[0], "the kind", where);
  return items;
}

void expectItems(const py::tuple &items, size_t count, const char *names, const std::string &where) {
  if (items.size() != count)
    throw py::value_error(where + ": expected (" + names + "), got " + std::to_string(items.size()) + " items");
}

std::string textOf(py::handle object, const char *what, const std::string &where) {
  if (!PyUnicode_Check(object.ptr()))
    throw py::type_error(where + ": " + what + " must be a str, not " + typeName(object));
  // A file's name may hold any bytes.
  const auto bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
  if (!bytes)
    throw py::error_already_set();
  return bytes.cast<std::string>();
}

bool boolOf(py::handle object, const char *what, const std::string &where) {
  if (!PyBool_Check(object.ptr()))
    throw py::type_error(where + ": " + what + " must be a bool, not " + typeName(object));
  return object.ptr() == Py_True;
}

int64_t integerOf(py::handle object, const char *what, int64_t least, int64_t end, const std::string &where) {
  if (!PyLong_Check(object.ptr()) || PyBool_Check(object.ptr()))
    throw py::type_error(where + ": " + what + " must be an int, not " + typeName(object));
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow || value < least || value >= end)
    throw py::value_error(where + ": " + what + " is out of range: " + py::repr(object).cast<std::string>());
  return value;
}

std::vector<uint8_t> axesOf(py::handle form, const std::string &where) {
  py::tuple items = itemsOf(form, where);
  std::vector<uint8_t> axes;
  for (py::handle item : items) {
    const auto axis = integerOf(item, "an axis", 0, static_cast<int64_t>(items.size()), where);
    if (std::ranges::count(axes, axis) > 0)
      throw py::value_error(where + ": axis " + std::to_string(axis) + " is there twice");
    axes.push_back(static_cast<uint8_t>(axis));
  }
  return axes;
}

std::string itemName(const std::string &where, size_t k) { return where + "[" + std::to_string(k) + "]"; }

} // namespace quernel::binding
