/// \file
/// A compiled program with the conditions under which it answers a call.

#ifndef QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H
#define QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H

#include "errors.h"
#include "guards.h"
#include "outputs.h"
#include "results.h"
#include "runtime/Loader.h"

namespace quernel::binding {

/// The arguments of a call, as vectorcall hands them in.
struct Arguments {
  PyObject *const *values; ///< positional, then those by name
  Py_ssize_t positional;
  PyObject *names; ///< a tuple, or null

  Py_ssize_t named() const { return names ? PyTuple_GET_SIZE(names) : 0; }
};

/// What a specialization is made from; docs of `_runtime.Specialization` say what the forms look like.
struct SpecializationForms {
  int64_t positional;
  py::object names;
  py::object parameters;
  py::object extras;
  int64_t symbols;
  py::object outputs;
  py::object result;
  py::object errors;
  bool loops;
  int64_t threads;
  py::object keep;
};

class Specialization {
public:
  /// Throws a TypeError or ValueError with what is wrong with the forms.
  Specialization(py::object program, const runtime::Program &loaded, const SpecializationForms &forms);

  /// Runs the program if the call fits. False: it doesn't, and nothing has happened. True: `result` is the call's
  /// result, or null with a Python error set.
  bool call(const Arguments &arguments, PyObject *&result) const;

  int traverse(visitproc visit, void *argument) const;

  /// Drops all objects; no call fits any more.
  void clear();

private:
  /// A guard for what the function reads from outside.
  struct Extra {
    py::object place; ///< a dict or a cell
    py::object key;   ///< in the dict
    std::unique_ptr<Guard> guard;

    bool matches(Frame &frame) const;
  };

  static Extra makeExtra(py::handle form, Inputs &inputs, const std::string &where);
  void setNames(const py::object &forms);
  bool namesMatch(PyObject *given) const;
  bool matches(const Arguments &arguments, Frame &frame) const;
  bool writesApart(const Frame &frame) const;
  PyObject *run(Frame &frame) const;
  int32_t enter(const qn_context &lent, const Frame &frame) const;
  bool enterOrRaise(const Frame &frame) const;

  py::object program;
  py::object keep;
  qn_entry entry;
  qn_shapes shapes;
  const qn_context &context;
  Errors errors;
  bool loops; ///< it may run for long, whatever the size of its arrays

  Py_ssize_t positional;
  py::tuple names;
  std::vector<std::unique_ptr<Guard>> parameters;
  std::vector<Extra> extras;
  std::vector<size_t> arrays;  ///< inputs that are arrays
  std::vector<size_t> written; ///< those that the program writes
  Outputs outputs;
  std::unique_ptr<Result> result;
  bool dynamic;
  FrameLayout layout;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H
