/// \file
/// Where arrays lie in memory.

#ifndef QUERNEL_BINDINGS_RUNTIME_EXTENTS_H
#define QUERNEL_BINDINGS_RUNTIME_EXTENTS_H

#include <cstdint>
#include <pybind11/pybind11.h>

namespace quernel::binding {

/// The half-open range of addresses of an array's elements; empty for an array without elements.
struct Extent {
  uintptr_t low;
  uintptr_t high;

  bool overlaps(const Extent &other) const { return low < other.high && other.low < high; }
};

/// The extent of an object that is an ndarray.
Extent extentOf(PyObject *array);

/// False if no two elements of an ndarray share memory; true where that isn't easily seen.
bool mayOverlapItself(PyObject *array);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_EXTENTS_H
