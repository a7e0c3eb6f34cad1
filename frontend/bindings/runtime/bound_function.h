/// \file
/// What `instance.function` is where a class has a `_runtime.Function` among its attributes.

#ifndef QUERNEL_BINDINGS_RUNTIME_BOUND_FUNCTION_H
#define QUERNEL_BINDINGS_RUNTIME_BOUND_FUNCTION_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

/// A bound method: what Python's own is, and `explain` and `lower` of it take the arguments of a call without the
/// instance. Python says that it is a `types.MethodType`. Null with a Python error set.
PyObject *bindFunctionTo(PyObject *function, PyObject *instance);

/// Makes the type.
void bindBoundFunction(pybind11::module_ &module);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_BOUND_FUNCTION_H
