/// \file
/// What may answer a call of a compiled function.

#ifndef QUERNEL_BINDINGS_RUNTIME_ANSWER_H
#define QUERNEL_BINDINGS_RUNTIME_ANSWER_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

namespace py = pybind11;

/// The arguments of a call, as vectorcall hands them in.
struct Arguments {
  PyObject *const *values; ///< positional, then those by name
  Py_ssize_t positional;
  PyObject *names; ///< a tuple, or null

  Py_ssize_t named() const { return names ? PyTuple_GET_SIZE(names) : 0; }

  /// The positional ones. Throws where memory is out, as the next one does.
  py::tuple asTuple() const;
  /// Those by name.
  py::dict asDict() const;
};

/// Something with conditions on a call, which answers the calls that fulfil them.
class Answer {
public:
  virtual ~Answer() = default;

  /// Answers the call if it fits. False: it doesn't, and nothing has happened. True: `result` is the call's result,
  /// or null with a Python error set.
  virtual bool call(const Arguments &arguments, PyObject *&result) const = 0;

  /// Visits the objects that this owns, for the garbage collector.
  virtual int traverse(visitproc visit, void *argument) const = 0;

  /// Drops all objects; no call fits any more.
  virtual void clear() = 0;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_ANSWER_H
