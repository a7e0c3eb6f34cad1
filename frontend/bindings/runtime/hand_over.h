/// \file
/// Answers that name the function which is to answer.

#ifndef QUERNEL_BINDINGS_RUNTIME_HAND_OVER_H
#define QUERNEL_BINDINGS_RUNTIME_HAND_OVER_H

#include "answer.h"

namespace quernel::binding {

/// What this package's Python code gives back instead of an answer: a function that is to be called with the same
/// arguments, without any frame of the package around it. What looks at frames finds the user's alone then.
struct HandOver {
  py::object function;
};

/// The answer itself: that of the function where an answer names one. Takes the reference; null with a Python error
/// set.
PyObject *answered(PyObject *answer, const Arguments &arguments);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_HAND_OVER_H
