/// \file
/// The conditions under which something answers a call: how many arguments it has, and a guard for each.

#ifndef QUERNEL_BINDINGS_RUNTIME_CONDITIONS_H
#define QUERNEL_BINDINGS_RUNTIME_CONDITIONS_H

#include "answer.h"
#include "guards.h"

namespace quernel::binding {

/// What conditions are made from; docs of `_runtime.Specialization` say what the forms look like.
struct ConditionForms {
  int64_t positional;
  py::object names;
  py::object parameters;
  py::object extras;
};

class Conditions {
public:
  /// `symbols`: how many symbols the guards bind. Throws a TypeError or ValueError with what is wrong with the forms.
  Conditions(const ConditionForms &forms, size_t symbols);

  /// What the guards have declared.
  const Inputs &inputs() const { return declared; }

  /// A frame's layout as far as the guards need it: inputs and sizes.
  FrameLayout layout() const;

  /// Whether the call fits; the frame has its inputs then. Never leaves a Python error behind.
  bool hold(const Arguments &arguments, Frame &frame) const;

  int traverse(visitproc visit, void *argument) const;

  /// Drops all objects; no call fits any more.
  void clear();

private:
  /// A guard for what the function reads from outside.
  struct Extra {
    py::object place;             ///< a dict, a class or a cell
    py::object key;               ///< in the dict or class
    std::unique_ptr<Guard> guard; ///< null where there may be nothing

    bool matches(Frame &frame) const;
  };

  Extra makeExtra(py::handle form, const std::string &where);
  void setNames(const py::object &forms);
  bool namesMatch(PyObject *given) const;

  Py_ssize_t positional;
  size_t sizes;
  Inputs declared;
  py::tuple names;
  std::vector<std::unique_ptr<Guard>> parameters;
  std::vector<Extra> extras;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_CONDITIONS_H
