#include "function_object.h"

#include "numpy_api.h"

#include <algorithm>

namespace quernel::binding {

/// With as many answers as this, it pays to compare kinds before guards.
static constexpr size_t many = 4;

/// The kind of a call is a number for the types of its arguments, and of arrays the dtypes and ranks; never 0. The slot
/// of its hint follows from how arrays lie, too: answers may fit several layouts, but mostly fit one.
Answers::Kind Answers::kindOf(const Arguments &arguments) {
  uint64_t kind = static_cast<uint64_t>(arguments.positional), layouts = 0;
  for (Py_ssize_t k = 0; k < arguments.positional + arguments.named(); ++k) {
    PyObject *value = arguments.values[k];
    auto type = reinterpret_cast<uint64_t>(Py_TYPE(value));
    if (isArray(value)) {
      auto *array = reinterpret_cast<PyArrayObject *>(value);
      type += static_cast<uint64_t>(PyArray_TYPE(array)) * 64 + static_cast<uint64_t>(PyArray_NDIM(array)) + 1;
      layouts = layouts * 5 + (PyArray_FLAGS(array) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS));
    }
    kind = (kind ^ type) * 0x9E3779B97F4A7C15u;
    kind ^= kind >> 32;
  }
  return {kind | 1, (kind + layouts) % slots};
}

bool Answers::call(const Arguments &arguments, PyObject *&result) {
  return entries.size() < many ? callFirst(arguments, result) : callOfKind(arguments, result);
}

bool Answers::callFirst(const Arguments &arguments, PyObject *&result) {
  for (size_t k = 0; k < entries.size(); ++k) {
    const auto held = entries[k].object;
    const Answer *answer = entries[k].answer;
    if (!answer->call(arguments, result))
      continue;
    if (k > 0)
      moveToFront(answer);
    return true;
  }
  return false;
}

bool Answers::callOfKind(const Arguments &arguments, PyObject *&result) {
  const auto [kind, slot] = kindOf(arguments);
  const size_t hint = hints[slot];
  if (hint < entries.size() && entries[hint].kind == kind) {
    const auto held = entries[hint].object;
    if (entries[hint].answer->call(arguments, result))
      return true;
  }
  for (size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].kind != 0 && entries[k].kind != kind)
      continue;
    const auto held = entries[k].object;
    const Answer *answer = entries[k].answer;
    if (!answer->call(arguments, result))
      continue;
    auto found = std::ranges::find(entries, answer, &Entry::answer);
    if (found != entries.end()) {
      found->kind = kind;
      hints[slot] = static_cast<size_t>(found - entries.begin());
    }
    return true;
  }
  return false;
}

void Answers::moveToFront(const Answer *answer) {
  auto found = std::ranges::find(entries, answer, &Entry::answer);
  if (found != entries.end())
    std::rotate(entries.begin(), found, found + 1);
}

void Answers::add(py::object object) {
  const auto *answer = object.cast<const Answer *>();
  entries.insert(entries.begin(), {std::move(object), answer, 0});
}

void Answers::clear() {
  const auto dropped = std::move(entries); // destroyed last: that may run code that comes back here
  entries.clear();
}

PyObject *Answers::list() const {
  PyObject *list = PyList_New(0);
  for (size_t k = 0; list && k < entries.size(); ++k)
    if (PyList_Append(list, entries[k].object.ptr()) < 0)
      Py_CLEAR(list);
  return list;
}

int Answers::traverse(visitproc visit, void *arg) const {
  for (const Entry &entry : entries)
    Py_VISIT(entry.object.ptr());
  return 0;
}

} // namespace quernel::binding
