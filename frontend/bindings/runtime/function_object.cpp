#include "function_object.h"

#include <algorithm>

namespace quernel::binding {

bool Specializations::call(const Arguments &arguments, PyObject *&result) {
  for (size_t k = 0; k < entries.size(); ++k) {
    const auto held = entries[k].object;
    const Specialization *specialization = entries[k].specialization;
    if (!specialization->call(arguments, result))
      continue;
    if (k > 0)
      moveToFront(specialization);
    return true;
  }
  return false;
}

void Specializations::moveToFront(const Specialization *specialization) {
  auto found = std::ranges::find(entries, specialization, &Entry::specialization);
  if (found != entries.end())
    std::rotate(entries.begin(), found, found + 1);
}

void Specializations::add(py::object object) {
  const auto *specialization = object.cast<const Specialization *>();
  entries.insert(entries.begin(), {std::move(object), specialization});
}

void Specializations::clear() {
  const auto dropped = std::move(entries); // destroyed last: that may run code that comes back here
  entries.clear();
}

PyObject *Specializations::list() const {
  PyObject *list = PyList_New(0);
  for (size_t k = 0; list && k < entries.size(); ++k)
    if (PyList_Append(list, entries[k].object.ptr()) < 0)
      Py_CLEAR(list);
  return list;
}

int Specializations::traverse(visitproc visit, void *arg) const {
  for (const Entry &entry : entries)
    Py_VISIT(entry.object.ptr());
  return 0;
}

} // namespace quernel::binding
