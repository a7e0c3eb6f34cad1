/// \file
/// Guards for functions: by their code and what they carry along, or by themselves.

#ifndef QUERNEL_BINDINGS_RUNTIME_FUNCTION_GUARD_H
#define QUERNEL_BINDINGS_RUNTIME_FUNCTION_GUARD_H

#include "guards.h"

namespace quernel::binding {

/// What a function carries along: the cells of its closure, the defaults of parameters by place, and those by name.
class FunctionParts {
public:
  explicit FunctionParts(PyObject *function)
      : cells(PyFunction_GET_CLOSURE(function)), defaults(PyFunction_GET_DEFAULTS(function)),
        named(PyFunction_GET_KW_DEFAULTS(function)) {}

  size_t count() const { return cellCount() + defaultCount() + namedCount(); }
  size_t cellCount() const { return cells ? static_cast<size_t>(PyTuple_GET_SIZE(cells)) : 0; }
  size_t defaultCount() const { return defaults ? static_cast<size_t>(PyTuple_GET_SIZE(defaults)) : 0; }
  size_t namedCount() const { return named ? static_cast<size_t>(PyDict_GET_SIZE(named)) : 0; }

  /// Borrowed; null for a cell that has nothing.
  PyObject *cell(size_t place) const { return PyCell_GET(PyTuple_GET_ITEM(cells, static_cast<Py_ssize_t>(place))); }
  PyObject *byPlace(size_t place) const { return PyTuple_GET_ITEM(defaults, static_cast<Py_ssize_t>(place)); }
  PyObject *byName(PyObject *name) const { return PyDict_GetItemWithError(named, name); }
  py::list names() const { return named ? py::reinterpret_steal<py::list>(PyDict_Keys(named)) : py::list(); }

private:
  PyObject *cells, *defaults, *named;
};

/// A guard for any function with this one's code and globals, no attributes, and parts that match: the cells first,
/// then the defaults by place, then those by name.
class CodeGuard final : public Guard {
public:
  CodeGuard(PyObject *function, std::vector<std::unique_ptr<Guard>> parts);

  bool matches(PyObject *object, Frame &frame) const override;
  int traverse(visitproc visit, void *argument) const override;

private:
  bool partsMatch(const FunctionParts &found, Frame &frame) const;

  py::object code, globals;
  size_t cells, defaults;
  py::list names;
  std::vector<std::unique_ptr<Guard>> parts;
};

/// A guard for a function that is none of those with lower numbers.
class FunctionGuard final : public Guard {
public:
  FunctionGuard(size_t number, std::unique_ptr<Guard> known) : number(number), known(std::move(known)) {}

  bool matches(PyObject *object, Frame &frame) const override {
    return takeNumber(object, number, frame) && known->matches(object, frame);
  }
  int traverse(visitproc visit, void *argument) const override { return known->traverse(visit, argument); }

private:
  size_t number;
  std::unique_ptr<Guard> known;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FUNCTION_GUARD_H
