/// \file
/// NumPy's C API: whoever needs it includes it through here. One file, module.cpp, imports it.

#ifndef QUERNEL_BINDINGS_RUNTIME_NUMPY_H
#define QUERNEL_BINDINGS_RUNTIME_NUMPY_H

// pybind11 before Python.h's other users: it settles which Python macros are defined.
#include <pybind11/pybind11.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL quernel_runtime_array_api
#ifndef QUERNEL_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

namespace quernel::binding {

/// A flag beside NumPy's: the array is of no subclass.
inline constexpr int plainFlag = 1 << 30;

/// Looks up `numpy.memmap`; throws Python's error.
void findArrayTypes();

/// Whether compiled code takes the object as an array: one of NumPy's, or a memmap, which differs by its file alone.
bool isArray(PyObject *object);

/// NumPy's flags of an array, and `plainFlag`.
int flagsOf(PyObject *array);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_NUMPY_H
