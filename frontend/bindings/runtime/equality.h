/// \file
/// When two Python values are the same to a program.

#ifndef QUERNEL_BINDINGS_RUNTIME_EQUALITY_H
#define QUERNEL_BINDINGS_RUNTIME_EQUALITY_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

/// Whether the values have the same type and are equal, and so are their parts: 1 isn't 1.0 nor True, 0.0 isn't -0.0,
/// and NaN is NaN. Leaves no Python error behind; values that can't be compared aren't the same.
bool sameValue(PyObject *left, PyObject *right);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_EQUALITY_H
