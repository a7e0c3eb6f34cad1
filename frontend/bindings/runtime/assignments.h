/// \file
/// What a call changes outside of it, arrays apart: attributes of objects, and what lists and dicts hold.

#ifndef QUERNEL_BINDINGS_RUNTIME_ASSIGNMENTS_H
#define QUERNEL_BINDINGS_RUNTIME_ASSIGNMENTS_H

#include "frame.h"

#include <optional>
#include <utility>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

/// Where a value goes that has been built.
class Assignment {
public:
  explicit Assignment(std::optional<size_t> condition) : condition(condition) {}
  virtual ~Assignment() = default;

  /// Whether the call assigns there at all.
  bool isMeant(const Frame &frame) const {
    return !condition || *static_cast<const uint8_t *>(frame.buffers[*condition]) != 0;
  }

  /// False with a Python error set.
  virtual bool assign(const Frame &frame, PyObject *value) const = 0;

  /// Visits the objects that it owns, for the garbage collector.
  virtual int traverse(visitproc visit, void *arg) const { return 0; }

private:
  std::optional<size_t> condition; ///< the buffer of the bool that says so, if there is one
};

/// An attribute that is assigned where a bool output holds, if there is one.
struct AttributeTarget {
  py::object name;
  std::optional<size_t> condition; ///< the buffer of the bool
  size_t number = 0;               ///< of an object among the arguments
  py::object type;                 ///< the class that has the attribute itself, where one has

  bool isMeant(const Frame &frame) const {
    return !condition || *static_cast<const uint8_t *>(frame.buffers[*condition]) != 0;
  }
};

/// An attribute of an object among the arguments, or of a class.
class AttributeAssignment final : public Assignment {
public:
  explicit AttributeAssignment(AttributeTarget target) : Assignment(target.condition), target(std::move(target)) {}

  bool assign(const Frame &frame, PyObject *value) const override {
    if (target.type)
      return PyObject_SetAttr(target.type.ptr(), target.name.ptr(), value) == 0;
    // The class may have a way of its own of assigning, which captured code has followed already.
    return PyObject_GenericSetAttr(frame.instances[target.number], target.name.ptr(), value) == 0;
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(target.type.ptr());
    return 0;
  }

private:
  AttributeTarget target;
};

/// The items of a list from one place to another, in whose stead those of another list come.
class ItemsAssignment final : public Assignment {
public:
  ItemsAssignment(std::optional<size_t> condition, size_t number, Py_ssize_t low, Py_ssize_t high)
      : Assignment(condition), number(number), low(low), high(high) {}

  bool assign(const Frame &frame, PyObject *value) const override {
    return PyList_SetSlice(frame.instances[number], low, high, value) == 0;
  }

private:
  size_t number;
  Py_ssize_t low, high;
};

/// The keys that a dict loses, and those that it gets after that, in the order of a tuple of values.
class KeysAssignment final : public Assignment {
public:
  KeysAssignment(std::optional<size_t> condition, size_t number, py::tuple gone, py::tuple keys)
      : Assignment(condition), number(number), gone(std::move(gone)), keys(std::move(keys)) {}

  bool assign(const Frame &frame, PyObject *value) const override {
    PyObject *dict = frame.instances[number];
    if (!PyDict_CheckExact(dict) || !PyTuple_CheckExact(value) ||
        PyTuple_GET_SIZE(value) != static_cast<Py_ssize_t>(keys.size())) {
      PyErr_SetString(PyExc_TypeError, "keys are those of a dict, each with a value of a tuple");
      return false;
    }
    for (py::handle key : gone) {
      const int has = PyDict_Contains(dict, key.ptr()); // another thread may have been there
      if (has < 0 || (has && PyDict_DelItem(dict, key.ptr()) < 0))
        return false;
    }
    for (size_t k = 0; k < keys.size(); ++k)
      if (PyDict_SetItem(dict, PyTuple_GET_ITEM(keys.ptr(), k), PyTuple_GET_ITEM(value, k)) < 0)
        return false;
    return true;
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(gone.ptr());
    Py_VISIT(keys.ptr());
    return 0;
  }

private:
  size_t number;
  py::tuple gone, keys;
};

/// What lists and dicts of a call hold, to be put back where Python's function has changed them, too.
class ContainerCopies {
public:
  ContainerCopies(const Frame &frame, const std::vector<size_t> &numbers) {
    for (size_t number : numbers) {
      PyObject *object = frame.instances[number];
      PyObject *copy = PyList_CheckExact(object) ? PyList_GetSlice(object, 0, PY_SSIZE_T_MAX) : PyDict_Copy(object);
      isComplete &= copy != nullptr;
      kept.emplace_back(py::reinterpret_borrow<py::object>(object), py::reinterpret_steal<py::object>(copy));
    }
  }

  bool isComplete = true; ///< else a Python error is set

  /// False with a Python error set.
  bool putBack() const {
    for (const auto &[object, copy] : kept) {
      if (PyList_CheckExact(object.ptr())) {
        if (PyList_SetSlice(object.ptr(), 0, PY_SSIZE_T_MAX, copy.ptr()) < 0)
          return false;
        continue;
      }
      PyDict_Clear(object.ptr());
      if (PyDict_Update(object.ptr(), copy.ptr()) < 0)
        return false;
    }
    return true;
  }

private:
  std::vector<std::pair<py::object, py::object>> kept;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_ASSIGNMENTS_H
