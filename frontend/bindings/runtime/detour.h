/// \file
/// A Python function that answers calls which no program can answer.

#ifndef QUERNEL_BINDINGS_RUNTIME_DETOUR_H
#define QUERNEL_BINDINGS_RUNTIME_DETOUR_H

#include "conditions.h"

namespace quernel::binding {

/// Hands calls on as they are. What the function raises has no frame of ours in its traceback.
class Detour final : public Answer {
public:
  /// Throws a TypeError or ValueError with what is wrong with the forms.
  Detour(py::object function, const ConditionForms &forms);

  bool call(const Arguments &arguments, PyObject *&result) const override;
  int traverse(visitproc visit, void *argument) const override;
  void clear() override;

private:
  py::object function;
  Conditions conditions;
  FrameLayout layout;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_DETOUR_H
